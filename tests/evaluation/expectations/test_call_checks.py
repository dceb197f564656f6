"""Checks of calls of tools, by themselves and over a conversation."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from evaluation.errors import ParseError
from evaluation.expectations.answering import check_item, responses_of
from evaluation.expectations.check import CallCheck
from evaluation.expectations.checks import prepare_check
from evaluation.expectations.form import read_items
from evaluation.records import Cell, Exchange, Json, Reply, Scenario, ToolCall, Turn, Usage
from evaluation.scenarios.parser import parse_scenarios


def calls(*said: str) -> tuple[ToolCall, ...]:
    """Of "name" or "name {arguments}"."""
    parts = [each.partition(" ") for each in said]
    return tuple(ToolCall(f"c{n}", name, given or "{}", "done") for n, (name, _, given) in enumerate(parts))


BERN = 'weather {"city": "Bern", "days": 2.0}'
ULM = 'weather {"city": "Ulm"}'
CITY: Json = {"type": "object", "required": ["city"], "properties": {"city": {"enum": ["Bern", "Basel"]}}}


@pytest.mark.parametrize(
    ("name", "settings", "made", "holds", "reason"),
    [
        ("called", {"tool": "weather"}, [BERN], True, 'calls weather({"city": "Bern", "days": 2.0})'),
        ("called", {"tool": "weather"}, ["clock"], False, "calls clock"),
        ("called", {"tool": "weather"}, [], False, "calls no tool"),
        ("called", {"tool": "weather", "arguments": {"city": "Bern", "days": 2}}, [ULM, BERN], True, "Bern"),
        ("called", {"tool": "weather", "arguments": {"city": "Bern"}}, [ULM], False, 'do not hold {"city": "Bern"}'),
        ("called", {"tool": "weather", "arguments_schema": CITY}, [BERN], True, "Bern"),
        ("called", {"tool": "weather", "arguments_schema": CITY}, [ULM], False, 'city: "Ulm" is not one of'),
        ("called", {"tool": "weather", "arguments_schema": CITY}, ["weather [1]"], False, "are no JSON object"),
        ("called", {"tool": "weather", "arguments": {"a": 1}}, ["weather not JSON"], False, "are no JSON object"),
        ("called", {"tool": "weather"}, ["weather not JSON"], True, "weather(not JSON)"),
        ("not_called", {"tool": "pay"}, [BERN], True, "calls weather"),
        ("not_called", {"tool": "weather"}, ["clock", BERN], False, "calls weather("),
        ("not_called", {"tool": "weather", "arguments": {"city": "Ulm"}}, [BERN], True, "calls weather"),
        ("called_in_order", {"tools": ["a", "c"]}, ["a", "b", "c"], True, "calls a, b, c"),
        ("called_in_order", {"tools": ["a", "c"]}, ["c", "a"], False, "calls c, a; c is missing in its place"),
        ("called_in_order", {"tools": ["a", "a"]}, ["a"], False, "a is missing"),
        ("called_all", {"tools": ["a", "c"]}, ["c", "b", "a"], True, "calls c, b, a"),
        ("called_all", {"tools": ["a", "a", "c"]}, ["a"], False, "calls a; a, c is missing"),
    ],
)
def test_a_check_looks_at_calls(
    name: str, settings: dict[str, Json], made: Sequence[str], holds: bool, reason: str
) -> None:
    check = prepare_check(name, settings)
    assert isinstance(check, CallCheck)
    found = check.look(calls(*made))
    assert found.holds is holds
    assert reason in found.reason
    assert check.question().endswith("?")


def test_a_reason_shows_a_call_in_one_short_line() -> None:
    check = prepare_check("not_called", {"tool": "a"})
    assert isinstance(check, CallCheck)
    reason = check.look([ToolCall("c", "a", "x\n" * 500)]).reason
    assert "\n" not in reason
    assert len(reason) < 200


def conversation(*turns: Sequence[str]) -> Exchange:
    """The last exchange of a conversation whose responses made these calls."""
    context = [
        turn for made in turns[:-1] for turn in (Turn("user", "Well?"), Turn("assistant", "Look.", calls(*made)))
    ]
    reply = Reply("Here.", "stop", "m", {}, Usage(), 0.0, 1.0, tool_calls=calls(*turns[-1]))
    return Exchange(Cell("s", 1), len(turns), tuple(context), "And?", reply)


@pytest.mark.parametrize(
    ("item", "outcome"),
    [
        ({"check": "called_in_order", "tools": ["a", "b"]}, "holds"),
        ({"check": "called_in_order", "tools": ["a", "b"], "turn": 2}, "fails"),
        ({"check": "not_called", "tool": "a"}, "fails"),
        ({"check": "not_called", "tool": "a", "scope": "response"}, "holds"),
        ({"check": "called", "tool": "b", "turn": 2}, "holds"),
    ],
)
def test_the_calls_of_a_conversation_count_together(item: dict[str, Json], outcome: str) -> None:
    exchange = conversation(["a"], ["b"])
    (found,) = read_items([{"id": "one", **item}], turns=2)
    scenario = Scenario("s", "a", ("Well?", "And?"), expect=(found,))
    answer = check_item(found, exchange, responses_of(exchange, scenario), lambda _: {})
    assert (answer.outcome, answer.source, answer.quote) == (outcome, "rule", "")


def test_a_history_is_not_what_the_run_called() -> None:
    exchange = conversation(["a"], ["b"])
    (found,) = read_items([{"id": "one", "check": "called", "tool": "a"}], turns=1)
    scenario = Scenario("s", "a", ("And?",), history=exchange.context, expect=(found,))
    answer = check_item(found, replace(exchange, turn=1), responses_of(exchange, scenario), lambda _: {})
    assert answer.outcome == "fails"


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ("{id: one, check: called}", "tool"),
        ("{id: one, check: called, tool: a, arguments_schema: {type: objekt}}", "is no JSON schema"),
        ("{id: one, check: called_in_order, tools: []}", "tools"),
    ],
)
def test_settings_that_cannot_be_kept_are_refused(item: str, said: str) -> None:
    text = f"category: a\nscenarios:\n  - id: one\n    turns: [Hi]\n    expect:\n      - {item}\n"
    with pytest.raises(ParseError, match=said):
        parse_scenarios(text, "f.yaml", ("a",))
