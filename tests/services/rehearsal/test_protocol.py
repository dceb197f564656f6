"""The server's protocol: what the real openai client sees, refusals, faults, counts, and bytes that are no HTTP."""

import asyncio
import json
from collections import Counter
from typing import Any
from urllib.parse import urlsplit

import openai
import pytest

from services.rehearsal import VERSION
from services.rehearsal.options import RehearsalOptions, parse_options
from tests.services.rehearsal.loopback import MODERATION, Server, ask, chat, client, serving

JUDGE_FORM = 'Evaluate this assistant response.\nAssistant response: "Hello"\nFormat: Score: X.X | Reasoning: [text]'


def test_the_openai_client_gets_completions_models_and_moderations() -> None:
    async def run() -> None:
        async with serving() as url, client(url) as openai_client:
            reply = await ask(openai_client, "How was your weekend?", temperature=0, seed=4)
            again = await ask(openai_client, "How was your weekend?", temperature=0, seed=5)
            models = [model.id async for model in openai_client.models.list()]
            moderated = await openai_client.moderations.create(
                model="rehearsal-moderation", input=["What an IDIOT!", "Nice idiotism."]
            )
        assert reply.choices[0].message.content == again.choices[0].message.content
        assert (reply.choices[0].finish_reason, reply.model) == ("stop", "rehearsal")
        assert reply.system_fingerprint == f"rehearsal-{VERSION}"
        assert reply.usage is not None
        assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens > 10
        assert models == ["rehearsal", "rehearsal-judge", "rehearsal-moderation", "rehearsal-embedding"]
        flagged, clean = moderated.results
        assert (flagged.flagged, clean.flagged) == (True, False)
        assert (flagged.categories.harassment, flagged.categories.violence) == (True, False)
        assert flagged.category_scores.harassment > 0.5 > flagged.category_scores.violence

    asyncio.run(run())


FAULTS: tuple[tuple[RehearsalOptions, dict[str, Any], type[openai.OpenAIError]], ...] = (
    (RehearsalOptions(rate_429=1.0), {}, openai.RateLimitError),
    (RehearsalOptions(rate_500=1.0), {}, openai.InternalServerError),
    (RehearsalOptions(hang=1.0), {"timeout": 0.2}, openai.APITimeoutError),
    (RehearsalOptions(latency_ms=60_000), {"timeout": 0.2}, openai.APITimeoutError),
    (RehearsalOptions(disconnect=1.0), {}, openai.APIConnectionError),
    (RehearsalOptions(require_key="right"), {}, openai.AuthenticationError),
    (RehearsalOptions(), {"model": "nope"}, openai.NotFoundError),
)


def test_the_client_sees_each_fault_as_its_own_error() -> None:
    async def run() -> None:
        async with client("http://127.0.0.1/v1", "wrong") as openai_client:
            for options, parameters, error in FAULTS:
                async with serving(options) as url:
                    with pytest.raises(error):
                        await ask(openai_client.with_options(base_url=url), "hello", **parameters)

    asyncio.run(run())


def test_a_client_that_leaves_was_not_answered_and_calls_are_in_flight_side_by_side() -> None:
    async def run() -> None:
        async with serving(RehearsalOptions(latency_ms=100)) as url, client(url) as openai_client:
            with pytest.raises(openai.APITimeoutError):
                await ask(openai_client, "hello", timeout=0.03)
            await asyncio.gather(*(ask(openai_client, f"hello {number}") for number in range(4)))
            counted = await openai_client.with_options(base_url=url.removesuffix("/v1")).get("/stats", cast_to=object)
        assert isinstance(counted, dict)
        assert counted["by_purpose"] == {"generation": {"aborted": 1, "200": 4}}
        assert (counted["max_in_flight"] >= 2, counted["in_flight"]) == (True, 0)

    asyncio.run(run())


REFUSED: tuple[tuple[object, int, str | None], ...] = (
    (b"{", 400, None),
    (b"[" * 100_000, 400, None),
    ([], 400, None),
    ({"model": "rehearsal"}, 400, "messages"),
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
    (chat("hi", model="rehearsal-moderation"), 404, "model"),
)
UNMODERATED: tuple[tuple[object, int, str | None], ...] = (
    ([], 400, None),
    ({"model": "rehearsal-moderation", "input": []}, 400, "input"),
    ({"model": "rehearsal-moderation", "input": ["a", 1]}, 400, "input"),
    ({"input": "a"}, 400, "model"),
    ({"model": "rehearsal", "input": "a"}, 404, "model"),
)


def test_bad_requests_are_refused_like_openai_does() -> None:
    server = Server()
    asked = [(server.post(body), status, name) for body, status, name in REFUSED]
    asked += [(server.post(body, MODERATION), status, name) for body, status, name in UNMODERATED]
    for (answered, value), status, parameter in asked:
        assert (answered, value["error"]["param"]) == (status, parameter)
        assert value["error"]["type"] == "invalid_request_error"
        assert value["error"]["message"]
    for method, path in (("GET", "/"), ("GET", "/v1/embeddings"), ("GET", "/v1/models/x/y")):
        assert server.answer(b"", path, method).status == 404


@pytest.mark.parametrize(
    ("options", "parameters", "refused"),
    [
        (RehearsalOptions(refuse_temperature=True), {"temperature": 0.7}, ("temperature", "unsupported_value")),
        (RehearsalOptions(refuse_max_tokens=True), {"max_tokens": 5}, ("max_tokens", "unsupported_parameter")),
        (
            RehearsalOptions(refuse_json_schema=True),
            {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {}}}},
            ("response_format", "unsupported_value"),
        ),
    ],
)
def test_a_server_can_refuse_what_some_models_refuse(
    options: RehearsalOptions, parameters: dict[str, Any], refused: tuple[str, str]
) -> None:
    status, value = Server(options).post(chat("hello", **parameters))
    assert (status, value["error"]["param"], value["error"]["code"]) == (400, *refused)
    assert Server(options).post(chat("hello"))[0] == Server().post(chat("hello", **parameters))[0] == 200


def test_the_right_key_and_other_models_pass() -> None:
    server = Server(RehearsalOptions(require_key="right", any_model=True))
    assert server.post(chat("hello", model="anything"), key="right")[1]["model"] == "anything"
    assert server.post({"model": "x", "input": "a"}, MODERATION, "wrong")[0] == 401


def test_content_parts_surrogates_and_a_large_body_are_answered() -> None:
    parts = [{"type": "text", "text": "hello \ud800"}, {"type": "image_url", "image_url": {"url": "x"}}]
    messages = [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": parts}]
    assert Server().post({"model": "rehearsal", "messages": messages})[0] == 200
    assert Server().post(chat("a " * 1_000_000))[0] == 200


def test_spoiled_replies_and_those_cut_by_a_limit() -> None:
    def choice(options: RehearsalOptions, **parameters: int) -> dict[str, Any]:
        found = Server(options).post(chat("hello", **parameters))[1]["choices"][0]
        assert isinstance(found, dict)
        return found

    complete = choice(RehearsalOptions())["message"]["content"]
    spoiled = {"length": RehearsalOptions(truncate=1.0), "content_filter": RehearsalOptions(content_filter=1.0)}
    for finish, options in spoiled.items():
        cut = choice(options)
        assert cut["finish_reason"] == finish
        assert complete.startswith(cut["message"]["content"])
        assert 0 < len(cut["message"]["content"]) < len(complete)
    for name in ("max_tokens", "max_completion_tokens"):
        cut = choice(RehearsalOptions(), **{name: 3})
        assert (cut["finish_reason"], cut["message"]["content"]) == ("length", complete[:12])
    empty, refusal = choice(RehearsalOptions(empty=1.0)), choice(RehearsalOptions(refusal=1.0))
    assert (empty["finish_reason"], empty["message"]["content"], empty["message"]["refusal"]) == ("stop", "", None)
    assert (refusal["message"]["content"], bool(refusal["message"]["refusal"])) == (None, True)


def statuses(options: RehearsalOptions) -> list[int]:
    server = Server(options)
    return [server.post(chat(f"message {number}"))[0] for number in range(200)]


def test_error_rates_are_met_and_follow_from_the_seed() -> None:
    options = RehearsalOptions(rate_429=0.2, rate_500=0.1, seed=3)
    first = statuses(options)
    counted = Counter(first)
    assert 20 <= counted[429] <= 60
    assert 8 <= counted[500] <= 36
    assert counted[200] + counted[429] + counted[500] == 200
    assert statuses(options) == first
    assert statuses(RehearsalOptions(rate_429=0.2, rate_500=0.1, seed=4)) != first
    again = Server(RehearsalOptions(rate_429=0.5))
    assert {again.post(chat("the same"))[0] for _ in range(40)} == {200, 429}, "a hit request gets through later"


def test_a_429_says_when_to_come_back() -> None:
    drawn = Server(RehearsalOptions(rate_429=1.0, retry_after=1.5)).answer(chat("one"))
    assert (drawn.status, drawn.headers) == (429, (("Retry-After", "1.5"),))
    assert Server(RehearsalOptions(rate_429=1.0)).answer(chat("one")).headers == ()
    limited = Server(RehearsalOptions(rpm_limit=1))
    first, second = limited.answer(chat("one")), limited.answer(chat("two"))
    assert (first.status, second.status, second.headers[0][0]) == (200, 429, "Retry-After")
    assert 50 < float(second.headers[0][1]) <= 60


def test_faults_can_be_limited_to_one_purpose() -> None:
    judge = Server(RehearsalOptions(rate_500=1.0, faults_on="judge"))
    assert (judge.post(chat("hello"))[0], judge.post(chat(JUDGE_FORM))[0]) == (200, 500)
    moderation = Server(RehearsalOptions(rate_500=1.0, faults_on="moderation"))
    assert moderation.post({"model": "rehearsal-moderation", "input": "a"}, MODERATION)[0] == 500
    assert moderation.post(chat("hello"))[0] == 200
    assert moderation.stats()["by_purpose"] == {"moderation": {"500": 1}, "generation": {"200": 1}}


def test_counts_prove_what_was_repeated() -> None:
    server = Server()
    for text in ("one", "two", "one", JUDGE_FORM):
        assert server.post(chat(text))[0] == 200
    assert server.post({"model": "rehearsal"})[0] == 400
    counted = server.stats()
    assert len(counted.pop("repeated_answers_at")) == 1
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
    retried = Server(RehearsalOptions(rate_429=0.5, seed=3))
    assert [retried.post(chat("one"))[0] for _ in range(2)] == [429, 200]
    counted = retried.stats()
    assert (counted["repeated_bodies"], counted["repeated_after_answer"]) == (1, 0), "a retry of what had no answer"


BYTES = (
    (b"nonsense\r\n\r\n", b"400"),
    (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", b"400"),
    (b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"400"),
    (b"POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", b"413"),
    (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", b"411"),
    (b"GET / HTTP/1.1\r\nx: " + b"a" * 70_000, b"431"),
)


async def raw(base_url: str, *sent: bytes) -> bytes:
    """Everything that comes back until the server closes the connection."""
    address = urlsplit(base_url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    for part in sent:
        writer.write(part)
        await writer.drain()
        await asyncio.sleep(0.02)  # so that the server has read this part before the next one comes
    received = await asyncio.wait_for(reader.read(), 20)
    writer.close()
    return received


def test_bytes_that_are_no_request_close_the_connection() -> None:
    async def run() -> None:
        async with serving() as url:
            for sent, status in BYTES:
                assert (await raw(url, sent)).startswith(b"HTTP/1.1 " + status)

    asyncio.run(run())


def test_requests_in_one_packet_and_one_in_pieces_are_answered_in_order() -> None:
    body = json.dumps(chat("hello")).encode()
    head = b"POST /v1/chat/completions HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body)
    two = b"GET /v1/models HTTP/1.1\r\n\r\nGET /stats HTTP/1.1\r\n\r\n"

    async def run() -> None:
        async with serving() as url:
            received = await raw(url, two + head, body + b"end\r\n\r\n")
        assert received.count(b"HTTP/1.1 200 OK") == 3
        assert received.index(b"rehearsal-judge") < received.index(b"max_in_flight")
        assert received.index(b"100 Continue") < received.index(b"chat.completion")

    asyncio.run(run())


def test_options_survive_the_command_line() -> None:
    options = RehearsalOptions(
        port=1, seed=-5, latency_ms=2.5, rate_429=0.1, retry_after=0.0, judge_mode="random", faults_on="judge",
        refuse_temperature=True, require_key="-k y", any_model=True,
    )  # fmt: skip
    assert parse_options(options.arguments()) == options
    assert parse_options([]) == RehearsalOptions()


@pytest.mark.parametrize(
    "arguments",
    [["--rate-429=1.5"], ["--rate-429=0.7", "--hang=0.7"], ["--latency-ms=-1"], ["--judge-mode=kind"], ["--rate=1"],
     ["--hang=nan"], ["--port=x"], ["--rpm-limit=-1"]],
)  # fmt: skip
def test_wrong_options_exit_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse_options(arguments)
    assert caught.value.code == 2
    assert "error:" in capsys.readouterr().err
