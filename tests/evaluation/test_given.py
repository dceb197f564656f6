"""Replies that a run is given."""

import asyncio
import json

import pytest

from evaluation.errors import JournalError
from evaluation.given import GivenReplies, GivenReply, given_from_text
from evaluation.records import CallFailure, Cell, Exchange, Reply, Request, Scenario, Turn
from evaluation.suites.turns import CellPlan

REPLY = GivenReply("Gladly!", 10.0, 12.5, "trace", "observation")
GIVEN = GivenReplies("sample", {"turn-1": REPLY}, "https://host/project/p/traces/")


def test_they_are_read_as_they_were_written() -> None:
    assert given_from_text(GIVEN.to_text(), "here") == GIVEN


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"sample_id": "s", "replies": {"a": {}}, "traces_at": ""}'])
def test_what_is_none_is_named(text: str) -> None:
    with pytest.raises(JournalError, match="given replies of run x"):
        given_from_text(text, "given replies of run x")


def test_a_cell_is_played_by_its_reply_and_nobody_is_asked() -> None:
    history = (Turn("user", "Hi."), Turn("assistant", "Hello."))
    scenario = Scenario("turn-1", "other", ("Will you help me?",), history=history)
    part = CellPlan(Cell("turn-1", 1), scenario, None, {}, "", {}, 1)

    async def nobody(_request: Request) -> Reply | CallFailure:
        raise AssertionError("no call is made")

    async def played() -> list[Exchange]:
        return [exchange async for exchange in GIVEN.play()(part, nobody)]

    (exchange,) = asyncio.run(played())
    assert (exchange.context, exchange.user_input, exchange.response) == (history, "Will you help me?", "Gladly!")
    assert isinstance(exchange.outcome, Reply)
    assert (exchange.outcome.cached, exchange.outcome.cost_usd, exchange.outcome.latency_ms) == (True, 0.0, 2500.0)
    assert json.loads(GIVEN.to_text())["replies"]["turn-1"]["trace_id"] == "trace"
