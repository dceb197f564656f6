"""The application over real HTTP on loopback: one POST per call, whatever comes of it is an answer."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from evaluation.chat_flow.flow_run import HttpAnswer
from evaluation.chat_flow.mapping import FieldMapping
from evaluation.errors import UsageError
from evaluation.identity import observation_id, trace_id
from evaluation.records import Cell, Reply, Request, Turn
from services.application import MAX_BYTES, ApplicationAccess, open_application
from services.endpoint_url import parse_endpoint_url
from tests.services.scripted_endpoint import Answer, Call, scripted_endpoint

PATH = "/api/chat/turn"
SECRET = "s3cret-token-value"


def ask(url: str, times: int = 1, *, timeout_s: float = 5.0) -> list[Reply]:
    """The replies to so many calls, one after the other."""
    access = ApplicationAccess(
        where=parse_endpoint_url(url, "CHAT_FLOW_URL"),
        identity="the-app",
        headers={"Authorization": f"Bearer {SECRET}"},
        timeout_s=timeout_s,
        mapping=FieldMapping(),
        concurrency=4,
        secrets=(SECRET,),
    )

    async def calls() -> list[Reply]:
        async with open_application(access) as application:
            found = [await application.of_run("run-1").complete(request()) for _ in range(times)]
            return [reply for reply in found if isinstance(reply, Reply)]

    return asyncio.run(calls())


def request() -> Request:
    body = {"messages": [{"role": "user", "content": "Grüß Gott \u2028"}], "fridge_input": None}
    said = (Turn("user", "Grüß Gott"),)
    return Request("application", "", said, {"path": PATH, "body": body}, Cell("case-1", 2), 1)


def answers_to(answers: Sequence[Answer], **how: Any) -> tuple[list[HttpAnswer], list[Call]]:
    """Each answer as the application's, and the calls: one for each, or there would be fewer answers than calls."""
    left = iter(answers)
    with scripted_endpoint(lambda call: Answer(404) if call.method == "GET" else next(left)) as server:
        found = ask(server.url.removesuffix("/v1"), len(answers), **how)
        calls = [call for call in server.calls if call.method == "POST"]
    assert len(calls) == len(answers)
    return [HttpAnswer.from_text(reply.text) for reply in found], calls


def test_a_good_answer_and_what_was_sent() -> None:
    good = Answer(body={"next_action": "ask", "reply": "Hm?"}, headers={"X-Trace-Id": "abc"})
    (answer,), (call,) = answers_to([good])
    assert answer == HttpAnswer(200, {"next_action": "ask", "reply": "Hm?"}, trace_id="abc")
    assert call.body["messages"][0]["content"] == "Grüß Gott \u2028"
    assert call.headers["authorization"] == f"Bearer {SECRET}"
    trace = trace_id("run-1", "case-1", 2)
    assert call.headers["traceparent"] == f"00-{trace}-{observation_id(trace, 'root')}-01"


def test_the_applications_own_trace() -> None:
    traced: list[tuple[dict[str, str], Any, str]] = [
        ({"traceparent": f"00-{'a' * 32}-{'b' * 16}-01"}, {}, "a" * 32),
        ({}, {"trace_id": "from-body"}, "from-body"),
        ({"x-trace-id": "from-header"}, {"trace_id": "from-body"}, "from-header"),
        ({}, {"trace_id": 7}, ""),
    ]
    found, _ = answers_to([Answer(body=body, headers=headers) for headers, body, _ in traced])
    assert [each.trace_id for each in found] == [expected for _, _, expected in traced]


DEEP = b'{"a":' * 100_000
TROUBLES = {
    "error": (Answer(500, body={"error": "down"}), 500, "http_status", "HTTP 500"),
    "redirect": (Answer(302, headers={"location": "/elsewhere"}), 302, "http_status", "HTTP 302"),
    "throttled": (Answer(429), 429, "http_status", "HTTP 429"),
    "no JSON": (Answer(body=b"<html>"), 200, "invalid_json", "no JSON: <html>"),
    "half of it": (Answer(body=b'{"next_action": "opt'), 200, "invalid_json", "no JSON"),
    "too deep": (Answer(body=DEEP), 200, "invalid_json", "no JSON"),
    "nothing": (Answer(body=b""), 200, "no_body", "empty body"),
    "too much": (Answer(body=b'"' + b"x" * MAX_BYTES + b'"'), 200, "schema", "larger than"),
    "reset": (Answer(reset=True), None, "connection", ""),
    "cut off": (Answer(body=b'{"a": 1}', keep=3), None, "connection", ""),
    "no HTTP": (Answer(raw=b"\x00\x01\x02\r\n\r\n"), None, "connection", ""),
    "repeats the key": (Answer(500, body={"key": SECRET}), 500, "http_status", "***"),
}


def test_trouble_is_an_answer_and_is_not_asked_again() -> None:
    found, _ = answers_to([answer for answer, *_ in TROUBLES.values()])
    for answer, (_, status, kind, message) in zip(found, TROUBLES.values(), strict=True):
        assert (answer.status, answer.fault) == (status, kind)
        assert message in answer.message and "\n" not in answer.message and SECRET not in answer.message


def test_the_time_limit_is_of_the_whole_call() -> None:
    found, _ = answers_to([Answer(hang=True), Answer(body={"a": "b" * 50}, drip_s=0.05)], timeout_s=0.3)
    assert [(each.fault, each.message) for each in found] == [("timeout", "no whole answer within 0.3 s")] * 2


def test_nobody_there_is_found_out_before_anything_is_asked() -> None:
    with pytest.raises(UsageError, match=r"the-app cannot be reached .*CHAT_FLOW_URL") as caught:
        ask("http://user:hidden@127.0.0.1:9")
    assert "hidden" not in str(caught.value)
