"""A run as a baseline file and back: the same comparison, and every damage named."""

import json
import math
from array import array
from dataclasses import replace
from typing import Any

import pytest

from evaluation.comparison.compare import compare
from evaluation.comparison.runs import RunScores
from evaluation.errors import ParseError
from evaluation.nightly.baseline import Approval, Baseline, baseline_text, parse_baseline
from evaluation.statistics.scenario_scores import MISSING, NOT_APPLICABLE, SampleWeight
from evaluation.summary.columns import Key
from evaluation.summary.conversations import ConversationColumns
from evaluation.summary.weights import ScenarioWeights
from tests.evaluation.comparison.examples import SUITE, Answers, answered_run, example_suite

APPROVAL = Approval(
    run_id="run-1",
    approved_at="2026-11-20T02:00:00Z",
    evaluated_at="2026-11-19T02:00:00Z",
    forced="",
    rehearsal=False,
)
VALUES = [0.5 + number / 70 for number in range(24)]


def run(version: int = 1, shift: float = 0.0) -> RunScores:
    answers = Answers([value + shift for value in VALUES], judged=True, failed=frozenset({3}), unparsed=frozenset({5}))
    return answered_run(answers, version=version)


def written(scores: RunScores) -> str:
    return baseline_text(Baseline(APPROVAL, replace(scores, answered_by=("model-a-2026",))))


def test_the_file_is_one_side_of_the_same_comparison() -> None:
    base, candidate = run(), run(2, 0.013)
    read = parse_baseline(written(base), "b.json", SUITE)
    assert (read.approval, read.scores.answered_by) == (APPROVAL, ("model-a-2026",))
    direct = compare(base, candidate, suite=SUITE)
    stored = compare(read.scores, candidate, suite=SUITE)
    assert stored.metrics == direct.metrics
    assert stored.base.summary.counts == direct.base.summary.counts
    assert stored.base.summary.metrics["combined"] == direct.base.summary.metrics["combined"]
    assert stored.base.spec == direct.base.spec


def test_the_weights_of_a_sample_survive() -> None:
    base = run()
    sample = {each.id: SampleWeight(1.0 + at, f"w{at % 2}") for at, each in enumerate(base.scenarios)}
    weighted = replace(base, summary=replace(base.summary, weights=ScenarioWeights("production", sample)))
    read = parse_baseline(written(weighted), "b.json", SUITE)
    assert read.scores.summary.weights == weighted.summary.weights
    candidate = replace(run(2, 0.013), summary=replace(run(2, 0.013).summary, weights=weighted.summary.weights))
    direct = compare(weighted, candidate, suite=SUITE)
    assert compare(read.scores, candidate, suite=SUITE).metrics == direct.metrics
    assert "weight" not in written(base)


def test_equal_scores_stay_ties() -> None:
    read = parse_baseline(written(run()), "b.json", SUITE)
    again = compare(read.scores, run(2), suite=SUITE).primary
    assert again is not None
    assert (again.estimate.ties, again.estimate.difference) == (again.estimate.scenarios, 0.0)


def test_marks_survive() -> None:
    base = run()
    key: Key = ("heuristic", "warmth")
    column = [NOT_APPLICABLE, MISSING, *base.columns[key][2:]]
    read = parse_baseline(written(replace(base, columns={**base.columns, key: column})), "b.json", SUITE)
    found = read.scores.columns[key]
    assert read.scores.summary.judge_fallback == "exclude"
    included = replace(base, summary=replace(base.summary, judge_fallback="include"))
    assert parse_baseline(written(included), "b.json", SUITE).scores.summary.judge_fallback == "include"
    assert math.isinf(found[0]) and math.isnan(found[1]) and found[4] == pytest.approx(column[4])


def with_conversations(scores: RunScores, value: float) -> RunScores:
    """The run with two metrics of its first dozen scenarios: the first has no value there, the second means nothing."""
    columns = ConversationColumns.of(scores.scenarios[:12], 1, ("memory", "ending"))
    for column in columns.columns.values():
        column[:] = array("d", [MISSING, NOT_APPLICABLE, *[value] * 10])
    return replace(scores, conversations=columns)


def test_the_scores_of_conversations_are_compared_as_those_of_the_run() -> None:
    base, candidate = with_conversations(run(), 0.5), with_conversations(run(2), 0.75)
    read = parse_baseline(written(base), "b.json", SUITE)
    stored = compare(read.scores, candidate, suite=SUITE).conversations
    assert stored == compare(base, candidate, suite=SUITE).conversations
    assert [(row.metric, row.estimate.difference, row.estimate.scenarios) for row in stored] == [
        ("memory", 0.25, 10),
        ("ending", 0.25, 10),
    ]
    assert '      "memory": [null, "n/a", 0.5, ' in written(base)


def test_a_baseline_without_scores_of_conversations_is_compared_by_none() -> None:
    read = parse_baseline(written(run()), "b.json", SUITE)
    assert read.scores.conversations is None
    assert compare(read.scores, with_conversations(run(2), 0.5), suite=SUITE).conversations == ()


@pytest.mark.parametrize(
    ("scenarios", "values", "named"),
    [
        (["s000", "s000"], [0.5, 0.5], "the conversation 's000' is of no scenario, or stands twice"),
        (["other"], [0.5], "the conversation 'other' is of no scenario"),
        (["s000"], [0.5, 0.5], "conversations memory: 2 values for 1"),
        (["s000"], [7.0], "conversations memory: a value is outside 0 to 1"),
    ],
)
def test_damage_of_conversations_is_named(scenarios: list[str], values: list[float], named: str) -> None:
    text = json.dumps(change("conversations", {"scenarios": scenarios, "columns": {"memory": values}}))
    with pytest.raises(ParseError, match=named):
        parse_baseline(text, "b.json", SUITE)


def test_the_file_holds_one_line_per_scenario_and_column() -> None:
    text = written(run())
    assert '    {"id": "s000", "category": "talk", "situation": "s000", "turns": 1},\n' in text
    assert '      "warmth": [0.5, ' in text
    assert "turn 0" not in text, "no texts"


def change(name: str, value: object) -> dict[str, Any]:
    return {**json.loads(written(run())), name: value}


def without_scorer() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(written(run()))
    del document["spec"]["scorer"], document["digests"]["scorer"]
    return document


@pytest.mark.parametrize(
    ("document", "named"),
    [
        (without_scorer(), "by which code it was scored: make it again with make approve-baseline RUN=run-1"),
        ("nonsense", "is no baseline"),
        ("[]", "Input should be"),
        (change("schema_version", 2), "schema_version"),
        (change("overall", "other"), "of suite"),
        (change("source", "human"), "there are no human overall values"),
        (change("columns", {"combined": {"overall": [0.5]}}), "1 values for 24 exchanges"),
        (change("columns", {"combined": {"overall": [7.0] * 24}}), "outside 0 to 1"),
        (change("columns", {"rumour": {}}), "columns.rumour"),
        (change("columns", {"combined": {"overall": ["x"] * 24}}), "columns.combined.overall.0"),
        (change("spec", {}), "is no baseline (KeyError)"),
        (change("digests", {}), "the digest is not that of the content"),
        (change("scenarios", [{"id": "a", "category": "", "situation": "", "turns": 1}] * 2), "stands twice"),
    ],
)
def test_damage_is_one_line_that_names_the_file(document: object, named: str) -> None:
    text = document if isinstance(document, str) else json.dumps(document)
    with pytest.raises(ParseError) as caught:
        parse_baseline(text, "b.json", SUITE)
    assert str(caught.value).startswith("b.json: ")
    assert named in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_edited_specification_is_found_out() -> None:
    document = json.loads(written(run()))
    document["spec"]["judge"]["model"] = "another"
    with pytest.raises(ParseError, match="judge: the digest is not that of the content"):
        parse_baseline(json.dumps(document), "b.json", SUITE)


def test_another_suite_is_refused() -> None:
    with pytest.raises(ParseError, match="of suite"):
        parse_baseline(written(run()), "b.json", replace(example_suite(), name="other"))
