"""Delivering what earlier runs have left in the outbox, from a process of its own."""

from collections.abc import Callable, Mapping

from evaluation.delivered import LangfuseReport
from evaluation.errors import EvaluationError, UsageError
from services.journal import Journal, StoredRun
from services.journal.outbox import open_runs
from services.langfuse.cells import OpenCells
from services.langfuse.delivering import Progress, RunDelivery
from services.langfuse.preflight import LangfuseUnreachable, check_settings
from services.langfuse.rest import Timing
from services.langfuse.run_plan import EvaluatedRun
from services.settings import Settings


class LangfuseAway(EvaluationError):
    """The server does not answer: everything waits in the journal."""

    exit_code = 3


async def sync(
    settings: Settings,
    journal: Journal,
    plan_of: Callable[[StoredRun], EvaluatedRun],
    *,
    deadline_s: float,
    progress: Progress,
    timing: Timing | None = None,
) -> Mapping[str, LangfuseReport]:
    """Delivers and verifies everything that is open, run by run; run id -> report, empty when nothing is open.

    Raises UsageError without keys, with refused keys and for a server that is too old, LangfuseAway for one that does
    not answer.
    """
    if settings.langfuse is None:
        raise UsageError("LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY are not set: there is nowhere to deliver to")
    check_settings(settings)
    runs = {run_id: plan_of(journal.run(run_id)) for run_id in open_runs(journal)}
    if not runs:
        return {}
    delivery = RunDelivery(settings, journal, runs, timing or Timing())
    reports: dict[str, LangfuseReport] = {}
    async with delivery.opened():
        found = await delivery.preflight()
        if isinstance(found, LangfuseUnreachable):
            raise LangfuseAway(f"{found.message}: nothing was lost; run make sync again when it answers")
        for note in found.notes:
            progress(note)
        for run_id, run in runs.items():
            shown = OpenCells.of(run, journal).shown
            reports[run_id] = await delivery.finish(run_id, deadline_s, progress, (), shown)
    return reports
