"""The application over real HTTP on loopback: one POST per call, whatever comes of it is an answer."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from evaluation.chat_flow.http_answer import HttpAnswer
from evaluation.chat_flow.mapping import FieldMapping
from evaluation.errors import UsageError
from evaluation.identity import observation_id, trace_id
from evaluation.records import Cell, Reply, Request, Turn
from services.application.client import MAX_BYTES, ApplicationAccess, open_application
from services.endpoint_url import parse_endpoint_url
from tests.services.scripted_endpoint import Answer, Call, Script, scripted_endpoint

PATH = "/api/chat/turn"
SECRET = "s3cret-token-value"


def asked(url: str, *, timeout_s: float = 5.0, mapping: FieldMapping | None = None) -> Reply:
    """The reply to one call."""
    access = ApplicationAccess(
        where=parse_endpoint_url(url, "CHAT_FLOW_URL"),
        identity="the-app",
        headers={"Authorization": f"Bearer {SECRET}"},
        timeout_s=timeout_s,
        mapping=mapping or FieldMapping(),
        concurrency=4,
        secrets=(SECRET,),
    )

    async def ask() -> Reply:
        async with open_application(access) as application:
            return await application.of_run("run-1").complete(request())

    return asyncio.run(ask())


def request() -> Request:
    body = {"messages": [{"role": "user", "content": "Grüß Gott \u2028"}], "fridge_input": None}
    said = (Turn("user", "Grüß Gott"),)
    return Request("application", "", said, {"path": PATH, "body": body}, Cell("case-1", 2), 1)


def answered(script: Script, **how: Any) -> tuple[HttpAnswer, list[Call]]:
    def posts(call: Call) -> Answer:
        if call.method == "GET":
            return Answer(404)
        return script(call) if callable(script) else script[0]

    with scripted_endpoint(posts) as server:
        reply = asked(server.url.removesuffix("/v1"), **how)
        calls = [call for call in server.calls if call.method == "POST"]
    return HttpAnswer.from_text(reply.text), calls


def test_a_good_answer_and_what_was_sent() -> None:
    answer, (call,) = answered([Answer(body={"next_action": "ask", "reply": "Hm?"}, headers={"X-Trace-Id": "abc"})])
    assert answer == HttpAnswer(200, {"next_action": "ask", "reply": "Hm?"}, trace_id="abc")
    assert call.body["messages"][0]["content"] == "Grüß Gott \u2028"
    assert call.headers["authorization"] == f"Bearer {SECRET}"
    trace = trace_id("run-1", "case-1", 2)
    assert call.headers["traceparent"] == f"00-{trace}-{observation_id(trace, 'root')}-01"


@pytest.mark.parametrize(
    "headers, body, expected",
    [
        ({"traceparent": f"00-{'a' * 32}-{'b' * 16}-01"}, {}, "a" * 32),
        ({}, {"trace_id": "from-body"}, "from-body"),
        ({"x-trace-id": "from-header"}, {"trace_id": "from-body"}, "from-header"),
        ({}, {"trace_id": 7}, ""),
    ],
)
def test_the_applications_own_trace(headers: Mapping[str, str], body: Any, expected: str) -> None:
    assert answered([Answer(body=body, headers=headers)])[0].trace_id == expected


DEEP = b'{"a":' * 100_000
TROUBLES = {
    "error": (Answer(500, body={"error": "down"}), 500, "http_status", "HTTP 500"),
    "redirect": (Answer(302, headers={"location": "/elsewhere"}), 302, "http_status", "HTTP 302"),
    "throttled": (Answer(429), 429, "http_status", "HTTP 429"),
    "no JSON": (Answer(body=b"<html>"), 200, "invalid_json", "no JSON: <html>"),
    "half of it": (Answer(body=b'{"next_action": "opt'), 200, "invalid_json", "no JSON"),
    "too deep": (Answer(body=DEEP), 200, "invalid_json", "no JSON"),
    "nothing": (Answer(body=b""), 200, "empty", "empty body"),
    "too much": (Answer(body=b'"' + b"x" * MAX_BYTES + b'"'), 200, "schema", "larger than"),
    "reset": (Answer(reset=True), None, "connection", ""),
    "cut off": (Answer(body=b'{"a": 1}', keep=3), None, "connection", ""),
    "no HTTP": (Answer(raw=b"\x00\x01\x02\r\n\r\n"), None, "connection", ""),
    "repeats the key": (Answer(500, body={"key": SECRET}), 500, "http_status", "***"),
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_trouble_is_an_answer_and_is_not_asked_again(trouble: str) -> None:
    script, status, kind, told = TROUBLES[trouble]
    answer, calls = answered([script])
    assert (answer.status, answer.fault) == (status, kind)
    assert told in answer.message and "\n" not in answer.message and SECRET not in answer.message
    assert len(calls) == 1


@pytest.mark.parametrize("slow", [Answer(hang=True), Answer(body={"a": "b" * 50}, drip_s=0.05)], ids=["hangs", "drips"])
def test_the_time_limit_is_of_the_whole_call(slow: Answer) -> None:
    answer, calls = answered([slow], timeout_s=0.3)
    assert (answer.fault, answer.message) == ("timeout", "no whole answer within 0.3 s")
    assert len(calls) == 1


def test_nobody_there_is_told_before_anything_is_asked() -> None:
    with pytest.raises(UsageError, match=r"the-app cannot be reached .*CHAT_FLOW_URL") as caught:
        asked("http://user:hidden@127.0.0.1:9")
    assert "hidden" not in str(caught.value)
