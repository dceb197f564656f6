"""Moderation through the real HTTP client against a scripted server on loopback, and through the journal."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.records import CallFailure, Cell, Reply, Request, Turn, Usage
from services.journal import Journal
from services.journaled_calls import JournaledCalls
from services.model.endpoint import Endpoint
from tests.services.model.test_endpoint import ask, ask_each, refusal, replies, reply, using
from tests.services.scripted_endpoint import Answer, refuse, scripted_endpoint


def request(text: str = "You idiot.") -> Request:
    return Request("moderation", "omni", (Turn("assistant", text),), {}, Cell("s", 1), 1)


def moderated(*results: Any, **body: Any) -> Answer:
    return Answer(body={"id": "modr-1", "model": "omni-2024", "results": list(results), **body})


def result(scores: dict[str, Any], *flagged: str, **fields: Any) -> dict[str, Any]:
    categories = {name: name in flagged for name in scores}
    return {"flagged": bool(flagged), "categories": categories, "category_scores": scores, **fields}


CLEAN = result({"harassment": 0.01, "violence": 0.0})


def test_a_flagged_response_is_a_reply_of_its_categories() -> None:
    answer = moderated(result({"violence": 0.5, "hate": 0.1, "harassment/threatening": 0.75}, "harassment/threatening"))
    outcome, calls = ask([answer], request("half \ud83d"), price_of=lambda _model, _usage: 9.0)
    assert isinstance(outcome, Reply)
    assert outcome.text == '{"harassment/threatening":0.75}'
    assert (outcome.model, outcome.finish_reason, outcome.parameters) == ("omni-2024", "stop", {})
    assert (outcome.usage, outcome.cost_usd, outcome.attempts) == (Usage(), 0.0, 1)
    [call] = calls
    assert (call.method, call.path) == ("POST", "/v1/moderations")
    assert call.body == {"model": "omni", "input": "half \ufffd"}


def test_what_is_flagged_is_kept_with_scores_that_can_be_read() -> None:
    cases: list[tuple[list[Any], dict[str, Any]]] = [
        ([CLEAN], {}),
        ([result({"a": 0.9, "b": 0.8}, "b", "a")], {"a": 0.9, "b": 0.8}),
        ([result({"a": None, "b": "high"}, "a", "b")], {"a": None, "b": None}),
        ([result({"a": float("nan"), "b": 10**400}, "a", "b")], {"a": None, "b": None}),
        ([result({"a": True}, "a")], {"a": None}),
        ([{"categories": {"a": True, "b": None}}], {"a": None}),
        ([result({"a": 0.1}, flagged=True)], {"unnamed": None}),
        ([CLEAN, result({"a": 0.25}, "a"), result({"a": 0.5}, "a"), result({"a": None}, "a")], {"a": 0.5}),
        ([result({"two\nlines\x1b": 1}, "two\nlines\x1b")], {"two lines": 1.0}),
        ([result({"": 1}, "")], {"unnamed": 1.0}),
    ]
    found = replies([moderated(*results) for results, _ in cases], request(), start=moderated(CLEAN))
    assert [json.loads(each.text) for each in found] == [flagged for _, flagged in cases]


def test_an_answer_that_cannot_be_read_is_tried_again_and_fails() -> None:
    unreadable: list[tuple[Any, str]] = [
        ({"results": []}, "no moderation results"),
        ({"choices": []}, "no moderation results"),
        ({"results": ["x"]}, "without categories"),
        ({"results": [{"flagged": True}]}, "without categories"),
        ({"results": [{"categories": {"a": 0.7}}]}, "neither true nor false"),
        ({"error": {"message": "overloaded"}}, "overloaded"),
        ([], "not an object"),
        ("{", "not JSON"),
    ]
    outcomes = ask_each([Answer(body=body) for body, _ in unreadable for _ in range(3)], request(), moderated(CLEAN))
    for (_, message), failed in zip(unreadable, outcomes, strict=True):
        assert isinstance(failed, CallFailure)
        assert (failed.kind, failed.attempts) == ("malformed", 3)
        assert message in failed.message


def test_an_error_of_the_server_is_tried_again() -> None:
    answered = reply([refuse(500), moderated(CLEAN)], request())
    assert (answered.text, answered.attempts) == ("{}", 2)


@pytest.mark.parametrize(
    "answer",
    [refuse(404, "Not Found"), Answer(404, {"detail": "Not Found"}), Answer(405, "", content_type="text/html")],
)
def test_an_endpoint_without_moderation_stops_the_run(answer: Answer) -> None:
    line, calls = refusal([answer], request())
    assert len(calls) == 1
    assert "POST /moderations" in line
    assert "--moderation" in line
    assert "EVAL_MODERATION_MODEL" in line
    assert "OPENAI_BASE_URL" not in line


def test_an_unknown_moderation_model_is_named_with_its_setting() -> None:
    line, _ = refusal([refuse(404, "The model `omni` does not exist", code="model_not_found")], request())
    assert "model 'omni'" in line
    assert "EVAL_MODERATION_MODEL" in line


def test_a_moderation_is_asked_once_for_a_run_and_found_again_by_others(tmp_path: Path) -> None:
    async def at_once(_request: Request) -> None:
        pass

    def calls_of(run_id: str, journal: Journal, endpoint: Endpoint) -> JournaledCalls:
        return JournaledCalls(
            run_id=run_id,
            journal=journal,
            endpoint=endpoint,
            reuse=frozenset({"moderation"}),
            before_call=at_once,
            after_call=lambda _asked, _reply: None,
        )

    async def work(endpoint: Endpoint) -> list[Reply | CallFailure]:
        with Journal.open(tmp_path / "evals.db") as journal:
            first = await calls_of("run-1", journal, endpoint).complete(request())
        with Journal.open(tmp_path / "evals.db") as journal:
            resumed = await calls_of("run-1", journal, endpoint).complete(request())
            elsewhere = await calls_of("run-2", journal, endpoint).complete(request())
            await calls_of("run-1", journal, endpoint).complete(request("Hi."))
        return [first, resumed, elsewhere]

    with scripted_endpoint([moderated(result({"harassment": 0.9}, "harassment"))]) as server:
        first, resumed, elsewhere = using(server.url, work)
    assert first == resumed
    assert isinstance(elsewhere, Reply)
    assert (elsewhere.text, elsewhere.cached) == ('{"harassment":0.9}', True)
    assert [call.body["input"] for call in server.calls] == ["You idiot.", "Hi."]
