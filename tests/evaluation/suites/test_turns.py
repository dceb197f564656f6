"""Rounds of tools within a turn: what is sent, what comes of it, and when a turn ends."""

import asyncio
from collections.abc import Mapping, Sequence

import pytest

from evaluation.records import (
    CallFailure,
    Cell,
    Exchange,
    Json,
    Reply,
    Request,
    Scenario,
    ScriptedResult,
    ToolCall,
    Turn,
    Usage,
)
from evaluation.suites.turns import MOST_ROUNDS, NO_RESULT, CellPlan, play_turns, scored_words

OFFERED: Mapping[str, Json] = {"tools": [{"type": "function", "function": {"name": "weather"}}]}
ALWAYS = {"weather": (ScriptedResult("Rain.", {}),)}


def reply(text: str, *calls: ToolCall, at: float = 0.0, finish: str = "stop") -> Reply:
    return Reply(text, finish, "m", {}, Usage(10, 5, 2), at, at + 1.5, 1, 0.25, tool_calls=calls)


def asks(number: int, name: str = "weather") -> ToolCall:
    return ToolCall(f"c{number}", name, "{}")


def play(
    outcomes: Sequence[Reply | CallFailure],
    *turns: str,
    tools: Mapping[str, tuple[ScriptedResult, ...]] = ALWAYS,
    parameters: Mapping[str, Json] = OFFERED,
) -> tuple[list[Exchange], list[Request]]:
    requests: list[Request] = []

    async def complete(request: Request) -> Reply | CallFailure:
        requests.append(request)
        return outcomes[len(requests) - 1]

    async def work() -> list[Exchange]:
        scenario = Scenario("s", "a", turns or ("Hi",), tools=tools)
        part = CellPlan(Cell("s", 1), scenario, None, {}, "m", parameters, 0)
        return [exchange async for exchange in play_turns(part, complete)]

    return asyncio.run(work()), requests


def test_results_are_given_back_until_the_model_answers_in_words() -> None:
    calls = (asks(1), asks(2))
    [exchange], requests = play([reply("Let me see.", *calls), reply("It rains.", at=100.0)])
    assert requests[1].messages == (
        Turn("user", "Hi"),
        Turn("assistant", "Let me see.", calls),
        Turn("tool", "Rain.", tool_call_id="c1"),
        Turn("tool", "Rain.", tool_call_id="c2"),
    )
    assert exchange.response == "It rains."
    assert exchange.tool_calls == tuple(ToolCall(each.id, "weather", "{}", "Rain.") for each in calls)


def test_the_answer_to_a_turn_took_what_all_its_rounds_took() -> None:
    [exchange], _ = play([reply("", asks(1)), reply("It rains.", at=5000.0)])
    outcome = exchange.outcome
    assert isinstance(outcome, Reply)
    assert outcome.usage == Usage(20, 10, 4)
    assert outcome.cost_usd == 0.5
    assert outcome.latency_ms == pytest.approx(3000), "the hours between two rounds are not those of the model"
    assert outcome.ended_at == 5001.5


def test_a_call_without_a_result_ends_the_turn_and_the_next_one_leaves_none_open() -> None:
    calls = (asks(1), asks(2, "clock"))
    first, second = (found := play([reply("", *calls), reply("Noon.")], "Hi", "Well?"))[0]
    assert isinstance(first.outcome, Reply)
    assert (first.outcome.finish_reason, first.response) == ("tool_calls", "")
    assert [call.result for call in first.tool_calls] == ["Rain.", None]
    assert found[1][1].messages == (
        Turn("user", "Hi"),
        Turn("assistant", "", calls),
        Turn("tool", "Rain.", tool_call_id="c1"),
        Turn("tool", NO_RESULT, tool_call_id="c2"),
        Turn("user", "Well?"),
    )
    assert second.context == (Turn("user", "Hi"), Turn("assistant", "", first.tool_calls))


def test_rounds_end_at_the_bound() -> None:
    [exchange], requests = play([reply("", asks(number)) for number in range(20)])
    assert isinstance(exchange.outcome, Reply)
    assert len(requests) == MOST_ROUNDS + 1
    assert exchange.outcome.finish_reason == "tool_rounds"
    assert [call.result for call in exchange.tool_calls] == ["Rain."] * MOST_ROUNDS + [None]
    assert len({request.messages for request in requests}) == len(requests), "each round is known by its messages"


def test_a_call_that_was_cut_off_is_not_answered() -> None:
    [exchange], requests = play([reply("", asks(1), finish="length")])
    assert isinstance(exchange.outcome, Reply)
    assert (len(requests), exchange.outcome.finish_reason) == (1, "length")


def test_a_failure_in_a_later_round_is_that_of_the_turn() -> None:
    failure = CallFailure("timeout", "late", 3, 0.0, 1.0)
    [exchange], _ = play([reply("", asks(1)), failure], "Hi", "Well?")
    assert exchange.outcome == failure


def test_calls_of_an_application_are_its_own_affair() -> None:
    exchanges, requests = play([reply("One.", asks(1)), reply("Two.")], "Hi", "Well?", parameters={})
    assert requests[1].messages == (Turn("user", "Hi"), Turn("assistant", "One."), Turn("user", "Well?"))
    assert exchanges[0].outcome == reply("One.", asks(1))
    assert exchanges[1].context[1].tool_calls == (asks(1),)


def test_a_conversation_without_tools_is_sent_as_it_was() -> None:
    exchanges, requests = play([reply("One."), reply("Two.")], "Hi", "Well?", tools={})
    assert requests[1].messages == (Turn("user", "Hi"), Turn("assistant", "One."), Turn("user", "Well?"))
    assert exchanges[1].context == requests[1].messages[:2]
    assert exchanges[0].outcome == reply("One.")


@pytest.mark.parametrize(
    ("text", "path", "words"),
    [
        ('{"reply": "Hi"}', "", None),
        ('{"reply": "Hi"}', "reply", "Hi"),
        ('{"a": [{"b": "Hi"}]}', "a.0.b", "Hi"),
        ('{"reply": {"a": 1}}', "reply", '{"a":1}'),
        ('{"said": "Hi"}', "reply", ""),
        ("Hi", "reply", ""),
        ("", "reply", None),
    ],
)
def test_what_is_scored_of_a_reply(text: str, path: str, words: str | None) -> None:
    assert scored_words(reply(text), path) == words


def test_a_refusal_is_scored_in_its_own_words() -> None:
    assert scored_words(reply("I cannot say.", finish="refusal"), "reply") is None
    assert scored_words(CallFailure("timeout", "late", 3, 0.0, 1.0), "reply") is None
