"""The batches of a pass that its journal has lost: found in the endpoint's list by the name of the pass.

What they hold is paid for, or will be. Which calls are in one, its input file says, else its answers.
"""

from collections.abc import Collection
from contextlib import aclosing

from services.model.batch_api import FINAL, BatchApi
from services.stored_batch import BatchStore, StoredBatch


async def find_lost(api: BatchApi, store: BatchStore, known: Collection[str]) -> list[StoredBatch]:
    """Those that are not among the `known` intents, written down, the oldest first; none where none is missing."""
    since = store.lost_since()
    if since is None:
        return []
    batches = []
    for listed in reversed(await api.of_run(store.group_id, since)):
        if listed.intent in known:
            continue
        ids: tuple[str, ...] = ()
        for file_id in (listed.input_file, listed.output_file, listed.error_file):
            ids = ids or await _ids(api, file_id)
        # What an earlier process heard of one that ended is not known: it is asked again, and not said again.
        status = listed.status if listed.status in FINAL else ""
        batches.append(StoredBatch(listed.intent, ids, listed.id, status, listed.created_at))
    await store.found(batches)
    return batches


async def _ids(api: BatchApi, file_id: str) -> tuple[str, ...]:
    """The calls that a file names; none where it is no longer there."""
    if not file_id:
        return ()
    async with aclosing(api.lines(file_id)) as lines:
        return tuple([str(line["custom_id"]) async for line in lines if "custom_id" in line])
