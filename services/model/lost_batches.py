"""The batches of a pass that its journal has lost: found in the endpoint's list by the name of the pass.

What they hold is paid for, or will be. Which calls are in one, its input file says, else its answers.
"""

from contextlib import aclosing
from dataclasses import dataclass

from services.model.batch_api import FINAL, BatchApi
from services.stored_batch import BatchStore, StoredBatch


@dataclass(frozen=True, slots=True)
class LostBatches:
    """Looks for them."""

    api: BatchApi
    store: BatchStore

    async def find(self, known: frozenset[str]) -> list[StoredBatch]:
        """Those that are not among the `known` intents, written down, the oldest first; none where none is missing."""
        since = self.store.lost_since()
        if since is None:
            return []
        batches = []
        for listed in reversed(await self.api.of_run(self.store.group_id, since)):
            if listed.intent in known:
                continue
            ids = await self._ids(listed.input_file)
            for file_id in (listed.state.output_file, listed.state.error_file):
                ids = ids or await self._ids(file_id)
            # What an earlier process heard of one that ended is not known: it is asked again, and not said again.
            status = listed.state.status if listed.state.status in FINAL else ""
            batches.append(StoredBatch(listed.intent, ids, listed.state.id, status, listed.created_at))
        await self.store.found(batches)
        return batches

    async def _ids(self, file_id: str) -> tuple[str, ...]:
        """The calls that a file names; none where it is no longer there."""
        if not file_id:
            return ()
        async with aclosing(self.api.lines(file_id)) as lines:
            return tuple([str(line["custom_id"]) async for line in lines if "custom_id" in line])
