"""The real HTTP client against a scripted server on loopback."""

import asyncio
import json
import socket
from collections.abc import Callable, Coroutine, Sequence
from contextlib import ExitStack
from email.utils import formatdate
from functools import partial
from itertools import count
from typing import Any, TypeVar
from unittest.mock import patch

import pytest

from evaluation.errors import EndpointRefused
from evaluation.records import CallFailure, Cell, Purpose, Reply, Request, Turn, Usage
from services.model.endpoint import Endpoint, open_endpoint
from services.model.pricing import Price, Prices
from services.retrying import Backoff, Retries
from tests.services.scripted_endpoint import Answer, Call, Script, refuse, say, scripted_endpoint

T = TypeVar("T")
KEY = "sk-secret-0123456789"
QUICK = Backoff(attempts=3, first_s=0.001, longest_s=0.004, retry_after_cap_s=0.01, deadline_s=20)


def request(text: str = "Hi", model: str = "m", purpose: Purpose = "generation", **parameters: Any) -> Request:
    return Request(
        purpose=purpose,
        model=model,
        messages=(Turn("system", "Be kind."), Turn("user", text)),
        parameters=parameters,
        cell=Cell("s", 1),
        turn=1,
    )


def using(url: str, work: Callable[[Endpoint], Coroutine[Any, Any, T]], **options: Any) -> T:
    """The result of `work` on an endpoint opened at this URL, with short waits."""

    async def main() -> T:
        settings: dict[str, Any] = {"api_key": KEY, "retries": Retries(QUICK), "timeout_s": 5.0, **options}
        async with open_endpoint(base_url=url, **settings) as endpoint:
            return await work(endpoint)

    return asyncio.run(main())


def ask(script: Script, asked: Request | None = None, **options: Any) -> tuple[Reply | CallFailure, list[Call]]:
    """The outcome of one request, and the calls that it took."""
    with scripted_endpoint(script) as server:
        outcome = using(server.url, lambda endpoint: endpoint.complete(asked or request()), **options)
    return outcome, server.calls


def ask_each(
    answers: Sequence[Answer], asked: Request | None = None, start: Answer | None = None, **options: Any
) -> list[Reply | CallFailure]:
    """The outcomes of as many requests, one after the other, as use up the answers; a good answer goes before them."""
    script = [start or say("start"), *answers]

    async def work(endpoint: Endpoint) -> list[Reply | CallFailure]:
        outcomes = []
        while len(server.calls) < len(script):
            outcomes.append(await endpoint.complete(asked or request()))
        return outcomes[1:]

    with scripted_endpoint(script) as server:
        return using(server.url, work, **options)


def replies(answers: Sequence[Answer], asked: Request | None = None, **options: Any) -> list[Reply]:
    """As `ask_each`, where all are replies."""
    return [outcome for outcome in ask_each(answers, asked, **options) if isinstance(outcome, Reply)]


def failure(script: Script, asked: Request | None = None, **options: Any) -> CallFailure:
    outcome, calls = ask(script, asked, **options)
    assert isinstance(outcome, CallFailure)
    assert outcome.attempts == len(calls)
    assert outcome.started_at <= outcome.ended_at
    assert KEY not in outcome.message
    assert outcome.message.isprintable()
    return outcome


def reply(script: Script, asked: Request | None = None, **options: Any) -> Reply:
    outcome, _ = ask(script, asked, **options)
    assert isinstance(outcome, Reply)
    return outcome


def refusal(script: Script, asked: Request | None = None, times: int = 1, **options: Any) -> tuple[str, list[Call]]:
    """The line with which the endpoint is given up, when it is asked up to so many times in a row."""

    async def work(endpoint: Endpoint) -> str:
        for _ in range(times - 1):
            assert isinstance(await endpoint.complete(asked or request()), CallFailure)
        with pytest.raises(EndpointRefused) as caught:
            await endpoint.complete(asked or request())
        return str(caught.value)

    with scripted_endpoint(script) as server:
        line = using(server.url, work, **options)
    assert KEY not in line
    assert line.isprintable()
    return line, server.calls


# --- What is sent, and what a good answer becomes


def test_a_reply_is_recorded_as_it_came() -> None:
    outcome, calls = ask([say("Hello there.")], request(temperature=0.7, max_tokens=60, seed=None))
    assert isinstance(outcome, Reply)
    assert (outcome.text, outcome.finish_reason, outcome.model) == ("Hello there.", "stop", "scripted-1")
    assert outcome.usage == Usage(10, 5)
    assert outcome.parameters == {"temperature": 0.7, "max_tokens": 60}
    assert (outcome.attempts, outcome.cached, outcome.cost_usd) == (1, False, None)
    assert outcome.started_at <= outcome.ended_at
    [call] = calls
    assert (call.method, call.path) == ("POST", "/v1/chat/completions")
    assert call.headers["authorization"] == f"Bearer {KEY}"
    assert call.headers["content-type"] == "application/json"
    assert [name for name in call.headers if "stainless" in name] == [], "says something of this machine"
    assert call.body == {
        "model": "m",
        "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"}],
        "temperature": 0.7,
        "max_tokens": 60,
    }


def test_what_is_promised_is_what_is_sent() -> None:
    asked = request("a lone \ud83d surrogate, \x1b[31m and \u202e", top_p=0.5, stream=True, model="x")

    async def work(endpoint: Endpoint) -> None:
        assert isinstance(await endpoint.complete(asked), Reply)
        assert endpoint.parameters_for(asked) == {"top_p": 0.5}

    with scripted_endpoint([say("ok")]) as server:
        using(server.url, work)
    body = server.calls[0].body
    assert body["messages"][1]["content"] == "a lone \ufffd surrogate, \x1b[31m and \u202e"
    assert (body["top_p"], body["model"]) == (0.5, "x")
    assert "stream" not in body


ENDINGS = [
    (say(""), "", "stop"),
    (say(" \n\t "), "", "stop"),
    (say("  kept as it is \n"), "  kept as it is \n", "stop"),
    (say("Once upon a", "length"), "Once upon a", "length"),
    (say(None, "length"), "", "length"),
    (say("I can", "content_filter"), "I can", "content_filter"),
    (say(None, "content_filter"), "", "content_filter"),
    (say(None, refusal="I can't help with that."), "I can't help with that.", "refusal"),
    (say("", refusal="No."), "No.", "refusal"),
    (say("text", refusal="unused"), "text", "stop"),
    (say("text", None), "text", "unknown"),
    (
        say([{"type": "text", "text": "two "}, {"type": "x"}, {"type": "text", "text": "parts"}]),
        "two parts",
        "stop",
    ),
    (say([{"type": "refusal", "refusal": "No."}]), "No.", "refusal"),
    (say("an emoji \U0001f600"), "an emoji \U0001f600", "stop"),
]


def test_endings_are_recorded_as_what_they_are() -> None:
    found = replies([answer for answer, _, _ in ENDINGS])
    assert [(each.text, each.finish_reason) for each in found] == [(text, finish) for _, text, finish in ENDINGS]


def test_a_lone_surrogate_in_a_reply_is_replaced() -> None:
    body = json.dumps(say("x").body).replace('"x"', '"a \\ud83d b"')
    assert reply([Answer(body=body)]).text == "a \ufffd b"


def test_usage_is_read_or_unknown() -> None:
    counted = {"prompt_tokens": 9, "completion_tokens": 2}
    usages: list[tuple[Any, Usage]] = [
        (None, Usage(None, None)),
        ({"prompt_tokens": 3}, Usage(3, None)),
        ({"prompt_tokens": True, "completion_tokens": -1}, Usage(None, None)),
        ({"prompt_tokens": "3", "completion_tokens": 2}, Usage(None, 2)),
        ([], Usage(None, None)),
        ({**counted, "prompt_tokens_details": {"cached_tokens": 7}}, Usage(9, 2, 7)),
        ({**counted, "prompt_tokens_details": {"cached_tokens": 0}}, Usage(9, 2, 0)),
        ({**counted, "prompt_tokens_details": None}, Usage(9, 2)),
        ({**counted, "prompt_cache_hit_tokens": 9, "prompt_cache_miss_tokens": 0}, Usage(9, 2, 9)),
        ({**counted, "input_tokens_details": {"cached_tokens": 4}}, Usage(9, 2, 4)),
        ({**counted, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 1}, Usage(9, 2, 4)),
        ({**counted, "cached_tokens": 5, "prompt_tokens_details": {"cached_tokens": None}}, Usage(9, 2, 5)),
        ({**counted, "cached_tokens": 10}, Usage(9, 2)),  # more than there is
        ({**counted, "cached_tokens": True}, Usage(9, 2)),
    ]
    found = replies([Answer(body={**say("x").body, "usage": usage}) for usage, _ in usages])
    assert [each.usage for each in found] == [read for _, read in usages]


def test_what_the_providers_cache_saved_is_kept_beside_the_cost() -> None:
    body = say("x").body
    body["usage"]["prompt_tokens_details"] = {"cached_tokens": 6}
    prices = Prices(as_of="2026-11-01", models={"scripted-1": Price(input=1e6, cached_input=1e5, output=0)})
    found = reply([Answer(body=body)], price_of=prices.price_of)
    assert [found.cost_usd, found.saved_usd] == pytest.approx([4.6, 5.4])
    unknown = Prices(as_of="2026-11-01", models={"scripted-1": Price(input=1e6, output=0)})
    found = reply([Answer(body=body)], price_of=unknown.price_of)
    assert (found.cost_usd, found.saved_usd) == (10, 0)


def test_the_cost_is_that_of_the_answering_model_or_else_of_the_one_asked() -> None:
    prices = {"m": 0.25}
    assert reply([say("x")], price_of=lambda model, _: prices.get(model)).cost_usd == 0.25
    prices["scripted-1"] = 0.5
    assert reply([say("x")], price_of=lambda model, _: prices.get(model)).cost_usd == 0.5


# --- Malformed answers


MALFORMED = [
    (Answer(body=b'{"choices": [{"mess'), "is not JSON"),
    (Answer(body=b"\xff\xfe\x00"), "is not JSON"),
    (Answer(body=b""), "is not JSON"),
    (Answer(body=b"[" * 200_000), "is not JSON"),
    (Answer(body="[]"), "JSON list"),
    (Answer(body={"error": {"message": "upstream \x1b[2J died"}}), "holds an error: upstream"),
    (Answer(body={"choices": []}), "no choice"),
    (Answer(body={"choices": [{"message": "hello"}]}), "no choice"),
    (say(None), "no content (finish_reason 'stop')"),
    (say(7), "no content"),
    (say(None, "tool_calls", tool_calls=[{"id": "1"}]), "a tool without a name"),
    (say(None, "tool_calls", tool_calls=[{"id": "1", "function": {"name": "clock"}}]), "no tool was offered"),
    (say(None, "function_call", function_call={"name": "clock", "arguments": "{}"}), "the form before tool_calls"),
    (Answer(body=b"junk", headers={"content-encoding": "gzip"}), "cannot be decompressed"),
]


def test_a_malformed_answer_is_tried_again_and_then_fails() -> None:
    outcomes = ask_each([each for answer, _ in MALFORMED for each in (answer, answer, answer, answer, say("fine"))])
    for (_, message), failed, mended in zip(MALFORMED, outcomes[::2], outcomes[1::2], strict=True):
        assert isinstance(failed, CallFailure)
        assert (failed.kind, failed.attempts) == ("malformed", QUICK.attempts)
        assert message in failed.message and failed.message.isprintable()
        assert isinstance(mended, Reply)
        assert (mended.text, mended.attempts) == ("fine", 2)


def test_a_reply_without_end_is_cut_off() -> None:
    endless = Answer(body=b'{"pad": "' + b"x" * 10_000_000 + b'"}', keep=9_000_000, hang=True)
    failed = failure([endless], retries=Retries(Backoff(attempts=1)))
    assert (failed.kind, failed.message) == ("malformed", "reply is larger than 8000000 bytes")


def test_another_content_type_is_malformed_once_the_endpoint_is_known_to_work() -> None:
    page = Answer(body="<html>", content_type="text/html; charset=utf-8")

    async def work(endpoint: Endpoint) -> Reply | CallFailure:
        assert isinstance(await endpoint.complete(request()), Reply)
        return await endpoint.complete(request())

    with scripted_endpoint([say("x"), page]) as server:
        outcome = using(server.url, work)
    assert isinstance(outcome, CallFailure)
    assert (outcome.kind, outcome.attempts) == ("malformed", 3)
    assert "'text/html; charset=utf-8', not JSON" in outcome.message


# --- What is tried again


def test_passing_errors_are_tried_again() -> None:
    statuses = {408: "timeout", 409: "server_error", 500: "server_error", 503: "server_error", 529: "server_error"}
    answers = [[refuse(status), say("fine"), *[refuse(status, "try\nlater")] * 3] for status in statuses]
    outcomes = ask_each([answer for each in answers for answer in each])
    for (status, kind), mended, failed in zip(statuses.items(), outcomes[::2], outcomes[1::2], strict=True):
        assert isinstance(mended, Reply)
        assert (mended.text, mended.attempts) == ("fine", 2)
        assert isinstance(failed, CallFailure)
        assert (failed.kind, failed.message, failed.attempts) == (kind, f"HTTP {status}: try later", 3)


def test_an_error_of_any_length_is_shown_by_its_beginning() -> None:
    """Read to its end, it would never be shown: the server holds back the last part."""
    endless = Answer(status=500, body=b"overloaded " * 100_000, keep=200_000, hang=True)
    failed = failure([endless])
    assert (failed.kind, failed.attempts) == ("server_error", 3)
    assert failed.message.startswith("HTTP 500: overloaded overloaded")


def test_a_long_throttle_costs_no_attempts() -> None:
    got = reply([*[refuse(429)] * 20, say("patience")])
    assert (got.text, got.attempts) == ("patience", 21)


def test_a_throttle_ends_at_the_deadline() -> None:
    clock = count(0, 5)
    retries = Retries(Backoff(first_s=0.001, longest_s=0.001, deadline_s=50), clock=lambda: next(clock))
    failed = failure([refuse(429, "slow down")], retries=retries)
    assert (failed.kind, failed.message) == ("rate_limited", "HTTP 429: slow down")
    assert failed.attempts == 10


def test_retry_after_is_honoured() -> None:
    asked_for: list[tuple[dict[str, str], float]] = [
        ({"retry-after": "7"}, 7),
        ({"retry-after": formatdate(1_700_000_042, usegmt=True)}, 42),
        ({"retry-after": formatdate(1_600_000_000, usegmt=True)}, 1),  # in the past: the ordinary wait
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "soon"}, 1),
        ({"retry-after": "inf"}, 1),
        ({"retry-after": "9999"}, 100),
    ]
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    retries = Retries(Backoff(first_s=2, retry_after_cap_s=100), sleep=sleep, jitter=lambda: 0.0)
    answers = [answer for headers, _ in asked_for for answer in (refuse(429, headers=headers), say("x"))]
    found = replies(answers, retries=retries, now=lambda: 1_700_000_000.0)
    assert [each.attempts for each in found] == [2] * len(asked_for)
    assert waits == [wait_s for _, wait_s in asked_for]


def test_a_server_that_hangs_is_tried_again_and_then_timed_out() -> None:
    hang = Answer(hang=True)
    assert reply([hang, say("awake")], timeout_s=0.5).attempts == 2
    failed = failure([hang], timeout_s=0.05)
    assert (failed.kind, failed.message, failed.attempts) == ("timeout", "timed out after 0.05 s", 3)


def test_a_slow_drip_does_not_outlast_the_time_limit() -> None:
    failed = failure([Answer(body=say("slow").body, drip_s=0.02)], timeout_s=0.1)
    assert (failed.kind, failed.message) == ("timeout", "timed out after 0.1 s")


def test_a_lost_connection_is_tried_again_and_named() -> None:
    lost = [
        (Answer(reset=True), "connection reset by"),
        (Answer(body=say("cut").body, keep=20), "reply cut off by"),
        (Answer(raw=b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab"), "reply cut off by"),
    ]
    outcomes = ask_each([each for answer, _ in lost for each in (answer, say("fine"), answer, answer, answer)])
    for (_, message), mended, failed in zip(lost, outcomes[::2], outcomes[1::2], strict=True):
        assert mended.attempts == 2
        assert isinstance(failed, CallFailure)
        assert failed.kind == "connection" and message in failed.message


# --- What ends the run


def test_what_every_call_would_meet_ends_the_run_at_once() -> None:
    refused: list[tuple[Answer, Request, tuple[str, ...]]] = [
        (refuse(401, f"Incorrect API key provided: {KEY}."), request(), ("refused the key", "set OPENAI_API_KEY")),
        (refuse(401, "bad"), request(), ("refused the key (HTTP 401: bad)",)),
        (Answer(401, body="", content_type=""), request(), ("refused the key (HTTP 401)",)),
        (refuse(400, "API key not valid."), request(), ("refused the key", "OPENAI_API_KEY")),
        (refuse(402), request(), ("refused the account", "no credit")),
        (refuse(403, "not for you"), request(), ("refused the key for model 'm'", "EVAL_MODEL")),
        (refuse(404, code="model_not_found"), request(), ("refused model 'm'", "set EVAL_MODEL")),
        (refuse(404, "The model `m` is gone"), request(purpose="judge"), ("refused model 'm'", "set EVAL_JUDGE_MODEL")),
        (refuse(400, code="model_not_found"), request(), ("refused model 'm'",)),
        (Answer(404, {"detail": "Not Found"}), request(), ("refused the URL", "Not Found", "set OPENAI_BASE_URL")),
        (Answer(404, "<html>\x1b[31m" + "x" * 1_000_000, content_type="text/html"), request(), ("refused the URL",)),
        (refuse(405), request(), ("refused the URL",)),
        (refuse(429, "You exceeded your quota", code="insufficient_quota"), request(), ("no credit",)),
    ]

    async def work(endpoint: Endpoint, asked: Request) -> str:
        with pytest.raises(EndpointRefused) as caught:
            await endpoint.complete(asked)
        return str(caught.value)

    with scripted_endpoint([answer for answer, _, _ in refused]) as server:
        for number, (_, asked, parts) in enumerate(refused, 1):
            line = using(server.url, partial(work, asked=asked))
            assert len(server.calls) == number
            assert len(line) < 400 and line.isprintable() and KEY not in line
            assert line.startswith("http://127.0.0.1:")
            for part in parts:
                assert part in line


def test_after_a_refusal_no_waiting_call_is_sent() -> None:
    async def work(endpoint: Endpoint) -> list[Any]:
        calls = (endpoint.complete(request()) for _ in range(50))
        return await asyncio.gather(*calls, return_exceptions=True)

    with scripted_endpoint([refuse(401, f"bad key {KEY}")]) as server:
        outcomes = using(server.url, work, concurrency=4)
    assert {type(outcome) for outcome in outcomes} == {EndpointRefused}
    assert len({str(outcome) for outcome in outcomes}) == 1
    assert len(server.calls) <= 8


def test_an_endpoint_that_was_never_there_ends_the_run() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]

        async def work(endpoint: Endpoint) -> str:
            with pytest.raises(EndpointRefused) as caught:
                await endpoint.complete(request())
            return str(caught.value)

        line = using(f"http://me:pass-word@127.0.0.1:{port}/v1", work)
    where = f"http://127.0.0.1:{port}/v1"
    assert line == f"{where} cannot be used: connection refused: {where} (3 tries); check OPENAI_BASE_URL"


def test_a_web_page_in_place_of_an_endpoint_ends_the_run() -> None:
    line, calls = refusal([Answer(body="<html>", content_type="text/html")])
    assert len(calls) == 3
    assert "'text/html', not JSON (3 tries); check OPENAI_BASE_URL" in line


def test_a_server_of_another_protocol_ends_the_run() -> None:
    line, _ = refusal([Answer(raw=b"220 mail ready\r\n")])
    assert "does not answer in HTTP (3 tries); check OPENAI_BASE_URL" in line


def test_an_endpoint_that_goes_away_later_fails_calls_and_not_the_run() -> None:
    async def work(endpoint: Endpoint) -> Reply | CallFailure:
        assert isinstance(await endpoint.complete(request()), Reply)
        running.close()
        return await endpoint.complete(request())

    with ExitStack() as running:
        server = running.enter_context(scripted_endpoint([say("x")]))
        outcome = using(server.url, work)
    assert isinstance(outcome, CallFailure)
    assert (outcome.kind, outcome.attempts) == ("connection", 3)
    assert "connection refused" in outcome.message


# --- What concerns one request alone


def test_a_rejected_request_fails_alone_and_at_once() -> None:
    rejected = [
        (refuse(400, "Too long: 9000 tokens", code="context_length_exceeded"), "rejected"),
        (refuse(400, "maximum", param="temperature", code="decimal_above_max_value"), "rejected"),
        (refuse(422, "no"), "rejected"),
        (refuse(413, "too large"), "rejected"),
        (refuse(400, "policy", code="content_filter"), "content_filter"),
        (refuse(403, "Your input was flagged"), "content_filter"),
    ]
    outcomes = ask_each([answer for answer, _ in rejected], request(temperature=3))
    found = [(each.kind, each.attempts) for each in outcomes if isinstance(each, CallFailure)]
    assert found == [(kind, 1) for _, kind in rejected]


def test_a_judge_whose_format_is_rejected_is_asked_for_text() -> None:
    said = refuse(400, "Structured output is not supported", param="response_format")
    schema: dict[str, Any] = {"response_format": {"type": "json_schema", "json_schema": {}}}
    line, _ = refusal([said], request(purpose="judge", **schema), times=3)
    assert "take --judge-format text or another judge" in line


def test_the_first_requests_all_rejected_for_one_reason_end_the_run() -> None:
    def numbered(call: Call) -> Answer:
        return refuse(400, f"Unknown argument 'colour' (request {call.number})")

    line, calls = refusal(numbered, times=3)
    assert len(calls) == 3
    assert "rejects every request to model 'm'" in line
    assert "Unknown argument 'colour'" in line


@pytest.mark.parametrize("first", [[say("x")], []])
def test_rejections_do_not_end_a_run_that_has_answers_or_reasons_of_their_own(first: list[Answer]) -> None:
    rejected = refuse(400, "bad request") if first else refuse(400, "9000 tokens", code="context_length_exceeded")

    async def work(endpoint: Endpoint) -> list[Reply | CallFailure]:
        return [await endpoint.complete(request()) for _ in range(6)]

    with scripted_endpoint([*first, rejected]) as server:
        outcomes = using(server.url, work)
    assert [outcome.kind for outcome in outcomes if isinstance(outcome, CallFailure)] == ["rejected"] * (6 - len(first))


# --- Traits


def picky(call: Call) -> Answer:
    """Like a reasoning model: names one thing at a time."""
    for name, message in (
        ("temperature", "Unsupported value: 'temperature' does not support 0.7 with this model."),
        ("max_tokens", "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."),
        ("seed", "Unrecognized request argument supplied: seed"),
    ):
        if name in call.body and call.body["model"] == "picky":
            return refuse(400, message, param=name if name != "seed" else None)
    return say("learned")


def test_traits_are_learned_once_and_obeyed_at_once() -> None:
    learned: list[tuple[str, str]] = []
    asked = request(model="picky", temperature=0.7, max_tokens=50, seed=1)

    async def work(endpoint: Endpoint) -> tuple[Reply | CallFailure, Reply | CallFailure, Any]:
        first = await endpoint.complete(asked)
        return first, await endpoint.complete(asked), endpoint.parameters_for(asked)

    with scripted_endpoint(picky) as server:
        first, second, promised = using(server.url, work, on_trait=lambda model, trait: learned.append((model, trait)))
    assert isinstance(first, Reply)
    assert isinstance(second, Reply)
    assert learned == [("picky", "without_temperature"), ("picky", "max_completion_tokens"), ("picky", "without_seed")]
    assert first.parameters == second.parameters == promised == {"max_completion_tokens": 50}
    assert (first.attempts, len(server.calls)) == (1, 5)


def test_concurrent_first_calls_learn_a_trait_once() -> None:
    learned: list[tuple[str, str]] = []

    async def work(endpoint: Endpoint) -> list[Reply | CallFailure]:
        asked = request(model="picky", temperature=0.7)
        return await asyncio.gather(*(endpoint.complete(asked) for _ in range(8)))

    with scripted_endpoint(picky) as server:
        outcomes = using(server.url, work, on_trait=lambda model, trait: learned.append((model, trait)))
    assert learned == [("picky", "without_temperature")]
    assert all(isinstance(outcome, Reply) for outcome in outcomes)


def test_known_traits_spare_the_refusals_and_bind_only_their_model() -> None:
    async def work(endpoint: Endpoint) -> None:
        await endpoint.complete(request(model="picky", temperature=0.7))
        await endpoint.complete(request(model="other", temperature=0.7))

    with scripted_endpoint(picky) as server:
        using(server.url, work, traits={"picky": ["without_temperature"]})
    assert ["temperature" in call.body for call in server.calls] == [False, True]


def test_a_server_that_refuses_what_was_not_sent_is_not_asked_forever() -> None:
    stubborn = refuse(400, "Unsupported parameter: 'temperature'", param="temperature", code="unsupported_parameter")
    outcome, calls = ask([stubborn], request(temperature=0.7))
    assert isinstance(outcome, CallFailure)
    assert (outcome.kind, len(calls)) == ("rejected", 2)


# --- Many calls at once


def test_many_calls_survive_throttling_and_errors_and_keep_their_answers() -> None:
    def unreliable(call: Call) -> Answer:
        if call.number % 10 == 3:
            return refuse(429, headers={"retry-after-ms": "2"})
        if call.number % 20 == 6:
            return refuse(500)
        return say(f"echo {call.body['messages'][1]['content']}")

    async def work(endpoint: Endpoint) -> list[Reply | CallFailure]:
        return await asyncio.gather(*(endpoint.complete(request(str(number))) for number in range(120)))

    with scripted_endpoint(unreliable) as server:
        retries = Retries(Backoff(attempts=8, first_s=0.001, longest_s=0.002))
        outcomes = using(server.url, work, retries=retries)
    texts = [outcome.text for outcome in outcomes if isinstance(outcome, Reply)]
    assert texts == [f"echo {number}" for number in range(120)]
    assert sum(outcome.attempts for outcome in outcomes) == len(server.calls)
    assert server.most_open <= 16


def test_connections_do_not_bound_below_the_concurrency() -> None:
    async def work(endpoint: Endpoint) -> list[Reply | CallFailure]:
        return await asyncio.gather(*(endpoint.complete(request()) for _ in range(110)))

    with scripted_endpoint([Answer(body=say("x").body, after_calls=110)]) as server:
        outcomes = using(server.url, work, concurrency=110, timeout_s=20)
    # No answer comes before all have arrived: a call that had to wait for a connection would have timed out first.
    assert [outcome.attempts for outcome in outcomes if isinstance(outcome, Reply)] == [1] * 110


def test_no_call_starts_while_the_endpoint_says_that_none_remains() -> None:
    spent = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "50ms"}
    first = Answer(body=say("first").body, headers=spent)

    async def work(endpoint: Endpoint) -> list[float]:
        paused: list[float] = []
        with patch.object(endpoint.limiter, "pause", paused.append):
            await endpoint.complete(request())
            await endpoint.complete(request())
        return paused

    with scripted_endpoint([first, say("second")]) as server:
        assert using(server.url, work) == [0.05]


def test_a_throttled_call_gives_its_slot_away_and_comes_back_ahead_of_later_calls() -> None:
    async def no_wait(_: float) -> None:
        return None

    async def work(endpoint: Endpoint) -> None:
        await asyncio.gather(*(endpoint.complete(request(name)) for name in "abcd"))

    with scripted_endpoint([refuse(429), say("x")]) as server:
        using(server.url, work, concurrency=1, retries=Retries(QUICK, sleep=no_wait))
    # "b" takes the slot that "a" gave away; "c" and "d" were waiting when "a" came back.
    assert [call.body["messages"][1]["content"] for call in server.calls] == ["a", "b", "a", "c", "d"]


def test_the_time_of_a_reply_is_that_of_its_last_try() -> None:
    times = iter([100.0, 101.0, 102.0, 103.0, 104.0])  # call begun, first try, its Retry-After, second try
    got = reply([refuse(500), say("x")], now=lambda: next(times))
    assert got.started_at == 103.0
    assert 103.0 <= got.ended_at < 113.0


def test_a_plain_local_server_cannot_lead_calls_elsewhere() -> None:
    line, calls = refusal([Answer(307, headers={"location": "https://elsewhere.example/v1"})])
    assert len(calls) == 1
    assert "refused the URL (HTTP 307)" in line


def test_a_cancelled_call_gives_its_slot_back_and_is_no_failure() -> None:
    async def work(endpoint: Endpoint) -> tuple[bool, int, Reply | CallFailure]:
        hanging = asyncio.create_task(endpoint.complete(request()))
        waiting = asyncio.create_task(endpoint.complete(request()))
        await asyncio.to_thread(server.reached.wait)
        waiting.cancel()
        hanging.cancel()
        await asyncio.wait([hanging, waiting])
        return (
            hanging.cancelled() and waiting.cancelled(),
            endpoint.limiter.in_flight,
            await endpoint.complete(request()),
        )

    with scripted_endpoint([Answer(hang=True), say("next")]) as server:
        cancelled, in_flight, after = using(server.url, work, concurrency=1)
    assert (cancelled, in_flight) == (True, 0)
    assert isinstance(after, Reply)


# --- The endpoint itself


def test_models_are_listed_sorted_and_bounded() -> None:
    listing = {"data": [{"id": f"m{number:03}"} for number in range(99, -1, -1)] + [{"id": 7}, {"id": []}, "x"]}
    with scripted_endpoint([Answer(body=listing)]) as server:
        names = using(server.url, lambda endpoint: endpoint.list_models())
    assert names == tuple(f"m{number:03}" for number in range(40))
    assert (server.calls[0].method, server.calls[0].path) == ("GET", "/v1/models")


def test_an_endpoint_that_lists_no_models_offers_none() -> None:
    answers = [refuse(404), refuse(500), Answer(body="<"), Answer(body={}), Answer(reset=True)]

    async def work(endpoint: Endpoint) -> list[tuple[str, ...]]:
        return [await endpoint.list_models() for _ in answers]

    with scripted_endpoint(answers) as server:
        assert using(server.url, work) == [()] * len(answers)


def test_listing_models_with_a_bad_key_ends_the_run() -> None:
    with scripted_endpoint([refuse(401)]) as server, pytest.raises(EndpointRefused, match="refused the key"):
        using(server.url, lambda endpoint: endpoint.list_models())


def test_an_identity_given_replaces_the_url_in_messages() -> None:
    line, _ = refusal([refuse(401)], identity="rehearsal@3")
    assert line.startswith("rehearsal@3 refused the key")


def test_a_query_of_the_base_url_goes_along_and_stays_out_of_the_identity() -> None:
    async def work(endpoint: Endpoint) -> str:
        await endpoint.complete(request())
        return endpoint.identity

    with scripted_endpoint([say("x")]) as server:
        identity = using(f"{server.url}/?api-version=2", work)
    assert server.calls[0].path == "/v1/chat/completions?api-version=2"
    assert identity == server.url


def test_user_info_of_the_base_url_is_sent_and_never_shown() -> None:
    async def work(endpoint: Endpoint) -> str:
        assert "@" not in endpoint.identity
        with pytest.raises(EndpointRefused) as caught:
            await endpoint.complete(request())
        return str(caught.value)

    with scripted_endpoint([refuse(401, "me:pass-word is nobody here")]) as server:
        line = using(server.url.replace("//", "//me:pass%2Dword@"), work)
    assert server.calls[0].headers["authorization"] == "Basic bWU6cGFzcy13b3Jk"  # base64 of me:pass-word
    assert "pass-word" not in line


def test_a_server_without_keys_can_be_called_without_one() -> None:
    _, calls = ask([say("x")], api_key=None)
    assert calls[0].headers["authorization"] == "Bearer none"
