"""Embeddings through the real HTTP client against scripted servers on loopback, and through the journal."""

import asyncio
import math
import struct
from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from evaluation.errors import EndpointRefused
from evaluation.records import CallFailure, Cell, Purpose, Reply, Request, Turn, Usage
from evaluation.vectors import cosine, read, vector_of, written
from services.journal import Journal
from services.journaled_calls import JournaledCalls
from services.journaled_embeddings import MOST_TEXTS, known_vectors
from services.model.endpoint import Endpoint
from services.model.pricing import load_prices
from tests.services.model.test_endpoint import ask, ask_each, failure, refusal, reply, using
from tests.services.scripted_endpoint import Answer, Call, refuse, scripted_endpoint

SMALL = "text-embedding-3-small"


def request(*texts: str, scenario: str = "s", turn: int = 1, **parameters: Any) -> Request:
    messages = tuple(Turn("user", text) for text in texts or ("one", "two"))
    return Request("embedding", SMALL, messages, parameters, Cell(scenario, 1), turn)


def listed(*vectors: Any, usage: Any = None, **body: Any) -> Answer:
    data = [{"object": "embedding", "index": place, "embedding": each} for place, each in enumerate(vectors)]
    usage = {"prompt_tokens": 8, "total_tokens": 8} if usage is None else usage
    return Answer(body={"object": "list", "model": f"{SMALL}-2024", "data": data, "usage": usage, **body})


def direction_of(text: str) -> list[float]:
    """A vector that tells texts apart."""
    return [float(len(text)), float(ord(text[0])), 3.0]


def embedding(call: Call) -> Answer:
    """The answer of a server that works."""
    return listed(*map(direction_of, call.body["input"]), usage={"prompt_tokens": 10 * len(call.body["input"])})


GOOD = listed([3.0, 4.0], [1, 0])


# --- what is sent, and what a good answer becomes


def test_each_text_gets_its_direction_and_the_call_its_price() -> None:
    answer = listed([3.0, 4.0], [0, 2])
    outcome, [call] = ask([answer], request("half \ud83d", "two", dimensions=2), price_of=load_prices().price_of)
    assert isinstance(outcome, Reply)
    assert [read(line).numbers for line in outcome.text.split("\n")] == [
        pytest.approx((0.6, 0.8), abs=1e-3),
        (0.0, 1.0),
    ]
    assert (outcome.model, outcome.usage) == (f"{SMALL}-2024", Usage(8, 0))
    assert outcome.cost_usd == pytest.approx(8 * 0.02 / 1e6)
    assert (call.method, call.path) == ("POST", "/v1/embeddings")
    assert call.body == {"model": SMALL, "input": ["half \ufffd", "two"], "dimensions": 2}


def test_vectors_come_in_any_of_the_forms_that_servers_write() -> None:
    base64 = [b64encode(struct.pack("<2f", *numbers)).decode() for numbers in ((3.0, 4.0), (1.0, 0.0))]
    turned = [{"index": 1, "embedding": [1, 0]}, {"index": 0, "embedding": [3, 4]}]
    unnumbered = [{"embedding": [3, 4]}, {"embedding": [1, 0]}]
    forms = [GOOD, listed(*base64), Answer(body={"data": turned}), Answer(body={"data": unnumbered})]
    expected = f"{written([3, 4])}\n{written([1, 0])}"
    outcomes = ask_each(forms, request(), GOOD)
    assert [outcome.text for outcome in outcomes if isinstance(outcome, Reply)] == [expected] * len(forms)
    assert [outcome.usage.input_tokens for outcome in outcomes if isinstance(outcome, Reply)] == [8, 8, None, None]


def test_vectors_wait_for_no_batch() -> None:
    class Refusing:
        async def send(self, *_asked: Any) -> None:
            raise AssertionError("other calls wait for this answer")

    async def work(endpoint: Endpoint) -> Reply | CallFailure:
        endpoint.batches = cast("Any", Refusing())
        return await endpoint.complete(request())

    with scripted_endpoint([GOOD]) as server:
        assert isinstance(using(server.url, work), Reply)


# --- what goes wrong


def test_an_answer_that_cannot_be_used_is_tried_again_and_fails_in_one_line() -> None:
    odd_bytes = b64encode(b"abc").decode()
    faults: list[tuple[Any, str]] = [
        ({"data": []}, "no list of embeddings"),
        ({"choices": []}, "no list of embeddings"),
        ({"data": ["x"]}, "no list of embeddings"),
        (listed([1, 0]).body, "reply has 1 embeddings, and 2 texts were sent"),
        (listed([1, 0], [1, 0], [1, 0]).body, "reply has 3 embeddings, and 2 texts were sent"),
        (listed([1, 0], [1, 0, 0]).body, "vectors of 2 and of 3 numbers"),
        ({"data": [{"index": 0, "embedding": [1]}, {"index": 2, "embedding": [1]}]}, "not numbered 0 to 1"),
        ({"data": [{"index": 0, "embedding": [1]}, {"embedding": [1]}]}, "not numbered 0 to 1"),
        ({"data": [{"index": True, "embedding": [1]}, {"index": 0, "embedding": [1]}]}, "not numbered 0 to 1"),
        (listed([1, math.nan], [1, 0]).body, "not finite"),
        (listed([1, math.inf], [1, 0]).body, "not finite"),
        (listed([0, 0], [1, 0]).body, "0 in all of its numbers"),
        (listed([], [1, 0]).body, "1 to 20,000 numbers, not 0"),
        (listed(None, [1, 0]).body, "no list of numbers"),
        (listed(["1"], [1]).body, "no list of numbers"),
        (listed([None], [1]).body, "no list of numbers"),
        (listed([[1]], [1]).body, "no list of numbers"),
        (listed([True], [1]).body, "no list of numbers"),
        (listed([10**400], [1]).body, "cannot be read"),
        (listed("no base64!", [1]).body, "cannot be read"),
        (listed(odd_bytes, odd_bytes).body, "cannot be read"),
        ({"error": {"message": "overloaded"}}, "overloaded"),
        ([], "not an object"),
        ("{", "not JSON"),
    ]
    outcomes = ask_each([Answer(body=body) for body, _ in faults for _ in range(3)], request(), GOOD)
    for (_, message), failed in zip(faults, outcomes, strict=True):
        assert isinstance(failed, CallFailure), message
        assert (failed.kind, failed.attempts) == ("malformed", 3), message
        assert message in failed.message
        assert "\n" not in failed.message


def test_a_throttle_an_error_and_a_hang_are_waited_out() -> None:
    busy = refuse(429, "slow down", {"retry-after": "0"})
    answered = reply([busy, refuse(500), Answer(hang=True), GOOD], request(), timeout_s=0.2)
    assert answered.attempts == 4
    for fault, kind in ((refuse(500), "server_error"), (Answer(hang=True), "timeout")):
        assert failure([fault], request(), timeout_s=0.1).kind == kind


def test_what_would_fail_for_every_text_stops_the_run_in_one_line() -> None:
    setting = "EVAL_EMBEDDING_MODEL"
    cases = [
        (refuse(404, "The model `x` does not exist", code="model_not_found"), f"model '{SMALL}'", setting),
        (refuse(404, "Not Found"), "POST /embeddings", "model@name"),
        (Answer(405, "", content_type="text/html"), "POST /embeddings", setting),
        (refuse(501, "This server does not support embeddings"), "POST /embeddings", setting),
        (refuse(401, "Incorrect API key"), "the key", "OPENAI_API_KEY"),
        (refuse(403, "You are not allowed to generate embeddings from this model"), f"model '{SMALL}'", setting),
        (refuse(429, "You exceeded your quota", code="insufficient_quota"), "the account", "credit"),
    ]
    for answer, what, remedy in cases:
        line, calls = refusal([answer], request())
        assert len(calls) == 1, what
        assert what in line
        assert remedy in line


def test_a_text_that_is_too_long_is_rejected_alone() -> None:
    too_long = refuse(400, "maximum context length is 8192 tokens", code="context_length_exceeded")
    assert failure([too_long], request()).kind == "rejected"


# --- the journal


async def at_once(_request: Request) -> None:
    pass


def calls_of(
    run_id: str, journal: Journal, endpoint: Endpoint, reuse: Sequence[Purpose] = ("embedding",)
) -> JournaledCalls:
    return JournaledCalls(
        run_id=run_id,
        journal=journal,
        endpoint=endpoint,
        reuse=frozenset(reuse),
        before_call=at_once,
        after_call=lambda _asked, _reply: None,
    )


def asked_texts(calls: Sequence[Call]) -> Counter[str]:
    return Counter(text for call in calls for text in call.body["input"])


def vectors(outcome: Reply | CallFailure) -> list[str]:
    assert isinstance(outcome, Reply)
    return outcome.text.split("\n")


def test_a_text_is_paid_for_once_wherever_it_stands(tmp_path: Path) -> None:
    async def work(endpoint: Endpoint) -> list[Reply | CallFailure]:
        with Journal.open(tmp_path / "evals.db") as journal:
            calls = calls_of("run-1", journal, endpoint)
            found = [await calls.complete(request("a", "b", "a"))]
            found.append(await calls.complete(request("b", "c", scenario="t", turn=4)))
        with Journal.open(tmp_path / "evals.db") as journal:
            found.append(await calls_of("run-1", journal, endpoint).complete(request("c", "a")))
            found.append(await calls_of("run-2", journal, endpoint).complete(request("c", "d")))
            found.append(await calls_of("run-3", journal, endpoint, ()).complete(request("d")))
            found.append(await calls_of("run-1", journal, endpoint).complete(request("a", dimensions=3)))
            totals = {name: journal.call_totals(name)["embedding"] for name in ("run-1", "run-2", "run-3")}
        assert (totals["run-1"].paid, totals["run-1"].reused) == (4, 0)
        assert (totals["run-1"].input_tokens, totals["run-1"].output_tokens) == (40, 0)
        assert totals["run-1"].cost_usd == pytest.approx(40 * 0.02 / 1e6), "the price of three calls, added up"
        assert (totals["run-2"].paid, totals["run-2"].reused) == (1, 1)
        assert (totals["run-3"].paid, totals["run-3"].reused) == (1, 0), "--cache none takes nothing over"
        return found

    with scripted_endpoint(embedding) as server:
        found = using(server.url, work, price_of=load_prices().price_of)
    kept = {text: written(direction_of(text)) for text in "abcd"}
    asked = ["aba", "bc", "ca", "cd", "d", "a"]
    assert [vectors(outcome) for outcome in found] == [[kept[text] for text in texts] for texts in asked]
    assert [call.body["input"] for call in server.calls] == [["a", "b"], ["c"], ["d"], ["d"], ["a"]]


def test_a_text_that_is_being_asked_for_is_waited_for(tmp_path: Path) -> None:
    async def work(endpoint: Endpoint) -> list[Reply | CallFailure]:
        with Journal.open(tmp_path / "evals.db") as journal:
            calls = calls_of("run-1", journal, endpoint)
            asked = [request("shared", f"own {number}", scenario=f"s{number}") for number in range(6)]
            return await asyncio.gather(*map(calls.complete, asked))

    with scripted_endpoint(embedding) as server:
        found = using(server.url, work)
    assert len({vectors(outcome)[0] for outcome in found}) == 1
    assert asked_texts(server.calls) == {"shared": 1, **{f"own {number}": 1 for number in range(6)}}


def test_what_several_exchanges_take_over_at_once_is_noted_once(tmp_path: Path) -> None:
    async def work(endpoint: Endpoint) -> int:
        with Journal.open(tmp_path / "evals.db") as journal:
            await calls_of("run-1", journal, endpoint).complete(request("shared"))
            calls = calls_of("run-2", journal, endpoint)
            await asyncio.gather(*(calls.complete(request("shared", scenario=f"s{number}")) for number in range(6)))
            return journal.call_totals("run-2")["embedding"].reused

    with scripted_endpoint(embedding) as server:
        assert using(server.url, work) == 1


def test_who_waited_asks_where_the_other_call_fails(tmp_path: Path) -> None:
    too_long = refuse(400, "too long", code="string_above_max_length")

    def script(call: Call) -> Answer:
        return too_long if "bad" in call.body["input"] else embedding(call)

    async def work(endpoint: Endpoint) -> list[Reply | CallFailure]:
        with Journal.open(tmp_path / "evals.db") as journal:
            calls = calls_of("run-1", journal, endpoint)
            asked = [request("shared", "bad"), request("shared")]
            return await asyncio.gather(*map(calls.complete, asked))

    with scripted_endpoint(script) as server:
        failed, answered = using(server.url, work)
    assert isinstance(failed, CallFailure)
    assert vectors(answered) == [written(direction_of("shared"))]


def test_many_texts_go_in_several_calls_and_what_came_is_kept_where_one_fails(tmp_path: Path) -> None:
    texts = [f"{number} text" for number in range(2 * MOST_TEXTS + 5)]

    def script(call: Call) -> Answer:
        broken = texts[-1] in call.body["input"] and call.number < 6
        return refuse(500) if broken else embedding(call)

    async def work(endpoint: Endpoint) -> list[Reply | CallFailure]:
        with Journal.open(tmp_path / "evals.db") as journal:
            calls = calls_of("run-1", journal, endpoint)
            return [await calls.complete(request(*texts)) for _ in range(2)]

    with scripted_endpoint(script) as server:
        failed, answered = using(server.url, work)
    assert isinstance(failed, CallFailure)
    assert vectors(answered) == [written(direction_of(text)) for text in texts]
    sizes = [len(call.body["input"]) for call in server.calls]
    assert sizes == [MOST_TEXTS, MOST_TEXTS, 5, 5, 5, 5], "three tries of the last part, and one more when asked again"


def test_vectors_of_two_sizes_and_of_another_size_than_asked_for_stop_the_run(tmp_path: Path) -> None:
    async def work(endpoint: Endpoint) -> list[str]:
        said = []
        with Journal.open(tmp_path / "evals.db") as journal:
            calls = calls_of("run-1", journal, endpoint)
            await calls.complete(request("a"))
            for asked in (request("a", "b"), request("c", dimensions=2)):
                with pytest.raises(EndpointRefused) as caught:
                    await calls.complete(asked)
                said.append(str(caught.value))
            assert journal.call_totals("run-1")["embedding"].paid == 1, "what cannot be compared is not kept"
        return said

    with scripted_endpoint([listed([1, 0, 0]), listed([1, 0]), listed([1, 0, 0])]) as server:
        two, other = using(server.url, work)
    assert "vectors of 2 and of 3 numbers" in two
    assert "--cache none" in two
    assert "vectors of 3 numbers and was asked for 2" in other
    assert "EVAL_EMBEDDING_DIMENSIONS" in other


def test_the_journal_alone_gives_what_a_run_got_and_says_what_it_lacks(tmp_path: Path) -> None:
    async def work(endpoint: Endpoint) -> None:
        with Journal.open(tmp_path / "evals.db") as journal:
            await calls_of("run-1", journal, endpoint).complete(request("a", "b"))
            named = Request("embedding", SMALL, request("b", "a").messages, {}, Cell("t", 2), 9, 1, endpoint.identity)
            assert vectors(known_vectors(journal, "run-1", named)) == [written(direction_of(text)) for text in "ba"]
            assert isinstance(known_vectors(journal, "run-2", named), CallFailure)

    with scripted_endpoint(embedding) as server:
        using(server.url, work)


def test_a_vector_lies_in_the_journal_once_and_goes_with_the_last_run_that_has_it(tmp_path: Path) -> None:
    long = [math.sin(place) for place in range(1536)]

    async def work(endpoint: Endpoint) -> None:
        with Journal.open(tmp_path / "evals.db") as journal:
            for run_id in ("run-1", "run-2", "run-3"):
                await calls_of(run_id, journal, endpoint).complete(request("a"))
            sizes = "SELECT length(text) FROM bodies ORDER BY 1"
            assert journal.rows(sizes) == [(1,), (4096,)]
            journal.remove_runs(["run-1", "run-2"])
            assert journal.rows(sizes) == [(1,), (4096,)]
            journal.remove_runs(["run-3"])
            assert journal.rows(sizes) == []

    with scripted_endpoint([listed(long)]) as server:
        using(server.url, work)
    assert cosine(read(written(long)), vector_of(tuple(long))) == pytest.approx(1.0, abs=1e-6)
