"""Faults of the endpoint and of the way to it."""

import time
from collections.abc import Callable, Mapping
from email.utils import formatdate
from typing import Any

from tests.reliability.bench import CONCURRENCY, Bench, Seen, line_with
from tests.reliability.case import IN_FLIGHT_AGAIN, Case
from tests.reliability.gateway import Fault
from tests.scripts.commands import Finished
from tests.services.scripted_endpoint import Answer, refuse

NO_SETTINGS: Mapping[str, str] = {}
TIMEOUT = {"EVAL_CALL_TIMEOUT_SECONDS": "0.4"}
FIFTH = 5
GATEWAY = "endpoint: a third of the generations at every try, a third at the first"


def _partly(fault: Fault, says: str, settings: Mapping[str, str]) -> Callable[[Bench], Seen]:
    """Some calls fail for good, some at their first try: the first are reported and made good on going on."""

    def story(bench: Bench) -> Seen:
        bench.endpoint.fault = fault
        done = bench.evaluate("--no-canaries", **settings)
        line = line_with(says, done)
        bench.finish(done)
        return Seen(done.code, line)

    return story


def _partial(name: str, fault: str, says: str, answer: Fault, settings: Mapping[str, str] = NO_SETTINGS) -> Case:
    return Case(name, fault, GATEWAY, 3, says, _partly(answer, says, settings), quick=name == "server-error")


def _cut(good: Answer, **changes: Any) -> Answer:
    return Answer(good.status, good.body, good.headers, **changes)


def _body(text: str | bytes, content_type: str = "application/json") -> Fault:
    return lambda _good: Answer(200, text, content_type=content_type)


def _truncated(good: Answer) -> Answer:
    return Answer(200, good.body[: len(good.body) // 2], good.headers)


def _choiceless(_good: Answer) -> Answer:
    return Answer(200, {"object": "chat.completion", "model": "rehearsal", "choices": []})


_PARTIAL = (
    _partial("server-error", "HTTP 500", "HTTP 500", lambda _: refuse(500, "overloaded")),
    _partial("reset-before-headers", "connection closed before an answer", "reset", lambda _: Answer(reset=True)),
    _partial("reset-in-mid-body", "connection reset in mid-body", "connection", lambda g: _cut(g, keep=40, reset=True)),
    _partial("cut-in-mid-body", "connection closed in mid-body", "cut off", lambda good: _cut(good, keep=40)),
    _partial("hang-before-headers", "no answer at all", "timed out", lambda _: Answer(hang=True), TIMEOUT),
    _partial("hang-in-mid-body", "silence in mid-body", "timed out", lambda g: _cut(g, keep=40, hang=True), TIMEOUT),
    _partial("slow-drip", "a byte every 50 ms", "timed out", lambda good: _cut(good, drip_s=0.05), TIMEOUT),
    _partial("invalid-json", "a body that is no JSON", "malformed", _body('{"choices": [}')),
    _partial("truncated-json", "JSON cut in the middle", "malformed", _truncated),
    _partial("wrong-content-type", "a web page in place of an answer", "malformed", _body("<html>", "text/html")),
    _partial(
        "error-in-a-200", "status 200 with an error body", "no capacity", _body('{"error": {"message": "no capacity"}}')
    ),
    _partial("ten-megabytes", "a reply of 10 MB", "larger than", _body(b'{"choices": "' + b"x" * 10_000_000 + b'"}')),
    _partial("empty-choices", "an answer without choices", "malformed", _choiceless),
)


STORM_S = 2.0


def _storm(headers: Callable[[], Mapping[str, str]]) -> Callable[[Bench], Seen]:
    """For two seconds every call is throttled; every one is answered in the end."""

    def story(bench: Bench) -> Seen:
        began: list[float] = []

        def throttled(number: int) -> Answer | None:
            if number < FIFTH:
                return None
            began[:] = began or [time.monotonic()]
            return refuse(429, "slow down", headers()) if time.monotonic() < began[0] + STORM_S else None

        bench.endpoint.instead = throttled
        done = bench.evaluate("--no-canaries")
        bench.check_whole()
        return Seen(done.code, line_with("coverage: 100%", done))

    return story


def _in_a_second() -> Mapping[str, str]:
    return {"retry-after": formatdate(time.time() + 1, usegmt=True)}


_STORM = ("endpoint: two seconds, from call 5 on", 0, "coverage: 100%")
_THROTTLED = (
    Case("storm", "429 to every call, without Retry-After", *_STORM, _storm(dict), latency_s=0.02),
    Case(
        *("storm-seconds", "429 to every call, Retry-After in seconds", *_STORM),
        _storm(lambda: {"retry-after": "1"}),
        latency_s=0.02,
    ),
    Case("storm-date", "429 to every call, Retry-After as a date", *_STORM, _storm(_in_a_second), latency_s=0.02),
)


def _from_call(number: int, answer: Answer) -> Callable[[Bench], Seen]:
    """From that call on, everything is refused: no call is made after that, and it goes on when it is mended."""

    def story(bench: Bench) -> Seen:
        bench.endpoint.instead = lambda n: answer if n >= number else None
        done = bench.evaluate("--no-canaries", OPENAI_API_KEY="sk-of-the-case")
        assert bench.endpoint.calls <= number + 8, "calls went on after the refusal"
        line = line_with("error: ", done)
        assert "sk-of-the-case" not in done.out + done.err
        bench.finish(done, OPENAI_API_KEY="sk-of-the-case")
        return Seen(done.code, line)

    return story


_REFUSED = (
    Case(
        *("key-revoked", "401 in mid-run: the key was revoked", "endpoint: from call 12 on", 2, "set OPENAI_API_KEY"),
        _from_call(12, refuse(401, "Incorrect API key provided: sk-of-the-case.", code="invalid_api_key")),
        latency_s=0.02,
        quick=True,
    ),
    Case(
        *(
            "model-gone",
            "404 in mid-run: the model is gone",
            "endpoint: from call 12 on",
            2,
            "to a model that it offers",
        ),
        _from_call(12, refuse(404, "The model `rehearsal` does not exist", code="model_not_found")),
        latency_s=0.02,
    ),
    Case(
        *("no-credit", "429 in mid-run: no credit left", "endpoint: from call 12 on", 2, "top it up"),
        _from_call(12, refuse(429, "You exceeded your current quota", code="insufficient_quota")),
        latency_s=0.02,
    ),
)


def _host_unknown(bench: Bench) -> Seen:
    name = "endpoint.case.invalid"
    url = bench.endpoint.url.replace("127.0.0.1", name)
    done = bench.injected({"no_host": name, "times": 10_000}, OPENAI_BASE_URL=url)
    assert bench.endpoint.calls == 0
    again = bench.injected({"no_host": name, "times": 2}, OPENAI_BASE_URL=url)
    assert again.code == 0, again.err
    bench.check_whole()
    return Seen(done.code, line_with("error: ", done))


def _nobody_there(bench: Bench) -> Seen:
    done = bench.evaluate(OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    again = bench.evaluate()
    assert again.code == 0, again.err
    bench.check_whole()
    return Seen(done.code, line_with("error: ", done))


def _goes_away(bench: Bench) -> Seen:
    """The endpoint disappears in mid-run, and is there again when the run goes on."""
    with bench.started("--no-canaries") as process:
        bench.wait_for_calls(process, 12)
        bench.endpoint.leave()
        out, err = process.communicate(timeout=60)
    done = Finished(process.returncode, out, err)
    line = line_with("first in", done)
    bench.endpoint.listen()
    bench.finish(done, repeated=CONCURRENCY)
    return Seen(done.code, line)


_WAY = (
    Case("host-unknown", "the name of the endpoint is not found", "resolver", 2, "host not found", _host_unknown),
    Case("refused", "connection refused", "nothing listens at the port", 2, "connection refused", _nobody_there),
    Case(
        *("goes-away", "the endpoint goes away in mid-run", "its port is closed at call 12", 3, "connection refused"),
        _goes_away,
        latency_s=0.05,
        lost=IN_FLIGHT_AGAIN,
    ),
)


def _redirected(bench: Bench) -> Seen:
    """A redirect to elsewhere is refused: the key goes nowhere else."""
    elsewhere = bench.endpoint.url.replace("127.0.0.1", "localhost") + "/chat/completions"
    bench.endpoint.instead = lambda _: Answer(307, headers={"location": elsewhere})
    done = bench.evaluate(OPENAI_API_KEY="sk-of-the-case")
    line = line_with("error: ", done)
    bench.endpoint.heal()
    assert bench.evaluate().code == 0
    bench.check_whole()
    return Seen(done.code, line)


ENDPOINT_CASES = (
    *_PARTIAL,
    *_THROTTLED,
    *_REFUSED,
    *_WAY,
    Case("redirected", "a redirect to another host", "endpoint: every call", 2, "OPENAI_BASE_URL", _redirected),
)
