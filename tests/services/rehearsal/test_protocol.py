"""The server over loopback: the real openai client, faults, counts."""

import asyncio
import socket
import time
from collections import Counter
from collections.abc import Iterator
from urllib.parse import urlsplit

import openai
import pytest

from services.rehearsal import VERSION
from services.rehearsal.options import RehearsalOptions, parse_options
from services.rehearsal.process import rehearsal_endpoint
from tests.services.rehearsal.loopback import ask, call, chat, client, post, stats

JUDGE_FORM = 'Evaluate this assistant response.\nAssistant response: "Hello"\nFormat: Score: X.X | Reasoning: [text]'


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    with rehearsal_endpoint() as url:
        yield url


def test_the_openai_client_gets_a_completion(base_url: str) -> None:
    async def run() -> None:
        async with client(base_url) as openai_client:
            reply = await ask(openai_client, "How was your weekend?", temperature=0, seed=4)
            again = await ask(openai_client, "How was your weekend?", temperature=0, seed=5)
            models = [model.id async for model in openai_client.models.list()]
        assert reply.choices[0].message.content == again.choices[0].message.content
        assert reply.choices[0].finish_reason == "stop"
        assert reply.model == "rehearsal"
        assert reply.system_fingerprint == f"rehearsal-{VERSION}"
        assert reply.usage is not None
        assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens
        assert reply.usage.prompt_tokens > 0
        assert models == ["rehearsal", "rehearsal-judge", "rehearsal-moderation"]

    asyncio.run(run())


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_a_length_limit_cuts_the_reply(base_url: str, name: str) -> None:
    status, _, body = post(base_url, chat("How was your weekend?", **{name: 3}))
    assert status == 200
    assert body["choices"][0]["finish_reason"] == "length"
    assert len(body["choices"][0]["message"]["content"]) == 12
    assert body["usage"]["completion_tokens"] == 3


@pytest.mark.parametrize(
    ("body", "status", "parameter"),
    [
        (b"{", 400, None),
        (b"[" * 100_000, 400, None),
        ([], 400, None),
        ({"model": "rehearsal"}, 400, "messages"),
        ({"model": "rehearsal", "messages": []}, 400, "messages"),
        ({"model": "rehearsal", "messages": "hi"}, 400, "messages"),
        ({"messages": [{"role": "user", "content": "hi"}]}, 400, "model"),
        ({"model": "rehearsal", "messages": [{"role": "nobody", "content": "x"}]}, 400, "messages[0].role"),
        ({"model": "rehearsal", "messages": [{"role": "user"}]}, 400, "messages[0].content"),
        (chat("hi", temperature=3), 400, "temperature"),
        (chat("hi", temperature="warm"), 400, "temperature"),
        (chat("hi", seed=1.5), 400, "seed"),
        (chat("hi", max_tokens=0), 400, "max_tokens"),
        (chat("hi", n=2), 400, "n"),
        (chat("hi", stream=True), 400, "stream"),
        (chat("hi", response_format="json"), 400, "response_format"),
        (chat("hi", model="gpt-unknown"), 404, "model"),
    ],
)
def test_bad_requests_are_refused_like_openai_does(
    base_url: str, body: object, status: int, parameter: str | None
) -> None:
    answered, _, value = post(base_url, body)
    assert (answered, value["error"]["param"]) == (status, parameter)
    assert value["error"]["type"] == "invalid_request_error"
    assert value["error"]["message"]


@pytest.mark.parametrize(("method", "path"), [("GET", "/"), ("POST", "/v1/embeddings"), ("GET", "/v1/models/x/y")])
def test_unknown_paths(base_url: str, method: str, path: str) -> None:
    assert call(base_url, method, path)[0] == 404


def test_content_parts_surrogates_and_a_large_body_are_answered(base_url: str) -> None:
    parts = [{"type": "text", "text": "hello \ud800"}, {"type": "image_url", "image_url": {"url": "x"}}]
    messages = [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": parts}]
    assert post(base_url, {"model": "rehearsal", "messages": messages})[0] == 200
    assert post(base_url, chat("a " * 1_000_000))[0] == 200


def raw(base_url: str, sent: bytes) -> bytes:
    address = urlsplit(base_url)
    with socket.create_connection((address.hostname or "", address.port or 0), timeout=20) as connection:
        connection.sendall(sent)
        received = b""
        while chunk := connection.recv(65_536):
            received += chunk
        return received


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", b"400"),
        (b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"400"),
        (b"POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", b"413"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", b"411"),
        (b"GET / HTTP/1.1\r\nx: " + b"a" * 70_000, b"431"),
    ],
)
def test_bytes_that_are_no_request_close_the_connection(base_url: str, sent: bytes, status: bytes) -> None:
    assert raw(base_url, sent).startswith(b"HTTP/1.1 " + status)


def test_two_requests_in_one_packet_are_answered_in_order(base_url: str) -> None:
    two = b"GET /v1/models HTTP/1.1\r\n\r\nGET /stats HTTP/1.1\r\n\r\nend\r\n\r\n"
    received = raw(base_url, two)
    assert received.count(b"HTTP/1.1 200 OK") == 2
    assert received.index(b"rehearsal-judge") < received.index(b"max_in_flight")


def test_counts_prove_what_was_repeated() -> None:
    began = time.time()
    with rehearsal_endpoint() as url:
        for text in ("one", "two", "one", JUDGE_FORM):
            assert post(url, chat(text))[0] == 200
        assert post(url, {"model": "rehearsal"})[0] == 400
        counted = stats(url)
    [answered] = counted.pop("repeated_answers_at")
    assert began <= answered <= time.time()
    assert counted == {
        "version": VERSION,
        "completions": 5,
        "in_flight": 0,
        "max_in_flight": 1,
        "by_purpose": {"generation": {"200": 3}, "judge": {"200": 1}, "rejected": {"400": 1}},
        "distinct_bodies": 4,
        "repeated_bodies": 1,
        "repeated_after_answer": 1,
    }


def test_a_retry_of_what_was_not_answered_is_no_repetition_after_an_answer() -> None:
    with rehearsal_endpoint(RehearsalOptions(burst_every=100, burst_length=1)) as url:
        assert [post(url, chat("one"))[0] for _ in range(2)] == [429, 200]
        counted = stats(url)
    assert (counted["repeated_bodies"], counted["repeated_after_answer"]) == (1, 0)


def statuses(options: RehearsalOptions, count: int = 200) -> list[int]:
    with rehearsal_endpoint(options) as url:
        return [post(url, chat(f"message {number}"))[0] for number in range(count)]


def test_error_rates_are_met_and_follow_from_the_seed() -> None:
    options = RehearsalOptions(rate_429=0.2, rate_500=0.1, seed=3)
    first = statuses(options)
    counted = Counter(first)
    assert 20 <= counted[429] <= 60
    assert 8 <= counted[500] <= 36
    assert counted[200] + counted[429] + counted[500] == 200
    assert statuses(options) == first
    assert statuses(RehearsalOptions(rate_429=0.2, rate_500=0.1, seed=4)) != first


def test_a_hit_request_gets_through_when_tried_again() -> None:
    with rehearsal_endpoint(RehearsalOptions(rate_429=0.5)) as url:
        tried = [post(url, chat("the same"))[0] for _ in range(40)]
    assert set(tried) == {200, 429}


def test_a_burst_carries_its_retry_after() -> None:
    with rehearsal_endpoint(RehearsalOptions(burst_every=5, burst_length=2, retry_after=1.5)) as url:
        answers = [post(url, chat(str(number))) for number in range(10)]
    assert [answer[0] for answer in answers] == [429, 429, 200, 200, 200] * 2
    assert answers[0][1]["retry-after"] == "1.5"
    assert "retry-after" not in answers[2][1]


def test_the_client_sees_each_fault_as_its_own_error() -> None:
    async def error(options: RehearsalOptions, **parameters: object) -> Exception:
        with rehearsal_endpoint(options) as url:
            async with client(url, "wrong") as openai_client:
                with pytest.raises(openai.OpenAIError) as caught:
                    await ask(openai_client, "hello", **{"timeout": 0.5, **parameters})
                return caught.value

    async def run() -> None:
        assert isinstance(await error(RehearsalOptions(rate_429=1.0)), openai.RateLimitError)
        assert isinstance(await error(RehearsalOptions(rate_500=1.0)), openai.InternalServerError)
        assert isinstance(await error(RehearsalOptions(hang=1.0)), openai.APITimeoutError)
        assert isinstance(await error(RehearsalOptions(disconnect=1.0), timeout=20), openai.APIConnectionError)
        assert isinstance(await error(RehearsalOptions(require_key="right")), openai.AuthenticationError)
        assert isinstance(await error(RehearsalOptions(), model="nope"), openai.NotFoundError)
        refused = await error(RehearsalOptions(refuse_temperature=True), temperature=0.7)
        assert isinstance(refused, openai.BadRequestError)
        assert (refused.param, refused.code) == ("temperature", "unsupported_value")
        refused = await error(RehearsalOptions(refuse_max_tokens=True), max_tokens=5)
        assert isinstance(refused, openai.BadRequestError)
        assert (refused.param, refused.code) == ("max_tokens", "unsupported_parameter")
        form = {"type": "json_schema", "json_schema": {"name": "x", "schema": {}}}
        assert isinstance(
            await error(RehearsalOptions(refuse_json_schema=True), response_format=form), openai.BadRequestError
        )

    asyncio.run(run())


def test_the_right_key_and_other_models_pass() -> None:
    async def run() -> None:
        with rehearsal_endpoint(RehearsalOptions(require_key="right", any_model=True)) as url:
            async with client(url, "right") as openai_client:
                assert (await ask(openai_client, "hello", model="anything")).model == "anything"

    asyncio.run(run())


@pytest.mark.parametrize(
    ("options", "finish", "content"),
    [
        (RehearsalOptions(empty=1.0), "stop", ""),
        (RehearsalOptions(refusal=1.0), "stop", None),
        (RehearsalOptions(truncate=1.0), "length", "some"),
        (RehearsalOptions(content_filter=1.0), "content_filter", "some"),
    ],
)
def test_spoiled_replies(options: RehearsalOptions, finish: str, content: str | None) -> None:
    with rehearsal_endpoint() as whole, rehearsal_endpoint(options) as url:
        complete = post(whole, chat("hello"))[2]["choices"][0]["message"]["content"]
        choice = post(url, chat("hello"))[2]["choices"][0]
    assert choice["finish_reason"] == finish
    if content == "some":
        assert complete.startswith(choice["message"]["content"])
        assert 0 < len(choice["message"]["content"]) < len(complete)
    else:
        assert choice["message"]["content"] == content
    assert (choice["message"]["refusal"] is not None) == (content is None)


def test_faults_can_be_limited_to_the_judge() -> None:
    with rehearsal_endpoint(RehearsalOptions(rate_500=1.0, faults_on="judge")) as url:
        assert post(url, chat("hello"))[0] == 200
        assert post(url, chat(JUDGE_FORM))[0] == 500


def test_latency_keeps_requests_in_flight_side_by_side() -> None:
    async def run(url: str) -> None:
        async with client(url) as openai_client:
            await asyncio.gather(*(ask(openai_client, f"hello {number}") for number in range(8)))

    with rehearsal_endpoint(RehearsalOptions(latency_ms=300, jitter=0.1)) as url:
        asyncio.run(run(url))
        counted = stats(url)
    assert 2 <= counted["max_in_flight"] <= 8
    assert counted["in_flight"] == 0


def test_a_client_that_leaves_before_its_answer_was_not_answered() -> None:
    async def run(url: str) -> None:
        async with client(url) as openai_client:
            with pytest.raises(openai.APITimeoutError):
                await ask(openai_client, "hello", timeout=0.3)

    with rehearsal_endpoint(RehearsalOptions(latency_ms=60_000)) as url:
        asyncio.run(run(url))
        latest = time.monotonic() + 10
        while stats(url)["in_flight"] and time.monotonic() < latest:
            pass
        assert stats(url)["by_purpose"] == {"generation": {"aborted": 1}}


def test_options_survive_the_command_line() -> None:
    options = RehearsalOptions(
        port=1, seed=-5, latency_ms=2.5, rate_429=0.1, retry_after=0.0, judge_mode="random", faults_on="judge",
        refuse_temperature=True, require_key="-k y", any_model=True, burst_every=4, burst_length=2,
    )  # fmt: skip
    assert parse_options(options.arguments()) == options
    assert parse_options([]) == RehearsalOptions()


@pytest.mark.parametrize(
    "arguments",
    [["--rate-429=1.5"], ["--rate-429=0.7", "--hang=0.7"], ["--latency-ms=-1"], ["--judge-mode=kind"], ["--rate=1"],
     ["--burst-length=3"], ["--hang=nan"], ["--port=x"]],
)  # fmt: skip
def test_wrong_options_exit_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse_options(arguments)
    assert caught.value.code == 2
    assert "error:" in capsys.readouterr().err


def test_throughput_is_printed(base_url: str) -> None:
    """Says what one connection gets; a figure to read with -s, not to pass or fail by."""
    address = urlsplit(base_url)
    count, pattern = 500, b'{"model":"rehearsal","messages":[{"role":"user","content":"I am stressed about work %d"}]}'
    with socket.create_connection((address.hostname or "", address.port or 0), timeout=20) as connection:
        started = time.perf_counter()
        answered = 0
        for number in range(count):
            body = pattern % number
            connection.sendall(
                b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
            )
            answered += connection.recv(65_536).startswith(b"HTTP/1.1 200")
        print(f"{count / (time.perf_counter() - started):.0f} requests/s over one connection")
    assert answered == count
