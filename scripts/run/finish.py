"""The end of a run: concluded, delivered, and its files written."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from evaluation.delivered import LangfuseReport
from evaluation.estimate import Estimate
from evaluation.outcome import RunOutcome
from evaluation.run import Run
from scripts.run.deliver import run_figures
from scripts.run.files import write_files
from scripts.run.stop import Stop
from scripts.run.stored import conclude_run
from scripts.run.wiring import Wiring
from scripts.shell import DONE, GATE_FAILED, INCOMPLETE, INTERRUPTED, note
from services.journal import RunState
from services.langfuse.preflight import trace_page
from services.langfuse.session import LangfuseSession
from services.run_folder import point_latest

DRAIN_INTERRUPTED_S = 10.0
"""Longest wait for Langfuse when the run was interrupted."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The content that a command prints, and its exit code."""

    runs: tuple[RunOutcome, ...] = field(repr=False)
    """Not in its repr, which asyncio.run takes of its result at the end: of a large run, tens of megabytes."""
    exit_code: int
    estimate: Estimate | None = None
    """Of a dry run, which has no runs."""
    stop_reason: str = ""


@dataclass(frozen=True, slots=True)
class End:
    """The way some runs came to their end."""

    stop: Stop
    wall_seconds: float


async def finish_run(run: Run, wiring: Wiring, session: LangfuseSession | None, end: End) -> RunOutcome:
    """Concludes a run, delivers the rest of it, and writes its files. May be repeated: the files are replaced."""
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


async def deliver(outcome: RunOutcome, wiring: Wiring, session: LangfuseSession, end: End) -> RunOutcome:
    """Delivers the rest of a run; the outcome with what Langfuse confirmed of it."""
    report = await session.finish(
        outcome.run.run_id,
        run_figures(outcome.summary, outcome.decision),
        ended=not end.stop.reason,
        deadline_s=DRAIN_INTERRUPTED_S if end.stop.interrupted else wiring.settings.delivery_seconds,
        progress=None if wiring.request.quiet else note,
    )
    return outcome if report is None else with_langfuse(outcome, report)


def with_langfuse(outcome: RunOutcome, report: LangfuseReport) -> RunOutcome:
    """The outcome with what Langfuse holds of the run, and where."""
    links = {f"experiment r{repeat}": url for repeat, url in enumerate(report.experiments, start=1)}
    links |= {} if report.comparison_url is None else {"beside the previous version": report.comparison_url}
    if page := trace_page(report.url):
        weakest = [each.result.exchange.cell for each in outcome.summary.weakest]
        shown = {cell: report.trace_ids[cell] for cell in weakest if cell in report.trace_ids}
        links |= {f"trace of {cell.scenario_id} r{cell.repeat}": f"{page}{trace}" for cell, trace in shown.items()}
    return replace(
        outcome,
        langfuse=report,
        incomplete=outcome.incomplete or not report.complete,
        notes=(*outcome.notes, report.line(), *report.problems),
        links=links,
        next_command=outcome.next_command or ("make sync" if report.waiting else ""),
    )


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
