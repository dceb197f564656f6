"""Checks of structured outputs: the schema of a reply and one field of it."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from evaluation.expectations.answering import check_item, responses_of
from evaluation.expectations.check import OutputCheck
from evaluation.expectations.checks import prepare_check
from evaluation.expectations.form import ItemFault, read_items
from evaluation.expectations.of_schema import KEEPS, expect_schema
from evaluation.json_schema import equal_json, first_fault, read_json, schema_fault
from evaluation.records import Cell, Exchange, Expectation, Json, Reply, Scenario, ToolCall, Usage

SCHEMA: Json = {
    "type": "object",
    "properties": {"reply": {"type": "string"}, "steps": {"type": "array", "items": {"type": "integer"}}},
    "required": ["reply"],
}
PARAMETERS: Mapping[str, Json] = {
    "response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": SCHEMA}}
}


def reply(text: str, parameters: Mapping[str, Json] = PARAMETERS) -> Reply:
    return Reply(text, "stop", "m", parameters, Usage(), 0.0, 1.0)


def look(name: str, text: str, **settings: Json) -> tuple[bool, str]:
    check = prepare_check(name, settings)
    assert isinstance(check, OutputCheck)
    assert check.question().endswith("?")
    found = check.look(reply(text))
    return found.holds, found.reason


@pytest.mark.parametrize(
    ("text", "holds", "reason"),
    [
        ('{"reply": "Hi", "steps": [1]}', True, "it does"),
        ('{"reply": "Hi", "steps": [1, "two"]}', False, 'steps.1: "two" is not of type "integer"'),
        ("{}", False, 'the whole: "reply" is a required property'),
        ("Hi", False, "the response is not JSON"),
        ('{"reply": "Hi", "steps": [NaN]}', False, "NaN is no value of JSON"),
        ('```json\n{"reply": "Hi"}\n```', False, "the response is not JSON"),
    ],
)
def test_a_reply_is_held_against_the_schema_that_it_was_asked_for(text: str, holds: bool, reason: str) -> None:
    found = look("schema", text)
    assert found[0] is holds
    assert reason in found[1]


def test_an_own_schema_goes_before_it_and_none_at_all_is_a_failure() -> None:
    assert look("schema", "7", json_schema={"type": "integer"}) == (True, "it does")
    check = prepare_check("schema", {})
    assert isinstance(check, OutputCheck)
    assert check.look(reply("{}", {})).reason.startswith("there is no schema")


def test_a_reply_that_calls_a_tool_has_not_answered_yet() -> None:
    check = prepare_check("schema", {})
    assert isinstance(check, OutputCheck)
    called = Reply("", "tool_calls", "m", PARAMETERS, Usage(), 0.0, 1.0, tool_calls=(ToolCall("c", "a", "{}"),))
    assert check.look(called).holds


def test_a_refusal_breaks_no_schema() -> None:
    check = prepare_check("schema", {})
    assert isinstance(check, OutputCheck)
    assert check.look(replace(reply("I cannot say."), finish_reason="refusal")).holds
    assert not check.look(reply("I cannot say.")).holds


VALUE = '{"a": {"b": [{"c": "Ärger"}, true]}, "n": 3, "none": null}'


@pytest.mark.parametrize(
    ("settings", "holds", "reason"),
    [
        ({"path": "a.b.0.c"}, True, 'a.b.0.c is "Ärger"'),
        ({"path": "a.b.2"}, False, "has no field a.b.2"),
        ({"path": "a.b.c"}, False, "has no field"),
        ({"path": "a.x", "absent": True}, True, "has no field a.x"),
        ({"path": "n", "absent": True}, False, "n is 3"),
        ({"path": "n", "equals": 3}, True, "n is 3"),
        ({"path": "n", "equals": 3.0}, True, "n is 3"),
        ({"path": "a.b.1", "equals": 1}, False, "a.b.1 is true"),
        ({"path": "none", "equals": None}, True, "none is null"),
        ({"path": "n", "equals": None}, False, "n is 3"),
        ({"path": "n", "any": [1, 3]}, True, "n is 3"),
        ({"path": "n", "any": [1, "3"]}, False, "n is 3"),
        ({"path": "n", "at_least": 3, "at_most": 3}, True, "n is 3"),
        ({"path": "n", "at_least": 3.5}, False, "n is 3"),
        ({"path": "a.b.1", "at_least": 0}, False, "is true"),
        ({"path": "a.b.0.c", "pattern": "^ärg"}, True, "Ärger"),
        ({"path": "n", "pattern": "3"}, False, "n is 3"),
    ],
)
def test_a_field_has_a_value(settings: dict[str, Json], holds: bool, reason: str) -> None:
    found = look("field", VALUE, **settings)
    assert found[0] is holds
    assert reason in found[1]


def test_a_field_of_what_is_no_json_is_said_as_such() -> None:
    assert look("field", "Hi", path="a")[1].startswith("the response is not JSON")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"path": "a", "pattern": "a*"}, "bounded|repeat|end"),
        ({"path": "a", "at_least": 2, "at_most": 1}, "swap the two"),
        ({"path": "a", "absent": True, "equals": 1}, "leave one out"),
        ({"path": "a", "scope": "conversation"}, "looks at each response by itself"),
        ({}, "path"),
    ],
)
def test_settings_that_cannot_be_kept_are_refused(settings: dict[str, Json], said: str) -> None:
    with pytest.raises(ItemFault, match=said):
        read_items([{"id": "one", "check": "field", **settings}])


def test_they_are_about_each_response_by_itself_and_read_it_as_it_came() -> None:
    (item,) = read_items([{"id": "one", "check": "field", "path": "reply"}], turns=2)
    assert item.scope == "response"
    exchange = Exchange(Cell("s", 1), 1, (), "Hi", reply('{"reply": "Ho"}'), words="Ho")
    scenario = Scenario("s", "a", ("Hi", "Ho"), expect=(item,))
    assert check_item(item, exchange, responses_of(exchange, scenario), lambda _: {}).outcome == "holds"


def test_a_run_with_a_schema_is_held_to_it_unless_the_scenario_says_so_itself() -> None:
    plain, own = Scenario("a", "a", ("Hi",)), Expectation("form", "check", "Is it?", check="schema", scope="response")
    found = expect_schema([plain, Scenario("b", "a", ("Hi",), expect=(own,))], PARAMETERS)
    assert [[(item.id, item.critical, item.origin) for item in scenario.expect] for scenario in found] == [
        [(KEEPS, True, "prompt")],
        [("form", False, "scenario")],
    ]
    assert expect_schema([plain], {"response_format": {"type": "json_object"}}) == (plain,)


def test_a_schema_refers_to_nothing_outside_of_it() -> None:
    inside = {"$ref": "#/$defs/a", "$defs": {"a": {"type": "integer"}}}
    assert schema_fault(inside) == ""
    assert first_fault(inside, "x") != ""
    assert "write that part into the schema" in schema_fault({"$ref": "http://127.0.0.1:9/schema.json"})


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [(1, 1.0, True), (True, 1, False), ([1, {"a": 2}], [1.0, {"a": 2}], True), ([True], [1], False), ({}, [], False)],
)
def test_values_are_equal_as_json(one: Json, other: Json, same: bool) -> None:
    assert equal_json(one, other) is same


def test_a_text_that_is_too_deep_is_no_json() -> None:
    with pytest.raises(ValueError, match="not JSON"):
        read_json("[" * 200_000)
