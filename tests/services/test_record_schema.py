"""The published schema of evaluation records: what it takes, and what it finds wrong."""

import json
from typing import Any

import jsonschema
import pytest

from services.record_files import SCHEMA, record_problem
from tests.evaluation.review.made_records import RECIPE, minimum, text_minimum


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in minimum().items() if key != name}


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(SCHEMA.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "record",
    [
        minimum(),
        text_minimum(),
        minimum(trace_id=None, trace_system=None),
        minimum(trace_system="arize"),
        minimum(response={"options": None, "selected": None}),
        minimum(response={"options": ["no recipe", None, 3], "selected": {"anything": True}}),
        minimum(response={"options": [], "selected": RECIPE}),
        minimum(scores={}),
        minimum(scores={"clarity": None, "a_metric_of_ours": 3}),
        minimum(our_own_field={"deep": [1]}),
        minimum(timestamp="2026-11-20T14:02:03.123+05:30"),
        minimum(source="human", reviewer="ana"),
        minimum(source="check", scores={"overall": 0.5, "steps": 1}),
        minimum(scale={"low": 0, "high": 10}, scores={"clarity": 9}),
        minimum(request={"messages": [], "fridge_input": {"shelf": ["milk"]}}),
        minimum(mark="exemplary", unclear=["clarity"], checklist={"steps_feasible": None}, rationale={"clarity": "x"}),
        text_minimum(scores={"helpfulness": 1}),
    ],
)
def test_what_fits(record: dict[str, Any]) -> None:
    assert record_problem(record) == ""


@pytest.mark.parametrize(
    ("record", "place"),
    [
        *((without(name), name) for name in minimum()),
        (minimum(eval_id=""), "eval_id"),
        (minimum(eval_id=7), "eval_id"),
        (minimum(timestamp="yesterday"), "timestamp"),
        (minimum(timestamp="2026-11-20T14:02:03"), "timestamp"),
        (minimum(timestamp="2026-02-30T14:02:03Z"), "timestamp: '2026-02-30T14:02:03Z' is no day"),
        (minimum(trace_id=17), "trace_id"),
        (minimum(source="robot"), "source"),
        (minimum(source="human"), "reviewer"),
        (minimum(source="human", reviewer=None), "reviewer"),
        (minimum(request={"fridge_input": None}), "request"),
        (minimum(request={"messages": "hi", "fridge_input": None}), "request.messages"),
        (minimum(request={"messages": [{"role": "user"}], "fridge_input": None}), "request.messages.0"),
        (minimum(request={"messages": []}), "request"),
        (minimum(response={}), "response: needs options and selected, or text"),
        (minimum(response={"options": []}), "response: needs options and selected, or text"),
        (minimum(response={"options": "none", "selected": None}), "response.options"),
        (minimum(scores={"Clarity": 4}), "scores"),
        (minimum(scores={"clarity": "4"}), "scores.clarity"),
        (minimum(scores={"clarity": 6}), "scores.clarity"),
        (minimum(scores={"clarity": 0.8}), "scores.clarity"),
        (minimum(source="check", scores={"steps": 2}), "scores.steps"),
        (text_minimum(scores={"helpfulness": 4}), "scores.helpfulness"),
        (minimum(scale={"low": 0, "high": 1}), "scores.input_understanding: 4 is outside 0 to 1"),
        (minimum(scale={"low": 5, "high": 1}), "scale: low 5 is not below high 1"),
        (minimum(rubric={"name": "chat_flow"}), "rubric"),
        (minimum(notes=None), "notes"),
        (minimum(mark="good"), "mark"),
        (minimum(other_scores={"robot": {}}), "other_scores"),
        (minimum(checklist={"steps_feasible": "yes"}), "checklist.steps_feasible"),
        ([], ""),
        ("text", ""),
    ],
)
def test_what_does_not_fit_is_named_in_one_line(record: Any, place: str) -> None:
    problem = record_problem(record)
    assert problem
    assert place in problem
    assert "\n" not in problem
    assert len(problem) < 400
