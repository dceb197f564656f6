"""The batches of a pass as they are written down: which there are, and which of them holds a call."""

import hashlib
from collections.abc import Collection
from dataclasses import replace

from services.model.batch_api import BatchState
from services.stored_batch import BatchStore, StoredBatch


class KnownBatches:
    """The batches of one pass at one endpoint. Whatever is said of one is on disk before it counts here."""

    def __init__(self, store: BatchStore) -> None:
        self._store = store
        self._by_intent = {batch.intent: batch for batch in store.known()}
        self._holding = {custom_id: batch.intent for batch in self._by_intent.values() for custom_id in batch.ids}
        self.followed: set[str] = set()
        """Intents of those that this process makes, or has taken up again."""
        self.since = min((batch.intended_at for batch in self._by_intent.values()), default=None)
        """When the first batch was meant, by whichever process: who comes back the next day has waited for a day."""

    @property
    def intents(self) -> frozenset[str]:
        """Of all of them."""
        return frozenset(self._by_intent)

    def holding(self, custom_id: str) -> StoredBatch | None:
        """The batch with the line of a call; None where none has it."""
        intent = self._holding.get(custom_id)
        return None if intent is None else self._by_intent[intent]

    def status_of(self, batch: StoredBatch) -> str:
        """The last that was seen of it, by whichever process; empty before."""
        return self._by_intent[batch.intent].status

    def add(self, batch: StoredBatch) -> None:
        """Takes in one that is written down already."""
        self._by_intent[batch.intent] = batch
        self._holding.update(dict.fromkeys(batch.ids, batch.intent))

    async def intend(self, ids: Collection[str], now: float) -> StoredBatch:
        """A new one, written down before anything of it is sent."""
        # With its time: the same ids may have been in a batch before, which is not to be found for this one.
        intent = hashlib.sha256("\n".join((repr(now), *sorted(ids))).encode()).hexdigest()
        batch = StoredBatch(intent, tuple(ids), "", "", now)
        if self.since is None:
            self.since = now
        self.add(batch)
        self.followed.add(intent)
        await self._store.intend(batch)
        return batch

    async def note(self, batch: StoredBatch, state: BatchState) -> None:
        """Writes down what became of one."""
        await self._store.note(batch.intent, state.id, state.status)
        self._by_intent[batch.intent] = replace(batch, batch_id=state.id, status=state.status)

    async def drop(self, batch: StoredBatch) -> None:
        """Forgets one: its calls are in no batch then."""
        await self._store.drop(batch.intent)
        for custom_id in batch.ids:
            self._holding.pop(custom_id, None)
        self.followed.discard(batch.intent)
