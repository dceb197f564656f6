"""Calls that wait for batches: each gets an answer, a reason or the live wire, and none waits for ever."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import replace
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest

from evaluation.errors import StopRequested
from evaluation.records import Cell, Json, Request
from services.model.batch_api import BatchState
from services.model.batch_lines import read_line
from services.model.batches import Batches, LeftToLive
from services.model.errors import ServerError
from services.model.waves import Patience
from services.model.wire import WireAnswer
from services.stored_batch import StoredBatch

PATH = "/chat/completions"


class Store:
    """In memory."""

    group_id = "a pass"

    def __init__(self, known: Sequence[StoredBatch] = ()) -> None:
        self.batches = {batch.intent: batch for batch in known}

    def known(self) -> Sequence[StoredBatch]:
        return list(self.batches.values())

    def lost_since(self) -> None:
        return None

    async def intend(self, batch: StoredBatch) -> None:
        self.batches[batch.intent] = batch

    async def note(self, intent: str, batch_id: str, status: str) -> None:
        self.batches[intent] = replace(self.batches[intent], batch_id=batch_id, status=status)

    async def drop(self, intent: str) -> None:
        del self.batches[intent]


class Api:
    """Batches that end at once; `outcomes` are what their lines say, one batch after another."""

    wire = SimpleNamespace(identity="https://models.example/v1", secrets=())

    def __init__(self, store: Store, *outcomes: Json, status: str = "completed") -> None:
        self.store, self.outcomes, self.status = store, list(outcomes), status

    async def upload(self, name: str, _lines: Sequence[bytes]) -> str:
        return name

    async def create(self, _file: str, _path: str, intent: str, _since: float, _run: str) -> BatchState:
        return replace(self.state(intent), status="validating")

    async def look(self, batch_id: str) -> BatchState:
        return self.state(batch_id)

    def state(self, intent: str) -> BatchState:
        return BatchState(intent, self.status, intent, "", "", intent, 0.0, 0, 0, "", "")

    async def lines(self, intent: str) -> AsyncIterator[dict[str, Any]]:
        if self.outcomes:
            outcome = self.outcomes.pop(0)
            for custom_id in self.store.batches[intent].ids:
                yield {"custom_id": custom_id, **outcome}


def ask(store: Store, api: Api, body: Json, patience: Patience) -> bytes:
    """What a call is answered."""

    async def send() -> bytes:
        batches = Batches(api, store, lambda _: None, patience)  # type: ignore[arg-type]
        request = Request("generation", "m", (), {}, Cell("s", 1), 1)
        async with asyncio.timeout(5):
            try:
                return (await batches.send(request, PATH, body)).content
            finally:
                await batches.close()

    return asyncio.run(send())


SOON = Patience(quiet_s=0.01, first_look_s=0.01)
GOOD = {"response": {"status_code": 200, "body": {"said": "yes"}}, "error": None}


@pytest.mark.parametrize("code", ["batch_expired", "batch_cancelled", "server_error"])
def test_a_line_that_nobody_answered_is_asked_again(code: str) -> None:
    store = Store()
    api = Api(store, {"response": None, "error": {"code": code, "message": ""}}, GOOD)
    assert ask(store, api, {"model": "m"}, SOON) == b'{"said":"yes"}'


def test_an_answer_with_a_lone_surrogate_is_that_of_a_live_call() -> None:
    body = '{"choices":[{"message":{"content":"a \\ud800 b \u00e9"}}]}'
    said = read_line(json.loads(f'{{"response": {{"status_code": 200, "body": {body}}}}}'), ())
    assert isinstance(said, WireAnswer)
    assert json.loads(said.content) == json.loads(body)


def test_the_deadline_counts_from_when_a_batch_was_meant_whichever_process_it_was() -> None:
    store = Store()
    api = Api(store, status="cancelled")
    moments = iter([0.0, *[7 * 3600.0] * 10])
    patience = Patience(quiet_s=0.01, first_look_s=0.01, live_after_s=6 * 3600.0, now=lambda: next(moments))
    with pytest.MonkeyPatch.context() as patch, pytest.raises(LeftToLive):
        patch.setattr("services.model.batches.SMALL_REST", 0)
        ask(store, api, {"model": "m"}, patience)


def test_the_deadline_is_one_for_all_waves() -> None:
    store = Store([StoredBatch("earlier", ("of an earlier wave",), "batch_1", "completed", 0.0)])
    patience = Patience(quiet_s=0.01, first_look_s=0.01, live_after_s=6 * 3600.0, now=lambda: 7 * 3600.0)
    api = Api(store, GOOD)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(LeftToLive):
        patch.setattr("services.model.batches.SMALL_REST", 0)
        ask(store, api, {"model": "m"}, patience)
    assert set(store.batches) == {"earlier"}, "no further batch is made"


def test_any_mapping_is_an_object_of_the_body_and_what_is_no_json_is_an_error() -> None:
    store = Store()
    frozen = {"model": "m", "response_format": MappingProxyType({"type": "json"})}
    assert ask(store, Api(store, GOOD), frozen, SOON) == b'{"said":"yes"}'


def test_a_wave_that_cannot_be_written_fails_its_calls() -> None:
    def broken(_calls: object) -> None:
        raise ValueError("no line of it")

    with pytest.MonkeyPatch.context() as patch, pytest.raises(ValueError, match="no line of it"):
        patch.setattr("services.model.batches.cut", broken)
        ask(Store(), Api(Store()), {"model": "m"}, SOON)


REQUEST = Request("generation", "m", (), {}, Cell("s", 1), 1)
NO_CREDIT = {"response": {"status_code": 429, "body": {"error": {"code": "insufficient_quota", "message": "none"}}}}
NEVER = Patience(quiet_s=3600, first_look_s=0.01)


async def started(batches: Batches, *bodies: Json) -> list["asyncio.Task[WireAnswer]"]:
    """Calls that wait."""
    tasks = [asyncio.ensure_future(batches.send(REQUEST, PATH, body)) for body in bodies]
    await asyncio.sleep(0)
    return tasks


def test_a_stop_ends_the_calls_that_are_in_no_batch_and_no_further_wave_is_made() -> None:
    async def stop() -> None:
        store = Store()
        batches = Batches(Api(store, GOOD), store, lambda _: None, NEVER)  # type: ignore[arg-type]
        waiting = await started(batches, {"a": 1})
        batches.shut("SIGINT")
        waiting += await started(batches, {"a": 2})
        ends = await asyncio.gather(*waiting, return_exceptions=True)
        assert [repr(end) for end in ends] == ["StopRequested('SIGINT')"] * 2
        assert store.batches == {}
        await batches.close()

    asyncio.run(stop())


def test_a_stop_waits_for_no_batch_at_work_which_stays_for_who_goes_on() -> None:
    class Slow(Api):
        status_now = "in_progress"
        looked = asyncio.Event()

        async def look(self, batch_id: str) -> BatchState:
            self.looked.set()
            return await super().look(batch_id)

        def state(self, intent: str) -> BatchState:
            return replace(super().state(intent), status=self.status_now)

    async def stop() -> None:
        store = Store()
        api = Slow(store, GOOD)
        batches = Batches(api, store, lambda _: None, SOON)  # type: ignore[arg-type]
        (waiting,) = await started(batches, {"a": 1})
        await api.looked.wait()
        batches.shut("the judge is given up")
        with pytest.raises(StopRequested):
            await waiting
        api.status_now = "completed"
        for _ in range(20):
            await asyncio.sleep(0)
        await batches.forget_ended()
        await batches.close()
        assert len(store.batches) == 1
        later = Batches(api, store, lambda _: None, SOON)  # type: ignore[arg-type]
        (again,) = await started(later, {"a": 1})
        assert (await again).content == b'{"said":"yes"}'
        await later.close()

    asyncio.run(stop())


def test_a_line_that_failed_is_not_sent_once_more_after_a_stop() -> None:
    class Stopping(Api):
        stop: Callable[[str], None]

        async def lines(self, intent: str) -> AsyncIterator[dict[str, Any]]:
            self.stop("SIGINT")
            async for line in super().lines(intent):
                yield line

    async def send() -> int:
        store = Store()
        api = Stopping(store, {"response": {"status_code": 500, "body": {}}})
        batches = Batches(api, store, lambda _: None, SOON)  # type: ignore[arg-type]
        api.stop = batches.shut
        with pytest.raises(StopRequested):
            await batches.send(REQUEST, PATH, {"a": 1})
        await batches.close()
        return len(store.batches)

    assert asyncio.run(send()) == 1


def test_no_credit_refuses_every_call_at_once_and_is_asked_again_by_who_comes_back() -> None:
    store = Store()
    with pytest.raises(ServerError) as refused:
        ask(store, Api(store, NO_CREDIT, GOOD), {"model": "m"}, SOON)
    assert refused.value.code == "insufficient_quota"
    assert len(store.batches) == 1
    assert ask(store, Api(store, NO_CREDIT, GOOD), {"model": "m"}, SOON) == b'{"said":"yes"}'


def test_the_lines_of_a_wave_are_made_when_it_is_sent_one_file_at_a_time() -> None:
    class Watched(Api):
        uploads = 0

        async def upload(self, name: str, lines: Iterable[bytes]) -> str:
            self.uploads += 1
            assert self.uploads == 1
            assert iter(lines) is lines
            await asyncio.sleep(0)
            self.uploads -= 1
            return name

    async def send() -> None:
        store = Store()
        batches = Batches(Watched(store, GOOD, GOOD), store, lambda _: None, SOON)  # type: ignore[arg-type]
        await asyncio.gather(*await started(batches, {"a": 1}, {"a": 2}))
        assert len(store.batches) == 2
        await batches.close()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("services.model.waves.MOST_LINES", 1)
        asyncio.run(send())


def test_no_wave_ends_while_live_calls_may_bring_further_ones() -> None:
    async def send() -> list[int]:
        store, under_way = Store(), 1
        at_once = replace(SOON, quiet_s=0)
        api = Api(store, GOOD)
        batches = Batches(api, store, lambda _: None, at_once, lambda: under_way)  # type: ignore[arg-type]
        waiting = await started(batches, {"a": 1})
        for _ in range(20):
            await asyncio.sleep(0)
        waiting += await started(batches, {"a": 2})
        under_way = 0
        await asyncio.gather(*waiting)
        await batches.close()
        return [len(batch.ids) for batch in store.batches.values()]

    assert asyncio.run(send()) == [2]


def test_a_wave_ends_after_its_longest_gathering_whatever_is_under_way() -> None:
    async def send() -> bytes:
        store = Store()
        patience = replace(SOON, gathering_s=0.0)
        batches = Batches(Api(store, GOOD), store, lambda _: None, patience, lambda: 1)  # type: ignore[arg-type]
        async with asyncio.timeout(5):
            answer = await batches.send(REQUEST, PATH, {"a": 1})
        await batches.close()
        return answer.content

    assert asyncio.run(send()) == b'{"said":"yes"}'
