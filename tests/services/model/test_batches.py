"""Calls that wait for batches: each gets an answer, a reason or the live wire, and none waits for ever."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest

from evaluation.records import Cell, Json, Request
from services.model.batch_api import BatchState
from services.model.batches import Batches, LeftToLive, Patience
from services.stored_batch import StoredBatch

PATH = "/chat/completions"


class Store:
    """In memory."""

    def __init__(self, known: Sequence[StoredBatch] = ()) -> None:
        self.batches = {batch.intent: batch for batch in known}

    def known(self) -> Sequence[StoredBatch]:
        return list(self.batches.values())

    async def intend(self, batch: StoredBatch) -> None:
        self.batches[batch.intent] = batch

    async def note(self, intent: str, batch_id: str, status: str) -> None:
        """Nothing is asked of it."""

    async def drop(self, intent: str) -> None:
        del self.batches[intent]


class Api:
    """Batches that end at once; `outcomes` are what their lines say, one batch after another."""

    wire = SimpleNamespace(identity="https://models.example/v1", secrets=())

    def __init__(self, store: Store, *outcomes: Json, status: str = "completed") -> None:
        self.store, self.outcomes, self.status = store, list(outcomes), status

    async def upload(self, name: str, _lines: Sequence[bytes]) -> str:
        return name

    async def create(self, _file: str, _path: str, intent: str, _since: float) -> BatchState:
        return self.state(intent)

    async def look(self, batch_id: str) -> BatchState:
        return self.state(batch_id)

    def state(self, intent: str) -> BatchState:
        return BatchState(intent, self.status, intent, "", 0, 0, 0, "", "")

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


def test_the_deadline_counts_from_when_a_batch_was_meant_whichever_process_it_was() -> None:
    store = Store()
    api = Api(store, status="cancelled")
    moments = iter([0.0, *[7 * 3600.0] * 10])
    patience = Patience(quiet_s=0.01, first_look_s=0.01, live_after_s=6 * 3600.0, now=lambda: next(moments))
    with pytest.MonkeyPatch.context() as patch, pytest.raises(LeftToLive):
        patch.setattr("services.model.batches.SMALL_REST", 0)
        ask(store, api, {"model": "m"}, patience)


def test_any_mapping_is_an_object_of_the_body_and_what_is_no_json_is_an_error() -> None:
    store = Store()
    frozen = {"model": "m", "response_format": MappingProxyType({"type": "json"})}
    assert ask(store, Api(store, GOOD), frozen, SOON) == b'{"said":"yes"}'


def test_a_wave_that_cannot_be_written_fails_its_calls() -> None:
    def broken(_calls: object) -> None:
        raise ValueError("no line of it")

    with pytest.MonkeyPatch.context() as patch, pytest.raises(ValueError, match="no line of it"):
        patch.setattr("services.model.batches._cut", broken)
        ask(Store(), Api(Store()), {"model": "m"}, SOON)
