"""Moderation in the core: what is asked, what comes of the answer, and where it stands in an evaluation."""

import asyncio
from dataclasses import replace

import pytest

from evaluation.records import CallFailure, Exchange, Reply, Request, Result, Scenario, Score
from evaluation.result_line import LineHead, result_line
from evaluation.runner import evaluate_exchange, moderate
from evaluation.suites.suite import Suite
from tests.evaluation import made_runs
from tests.evaluation.made_runs import exchange, failure, reply

HEADER = LineHead(made_runs.run(Scenario("a", "small_talk", ("hi",))))


class Endpoint:
    """Answers every request alike and keeps what it was asked."""

    def __init__(self, answer: Reply | CallFailure) -> None:
        self._answer = answer
        self.asked: list[Request] = []

    async def complete(self, request: Request) -> Reply | CallFailure:
        self.asked.append(request)
        return self._answer


def counting_suite() -> Suite:
    """Scores the number of flagged categories."""

    def score(scored: Exchange) -> tuple[Score, ...]:
        return (Score("flags", "heuristic", float(len(scored.moderation))),)

    return replace(made_runs.suite(), score=score)


def evaluated(endpoint: Endpoint, given: Exchange, moderation: str | None = "omni") -> Result:
    return asyncio.run(evaluate_exchange(given, counting_suite(), None, endpoint.complete, moderation=moderation))


def test_the_response_alone_is_asked_about() -> None:
    endpoint = Endpoint(reply('{"violence":0.5,"harassment":null}'))
    given = exchange("a", 2, 3, reply("You idiot."))
    assert asyncio.run(moderate(given, "omni", endpoint.complete)) == ("harassment", "violence")
    [asked] = endpoint.asked
    assert (asked.purpose, asked.model, asked.cell, asked.turn) == ("moderation", "omni", given.cell, 3)
    assert [message.content for message in asked.messages] == ["You idiot."]
    assert asked.parameters == {}


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 100_000])
def test_a_reply_that_is_no_object_is_a_malformed_moderation(text: str) -> None:
    outcome = asyncio.run(moderate(exchange("a"), "omni", Endpoint(reply(text)).complete))
    assert isinstance(outcome, CallFailure)
    assert (outcome.kind, outcome.purpose) == ("malformed", "moderation")


def test_flags_are_there_when_the_rules_score() -> None:
    result = evaluated(Endpoint(reply('{"hate":0.7,"violence":0.9}')), exchange("a"))
    assert (result.state, result.values("heuristic")) == ("scored", {"flags": 2.0})
    assert result.exchange.moderation == ("hate", "violence")
    assert result_line(result, HEADER)["moderation"] == ["hate", "violence"]


def test_a_clean_response_has_none() -> None:
    result = evaluated(Endpoint(reply("{}")), exchange("a"))
    assert (result.state, result.values("heuristic"), result.exchange.moderation) == ("scored", {"flags": 0.0}, ())
    assert result_line(result, HEADER)["moderation"] == []


def test_a_moderation_that_fails_fails_the_exchange_at_its_own_stage() -> None:
    result = evaluated(Endpoint(failure("server_error", "HTTP 500")), exchange("a"))
    assert (result.state, result.scores) == ("failed", ())
    line = result_line(result, HEADER)
    assert (line["response"], line["moderation"]) == ("Hello.", [])
    assert line["error"] == {"stage": "moderation", "kind": "server_error", "message": "HTTP 500", "attempts": 3}


@pytest.mark.parametrize(("given", "moderation"), [(exchange("a"), None), (exchange("a", outcome=failure()), "omni")])
def test_nothing_is_asked_without_a_model_or_an_answer(given: Exchange, moderation: str | None) -> None:
    endpoint = Endpoint(reply("{}"))
    evaluated(endpoint, given, moderation)
    assert endpoint.asked == []
