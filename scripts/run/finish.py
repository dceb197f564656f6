"""The end of a run: concluded, delivered, and its files written."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from evaluation.estimate import Estimate
from evaluation.outcome import RunOutcome
from evaluation.run import Run
from scripts.run.deliver import deliver
from scripts.run.stop import End, Stop
from scripts.run.stored import conclude_run
from scripts.run.wiring import Wiring
from scripts.shell import DONE, GATE_FAILED, INCOMPLETE, INTERRUPTED
from services.journal import RunState
from services.langfuse.session import LangfuseSession
from services.run_folder import point_latest


@dataclass(frozen=True, slots=True)
class Outcome:
    """The content that a command prints, and its exit code."""

    runs: tuple[RunOutcome, ...] = field(repr=False)
    """Not in its repr, which asyncio.run takes of its result at the end: of a large run, tens of megabytes."""
    exit_code: int
    estimate: Estimate | None = None
    """Of a dry run, which has no runs."""
    stop_reason: str = ""


async def finish_run(run: Run, wiring: Wiring, session: LangfuseSession | None, end: End) -> RunOutcome:
    """Concludes a run, delivers the rest of it, and writes its files. May be repeated: the files are replaced."""
    from scripts.run.files import write_files  # a page is thought of when a run has ended, not before

    outcome = conclude_run(
        run,
        wiring.journal,
        wiring.settings,
        wiring.request,
        wall_seconds=end.wall_seconds,
        stop_reason=end.stop.reason,
    )
    if session is not None:
        outcome = await deliver(outcome, wiring, session, end)
    write_files(outcome, wiring.journal, wiring.settings)
    wiring.journal.finish_run(run.run_id, run_state(outcome), time.time())
    point_latest(wiring.settings.runs_dir, run.run_id)
    return outcome


def run_state(outcome: RunOutcome) -> RunState:
    """Finished when every planned exchange was answered; what Langfuse lacks is the outbox's business."""
    counts = outcome.summary.counts
    return "incomplete" if counts.failed or counts.skipped else "finished"


def stored_outcome(run: Run, wiring: Wiring) -> RunOutcome:
    """An earlier run as it stands in the journal; its files stay as they are."""
    return replace(conclude_run(run, wiring.journal, wiring.settings, wiring.request), stored=True)


def exit_code(outcomes: Sequence[RunOutcome], stop: Stop) -> int:
    """The first that applies: interrupted, gate short of coverage, incomplete, gate failed, done."""
    if stop.interrupted:
        return INTERRUPTED
    if any(outcome.short_of_coverage for outcome in outcomes):
        return GATE_FAILED
    if any(outcome.incomplete for outcome in outcomes):
        return INCOMPLETE
    if any(outcome.gate is not None and not outcome.gate.passed for outcome in outcomes):
        return GATE_FAILED
    return DONE
