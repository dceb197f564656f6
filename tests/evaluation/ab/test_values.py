"""Scores looked up by what they are of."""

from typing import Any

import pytest

from evaluation.ab.values import NO_NUMBER, NOT_OF_A_RESPONSE, ScoreValues, Value


def values_of(*rows: dict[str, Any]) -> ScoreValues:
    found = ScoreValues()
    for row in rows:
        found.add(row)
    return found


def of(trace: str, observation: str, value: Any) -> dict[str, Any]:
    return {"value": value, "subject": {"kind": "observation", "id": observation, "traceId": trace}}


def of_trace(trace: str, value: Any) -> dict[str, Any]:
    return {"value": value, "subject": {"kind": "trace", "id": trace}}


def test_a_score_belongs_to_its_observation() -> None:
    values = values_of(of("t", "a", 0.5), of("t", "b", 1), of("s", "a", True), of("s", "b", False))
    assert values.of("t", "a") == Value(0.5, True)
    assert values.of("s", "a") == Value(1.0, True) and values.of("s", "b") == Value(0.0, True)
    assert values.of("x", "a") == Value(None, True)
    assert values.taken == 4 and values.unused == 1


def test_several_scores_of_one_response_are_averaged() -> None:
    values = values_of(of("t", "a", 0.2), of("t", "b", 0.9), of("t", "a", 0.6))
    assert values.of("t", "a").value == pytest.approx(0.4)
    assert values.of("t", "b").value == 0.9


def test_a_score_of_a_trace_counts_for_one_of_its_generations() -> None:
    values = values_of(of_trace("t", 0.5), of("t", "own", 0.9))
    assert values.of("t", "last") == Value(0.5, True)
    assert values.of("t", "earlier") == Value(None, False)
    assert values.of("t", "own") == Value(0.9, True)


def test_what_is_no_number_or_of_no_response_is_counted() -> None:
    strange: list[dict[str, Any]] = [
        *(of("t", "a", value) for value in ("good", None, float("nan"), float("inf"), [1])),
        {"value": 1.0, "subject": {"kind": "session", "id": "s"}},
        {"value": 1.0, "subject": {"kind": "experiment", "id": "s"}},
        {"value": 1.0, "subject": {"kind": "observation", "id": "s"}},
        {"value": 1.0, "subject": {"kind": "trace", "id": 7}},
        {"value": 1.0, "subject": None},
        {"value": 1.0},
    ]
    values = values_of(*strange)
    assert values.left_out == {NO_NUMBER: 5, NOT_OF_A_RESPONSE: 6}
    assert values.of("t", "a") == Value(None, True) and values.unused == 0
