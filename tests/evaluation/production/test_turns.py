"""Turns put together from the generations of a trace and a session."""

from typing import Any

import pytest

from evaluation.production.messages import NoChat
from evaluation.production.observation import read_observation, why_left_out
from evaluation.production.turns import LONGEST, Texts, read_turn, refuse_inner, stands_alone
from evaluation.records import Turn
from tests.evaluation.production.rows import observation, row


def texts(number: int, asked: Any, answered: Any, **fields: Any) -> Texts:
    return Texts(observation(number, **fields), asked, answered)


def test_the_history_in_the_input_is_the_context_without_system_and_tools() -> None:
    asked = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": None, "tool_calls": [{}]},
        {"role": "tool", "content": "42"},
        {"role": "assistant", "content": "Hello!"},
        {"role": "user", "content": "How are you?"},
        {"role": "assistant", "content": None, "tool_calls": [{}]},
        {"role": "tool", "content": "sunny"},
    ]
    earlier = texts(1, "something else", "entirely", sessionId="s")
    found = read_turn(texts(2, asked, "Fine.", sessionId="s"), [earlier])
    assert found.context == (Turn("user", "Hi"), Turn("assistant", "Hello!"))
    assert (found.user_input, found.response) == ("How are you?", "Fine.")
    exchange = found.to_exchange()
    assert (exchange.turn, exchange.response, exchange.context) == (2, "Fine.", found.context)


def test_a_message_alone_gets_the_turns_of_its_session_and_trace_that_were_before_it() -> None:
    session = [
        texts(3, "third", "three", sessionId="s"),
        texts(1, "first", "one", sessionId="s"),
        texts(2, {"vector": 1}, "no chat", sessionId="s"),
        texts(5, "later", "five", sessionId="s"),
        texts(2, "router prompt", "route", sessionId="s", promptName="router"),
        texts(3, "stranger", "none", sessionId="other"),
    ]
    found = read_turn(texts(4, "fourth", "four", sessionId="s"), session)
    assert [turn.content for turn in found.context] == ["first", "one", "third", "three"]
    of_trace = [texts(1, "Hi", "Hello!", traceId="t", name="turn 1", promptName=None, promptVersion=None)]
    own = texts(2, "And you?", "Me too.", traceId="t", name="turn 2", promptName=None, promptVersion=None)
    assert [turn.content for turn in read_turn(own, of_trace).context] == ["Hi", "Hello!"]


def test_a_history_inside_an_earlier_generation_is_taken_once() -> None:
    asked = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]
    session = [texts(1, "a", "b", sessionId="s"), texts(2, asked, "d", sessionId="s")]
    found = read_turn(texts(3, "e", "f", sessionId="s"), session)
    assert [turn.content for turn in found.context] == ["a", "b", "c", "d"]


def test_a_generation_inside_another_is_counted_once_at_any_depth() -> None:
    outer = row(1, traceId="t")
    inner = observation(2, traceId="t", parentObservationId=outer["id"])
    with pytest.raises(NoChat, match="part of another generation"):
        refuse_inner(inner, [outer, row(2, traceId="t")])
    refuse_inner(observation(1, traceId="t"), [outer])
    span = row(3, type="SPAN", parentObservationId=outer["id"])
    chain = row(4, type="CHAIN", parentObservationId=span["id"])
    deep = observation(5, traceId="t", parentObservationId=chain["id"])
    with pytest.raises(NoChat, match="part of another generation"):
        refuse_inner(deep, [chain, span, outer])
    refuse_inner(deep, [chain, span])


def test_spans_that_name_one_another_as_parent_end_the_way_up() -> None:
    first, second = row(1, type="SPAN", parentObservationId=f"{2:016x}"), row(2, type="SPAN")
    second["parentObservationId"] = first["id"]
    refuse_inner(observation(3, parentObservationId=first["id"]), [first, second])


def test_what_is_no_turn_says_why() -> None:
    for asked, answered, reason in (
        ([{"role": "system", "content": "x"}], "y", "no message of a user"),
        ("x" * (LONGEST + 1), "y", "longer than 200,000"),
        ("x", "y" * (LONGEST + 1), "longer than 200,000"),
        ("x", None, "no output"),
    ):
        with pytest.raises(NoChat, match=reason):
            read_turn(texts(1, asked, answered))
    assert stands_alone("Hi")
    assert not stands_alone([["human", "a"], ["ai", "b"], ["human", "c"]])


def test_a_long_conversation_keeps_its_end() -> None:
    asked = [{"role": "user" if place % 2 == 0 else "assistant", "content": str(place)} for place in range(301)]
    found = read_turn(texts(1, asked, "y"))
    assert (len(found.context), found.context[-1].content, found.user_input) == (100, "299", "300")
    long = [{"role": "user", "content": "x" * 150_000}, {"role": "assistant", "content": "y" * 150_000}]
    assert len(read_turn(texts(1, [*long, {"role": "user", "content": "z"}], "y")).context) == 1


def test_what_is_read_of_a_row() -> None:
    found = read_observation(row(1, promptName="", promptVersion=None, environment=None, tags=["a", 1], endTime=None))
    assert (found.version, found.week, found.environment, found.tags) == ("no prompt", "2026-W47", "default", ("a",))
    assert found.ended_at == found.started_at
    assert type(found).from_json(found.to_json()) == found
    assert observation(1).version == "penpal v3"
    users = [observation(1, userId="u").cluster, observation(2, userId="u").cluster]
    assert users[0] == users[1]
    sessions = [observation(number, userId=None, sessionId="s").cluster for number in (1, 2)]
    traces = [observation(number, userId=None).cluster for number in (1, 2)]
    assert sessions[0] == sessions[1]
    assert len({*users, *sessions, *traces}) == 4


@pytest.mark.parametrize("broken", [{"id": None}, {"traceId": ""}, {"startTime": "yesterday"}, {"startTime": 7}])
def test_a_row_without_ids_or_time_is_refused(broken: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_observation(row(1, **broken))


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, ""),
        ({"environment": "evaluation"}, "in the environment of evaluations"),
        ({"environment": "sdk-experiment"}, "of Langfuse's own evaluations"),
        ({"environment": "langfuse-llm-as-a-judge"}, "of Langfuse's own evaluations"),
        ({"tags": ["companion", "20261120T140203Z-penpal-companion-v3-4f2a9c"]}, "of an evaluation"),
        ({"traceId": "of-an-experiment"}, "of an evaluation"),
        ({"level": "ERROR"}, "ended in an error"),
    ],
)
def test_what_is_left_out(fields: dict[str, Any], reason: str) -> None:
    assert why_left_out(observation(1, **fields), "evaluation", (), {"of-an-experiment"}) == reason


def test_the_environment_of_evaluations_counts_where_it_is_asked_for_by_name() -> None:
    own = observation(1, environment="shared")
    assert why_left_out(own, "shared", (), set()) != ""
    assert why_left_out(own, "shared", ("shared",), set()) == ""
