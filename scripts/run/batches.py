"""Calls in batches, at half the price, where the request asks for it: opened for a pass, and closed with it."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from evaluation.commands import write_command
from evaluation.errors import UsageError
from evaluation.run import Run
from evaluation.text.numbers import times
from scripts.run.stored import RESUME
from scripts.run.wiring import Wiring
from scripts.shell import note
from services.journal import JournaledBatches
from services.model.endpoint import Endpoint
from services.retrying import Retries

OPEN_CELLS = 20_000
"""Cells under way at a time: each waits for its batch, and a batch holds up to 50,000 calls."""
GRACE_SECONDS = 1.0
"""After a signal: what waits for a batch is not waited for."""
USUAL_HOURS = 6.0
"""With `--batch auto`: how long batches may take together before what is left is asked live."""


@asynccontextmanager
async def in_batches(runs: Sequence[Run], wiring: Wiring) -> AsyncIterator[None]:
    """While inside, models are asked in batches, where the request says so; else live, as ever.

    Raises UsageError where the rehearsal model is asked.
    """
    if wiring.request.batch is None:
        yield
        return
    refuse_without_batches(wiring)
    async with AsyncExitStack() as stack:
        for endpoint in wiring.endpoints.by_identity.values():
            await stack.enter_async_context(_open(endpoint, runs[0].group_id, wiring))
        yield


def refuse_without_batches(wiring: Wiring) -> None:
    """Raises UsageError where batches are asked for of a model that has none."""
    if wiring.request.batch is not None and wiring.choice.rehearsal:
        raise UsageError(
            "--batch: the rehearsal model has no batches: set OPENAI_API_KEY or OPENAI_BASE_URL, or leave it out"
        )


def unread_elsewhere(store: JournaledBatches) -> list[str]:
    """A line for each run that was ended while its batches were at work: nobody else takes up what is paid there."""
    calls = store.of_others()
    if not calls:
        return []
    runs = {run.group_id: run.run_id for run in store.journal.runs(inputs=False) if run.group_id in calls}
    return [
        f"run {runs[group]} has {times(many, 'call')} in batches that it has not read: go on with them by "
        f"{write_command('eval', RESUME, runs[group])}"
        for group, many in calls.items()
        if group in runs
    ]


@asynccontextmanager
async def _open(endpoint: Endpoint, group_id: str, wiring: Wiring) -> AsyncIterator[None]:
    from services.model.batch_api import BatchApi
    from services.model.batches import Batches
    from services.model.waves import Patience

    hours = wiring.request.batch_hours or USUAL_HOURS
    patience = Patience(live_after_s=hours * 3600 if wiring.request.batch == "auto" else None)
    store = JournaledBatches(wiring.journal, group_id, endpoint.identity)
    say = (lambda _: None) if wiring.request.quiet else note
    for unread in unread_elsewhere(store):
        say(unread)
    api = BatchApi(endpoint.wire, Retries(), variable=wiring.endpoints.variable_of(endpoint))
    batches = endpoint.batches = Batches(
        *(api, store, say, patience, wiring.calls_under_way), first_live=wiring.request.max_cost is not None
    )
    try:
        yield
        await batches.forget_ended()
    finally:
        endpoint.batches = None
        await batches.close()
