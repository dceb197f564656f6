"""Scripted results of tools: what a scenario says of them, and which call each answers."""

import datetime

import pytest

from evaluation.errors import ParseError
from evaluation.records import Json, Scenario, ScriptedResult, ToolCall
from evaluation.run import scenarios_from_text, scenarios_to_text
from evaluation.scenarios.parser import parse_scenarios
from evaluation.scenarios.selection import scenarios_digest
from evaluation.scenarios.tool_results import ToolFault, ToolScript, read_tools

GIVEN: Json = {
    "weather": "21 degrees",
    "find_order": [
        {"arguments": {"id": "A-17"}, "result": {"status": "shipped", "days": 2}},
        {"result": "try again"},
        {"result": ["lost"]},
    ],
}


def call(name: str, arguments: str = "{}") -> ToolCall:
    return ToolCall("c1", name, arguments)


def test_a_text_answers_every_call_arguments_every_call_that_holds_them_and_the_others_one_each() -> None:
    script = ToolScript(read_tools(GIVEN))
    shipped = '{"days":2,"status":"shipped"}'
    asked = [
        (call("weather", '{"city": "Bern"}'), "21 degrees"),
        (call("weather"), "21 degrees"),
        (call("find_order", '{"id": "B-1"}'), "try again"),
        (call("find_order", '{"id": "A-17", "all": true}'), shipped),
        (call("find_order", "not JSON"), '["lost"]'),
        (call("find_order", '{"id": "A-17"}'), shipped),
        (call("find_order", '{"id": "B-1"}'), None),
        (call("clock"), None),
    ]
    assert [script.answer(each) for each, _ in asked] == [result for _, result in asked]


@pytest.mark.parametrize(("given", "holds"), [("1", True), ("1.0", True), ("true", False), ('"1"', False)])
def test_arguments_are_compared_as_json(given: str, holds: bool) -> None:
    script = ToolScript(read_tools({"f": [{"arguments": {"n": 1}, "result": "yes"}]}))
    assert (script.answer(call("f", f'{{"n": {given}}}')) == "yes") is holds


@pytest.mark.parametrize(
    ("given", "path", "problem"),
    [
        (["weather"], (), "tools is no mapping"),
        ({"weather": 21}, ("weather",), "the results of 'weather' are neither a text nor a list"),
        ({"weather": []}, ("weather",), "neither a text nor a list"),
        ({"weather": [{"arguments": {}}]}, ("weather", 0), "result 1 of 'weather' is no mapping of result"),
        ({"weather": [{"result": "a", "reply": "b"}]}, ("weather", 0), "is no mapping of result"),
        ({"weather": [{"result": "a", "arguments": "b"}]}, ("weather", 0, "arguments"), "no mapping: give name"),
        ({"weather": [{"result": datetime.date(2026, 1, 1)}]}, ("weather", 0), "put it in quotes"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(given: Json, path: tuple[object, ...], problem: str) -> None:
    with pytest.raises(ToolFault, match=problem) as caught:
        read_tools(given)
    assert caught.value.path == path


def test_a_scenario_file_holds_them_and_a_mistake_has_its_line() -> None:
    text = "category: a\nscenarios:\n  - id: one\n    turns: [Hi]\n    tools:\n      weather: {}\n"
    (found,) = parse_scenarios(text.format("Rain."), "f.yaml", ("a",))
    assert found.tools == {"weather": (ScriptedResult("Rain.", {}),)}
    with pytest.raises(ParseError, match=r"f\.yaml:6: scenario 'one': tools: the results of 'weather'"):
        parse_scenarios(text.format("7"), "f.yaml", ("a",))


def test_they_are_part_of_the_digest_and_come_back_with_a_stored_scenario() -> None:
    plain = Scenario("one", "a", ("Hi",))
    scripted = Scenario("one", "a", ("Hi",), tools=read_tools(GIVEN))
    other = Scenario("one", "a", ("Hi",), tools=read_tools({"weather": "22 degrees"}))
    assert len({scenarios_digest([each]) for each in (plain, scripted, other)}) == 3
    assert scenarios_from_text(scenarios_to_text([plain, scripted])) == (plain, scripted)


def test_scenarios_without_them_are_stored_and_pinned_as_they_were() -> None:
    plain = Scenario("one", "a", ("Hi",))
    assert "tools" not in scenarios_to_text([plain])
    # SHA-256 of [["one","a",["Hi"],"one","","",[],{}]].
    assert scenarios_digest([plain]) == "af2aadabb3c89868b1504b698b23b3fd571476058a87c3f4017c700b85917199"
