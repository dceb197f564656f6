"""Another suite goes through the same runner, journal, summary and files: it is a value and a line in a table."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from evaluation.records import Exchange, Score
from evaluation.rubrics.rubric import Rubric
from evaluation.suites import SUITES, SuiteEntry
from evaluation.suites.suite import Suite
from evaluation.suites.turns import play_turns
from scripts.arguments import EvaluationRequest
from scripts.workflow import run_evaluation
from tests.scripts.commands import document, lines

SCENARIOS = """
category: basic_conversations
scenarios:
  - {id: say-hi, turns: [Hi], tags: [short], note: Any greeting will do.}
  - {id: count, turns: [Count to three, And backwards], tags: [long], note: Numbers in order.}
"""


def brevity(rubric: Rubric) -> Suite:
    """A whole suite: how to play, what to measure, on which scale."""

    def score(exchange: Exchange) -> tuple[Score, ...]:
        words = len(exchange.response.split())
        value = min(10.0, 100 / max(words, 1))
        return tuple(Score(name, "heuristic", value, f"{words} words") for name in ("brevity", "overall"))

    return Suite("brevity", ("brevity", "overall"), "overall", low=0, high=10, play=play_turns, score=score)


def test_a_suite_of_a_dozen_lines(tmp_path: Path, runs_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suites: Mapping[str, SuiteEntry] = {**SUITES, "brevity": SuiteEntry(brevity, rubric="companion")}
    scenarios = tmp_path / "brief.yaml"
    scenarios.write_text(SCENARIOS)
    request = EvaluationRequest(
        prompts=("v3",), suite="brevity", scenarios=(str(scenarios),), repeats=2, quiet=True, judge=False
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
