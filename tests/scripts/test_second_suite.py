"""Another suite goes through the same runner, journal, summary and files: it is a value and a line in a table."""

from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.ports import ScoreExchange
from evaluation.records import Exchange, Score
from evaluation.request import EvaluationRequest
from evaluation.rubrics.rubric import Rubric
from evaluation.suites import SUITES, Suites
from evaluation.suites.suite import SuiteDefinition
from evaluation.suites.turns import play_turns
from scripts.workflow import run_evaluation
from tests.scripts.commands import document, lines

SCENARIOS = """
category: basic_conversations
scenarios:
  - {id: say-hi, turns: [Hi], tags: [short], note: Any greeting will do.}
  - {id: count, turns: [Count to three, And backwards], tags: [long], note: Numbers in order.}
"""


RUBRIC = """
name: brevity
version: "1"
title: Brevity
introduction: Short answers.
scale: {low: 0, high: 10}
overall: overall
metrics:
  brevity: {title: Brevity, kind: judged, weight: 1, definition: Few words.,
    criteria: [{from: 0, to: 10, label: any, text: Fewer are better.}], positive: [Few words.], negative: [Many words.]}
  overall: {title: Overall, kind: weighted, definition: The same.}
categories:
  basic_conversations: {title: Basics, focus: Short answers., criteria: [Few words.]}
history: [{version: "1", date: 2026-11-20, changes: [First.]}]
"""


def build_scorer(_rubric: Rubric) -> ScoreExchange:
    def score(exchange: Exchange) -> tuple[Score, ...]:
        words = len(exchange.response.split())
        value = min(10.0, 100 / max(words, 1))
        return tuple(Score(name, "heuristic", value, f"{words} words") for name in ("brevity", "overall"))

    return score


BREVITY = SuiteDefinition(name="brevity", play=play_turns, build_scorer=build_scorer)
"""A whole suite: how to play and what to measure; the rest is its rubric's."""


def test_a_suite_of_a_dozen_lines(tmp_path: Path, runs_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rubric = tmp_path / "brevity.yaml"
    rubric.write_text(RUBRIC)
    suites: Suites = {**SUITES, "brevity": replace(BREVITY, rubric_file=str(rubric))}
    scenarios = tmp_path / "brief.yaml"
    scenarios.write_text(SCENARIOS)
    request = EvaluationRequest(
        prompts=("v3",),
        suite="brevity",
        scenarios=(str(scenarios),),
        repeats=2,
        quiet=True,
        judge=False,
    )
    outcome = run_evaluation(request, suites)
    assert outcome.exit_code == 0
    summary = document(Path(outcome.runs[0].directory), "summary.json")
    assert summary["suite"] == "brevity"
    assert summary["counts"] == {"planned": 6, "scored": 6, "failed": 0, "unparsed": 0, "skipped": 0}
    assert summary["decision"] is None
    written = lines(Path(outcome.runs[0].directory))
    by_scenario = {
        name: [line["scores"]["heuristic"]["overall"] for line in written if line["scenario_id"] == name]
        for name in ("say-hi", "count")
    }
    expected = sum(sum(values) / len(values) for values in by_scenario.values()) / 2
    assert summary["metrics"]["heuristic"]["overall"]["mean"] == pytest.approx(expected)
    resumed = run_evaluation(EvaluationRequest(resume="last", quiet=True), suites)
    assert lines(Path(resumed.runs[0].directory)) == written
