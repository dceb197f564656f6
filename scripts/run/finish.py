"""The end of a run: concluded, delivered, and its files written."""

import time
from dataclasses import dataclass, field, replace

from evaluation.estimate import Estimate
from evaluation.outcome import RunOutcome
from evaluation.run import Run
from scripts.run.deliver import deliver
from scripts.run.stop import End, Stop
from scripts.run.stored import conclude_run
from scripts.run.wiring import Wiring
from scripts.shell import DONE, GATE_FAILED, INCOMPLETE, INTERRUPTED
from services.langfuse.session import LangfuseSession
from services.run_folder import point_latest


@dataclass(frozen=True, slots=True)
class Outcome:
    """The content that a command prints, and its exit code."""

    runs: tuple[RunOutcome, ...] = field(repr=False)
    """Not in its repr, which asyncio.run takes of its result at the end: of a large run, tens of megabytes."""
    stop: Stop
    """The way their playing ended."""
    estimate: Estimate | None = None
    """Of a dry run, which has no runs."""

    @property
    def exit_code(self) -> int:
        """The first that applies: interrupted, gate short of coverage, incomplete, gate failed, done."""
        if self.stop.interrupted:
            return INTERRUPTED
        if any(run.short_of_coverage for run in self.runs):
            return GATE_FAILED
        if any(run.incomplete for run in self.runs):
            return INCOMPLETE
        if any(run.gate is not None and not run.gate.passed for run in self.runs):
            return GATE_FAILED
        return DONE


async def finish_run(run: Run, wiring: Wiring, session: LangfuseSession | None, end: End | None) -> RunOutcome:
    """Concludes a run, delivers the rest of it, and writes its files. May be repeated: the files are replaced.

    Without an end it is an earlier run that stands for a new one: its files stay as they are.
    """
    from scripts.run.files import write_files  # a page is thought of when a run has ended, not before

    outcome = conclude_run(run, wiring.journal, wiring.settings, wiring.request, end)
    if end is None:
        return replace(outcome, stored=True)
    if session is not None:
        outcome = await deliver(outcome, wiring, session, end)
    write_files(outcome, wiring.journal, wiring.settings)
    wiring.journal.finish_run(run.run_id, outcome.state, time.time())
    point_latest(wiring.settings.runs_dir, run.run_id)
    return outcome
