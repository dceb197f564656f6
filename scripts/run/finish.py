"""The end of runs: concluded, delivered to Langfuse, and their files written."""

import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from evaluation.decision.critical import name_items
from evaluation.decision.decide import Decision
from evaluation.estimate import Estimate
from evaluation.outcome import Ending, RunOutcome
from evaluation.run import Run
from evaluation.summary.expectations import ItemSummary
from evaluation.summary.summary import Summary
from scripts.run.start import write_origin
from scripts.run.stop import Stop
from scripts.run.stored import conclude_run
from scripts.run.wiring import Wiring
from scripts.shell import DONE, GATE_FAILED, INCOMPLETE, INTERRUPTED, note
from services.langfuse.score_names import (
    CRITICAL,
    MET,
    Figure,
    conversation_name,
    kinds_of_run,
    own_name,
    score_name,
)
from services.langfuse.session import LangfuseSession
from services.run_folder import point_latest

DRAIN_INTERRUPTED_S = 10.0
"""Longest wait for Langfuse when the run was interrupted."""


@asynccontextmanager
async def open_session(runs: Sequence[Run], wiring: Wiring) -> AsyncIterator[LangfuseSession | None]:
    """Langfuse beside the runs of one suite: checked before the first call that is paid. None where it is not wanted.

    A stand-in's runs are delivered only where the request asks for it; those of production never, as its responses
    have traces of their own.
    """
    request, session = wiring.request, None
    if runs and not runs[0].spec.of_production and (request.deliver_rehearsal or not runs[0].spec.embedded):
        session = LangfuseSession.configure(
            wiring.settings,
            wiring.journal,
            [kind for run in runs for kind in kinds_of_run(run)],
            enabled=request.langfuse,
        )
    if session is None:
        yield None
        return
    async with session:
        for line in () if request.quiet else session.notes:
            note(line)
        yield session


async def deliver(outcome: RunOutcome, wiring: Wiring, session: LangfuseSession, end: Ending) -> RunOutcome:
    """Delivers the rest of a run; the outcome with what Langfuse confirmed of it."""
    figures = run_figures(outcome.summary, outcome.decision)
    report = await session.finish(
        outcome.run.run_id,
        figures,
        ended=not end.stop_reason,
        deadline_s=DRAIN_INTERRUPTED_S if end.interrupted else wiring.settings.delivery_seconds,
        progress=None if wiring.request.quiet else note,
    )
    return outcome if report is None else outcome.with_langfuse(report)


def run_figures(summary: Summary, decision: Decision) -> tuple[Figure, ...]:
    """The figures of the run as a whole: the means of the deciding sources, coverage and decision."""
    combined = summary.metrics.get("combined", {})
    figures = []
    for source, metrics in summary.metrics.items():
        for metric, found in metrics.items():
            mean = found.estimate.mean
            shown = source == summary.source or metric == summary.overall
            shown = shown or source == "check" or (source == "heuristic" and metric not in combined)
            if mean is not None and shown:
                comment = _mean_comment(found.estimate.n, found.coverage)
                figures.append(Figure(score_name(summary.suite, source, metric), mean, comment))
    deciding = summary.deciding()
    coverage = None if deciding is None else deciding.coverage
    of_the_run = (
        ("coverage", coverage, "share of planned exchanges scored"),
        ("failures", float(summary.counts.failed), "exchanges that failed"),
        ("fallbacks", float(summary.fallbacks), "verdicts that were not read"),
        ("decision", decision.verdict, "\n".join(decision.reasons)),
        *_of_expectations(summary.expectations),
    )
    figures += _of_conversations(summary)
    named = [Figure(own_name(summary.suite, name), value, why) for name, value, why in of_the_run if value is not None]
    return (*figures, *named)


def _of_conversations(summary: Summary) -> Iterator[Figure]:
    """The means of what the judge scores of conversations as a whole."""
    found = summary.conversations
    for metric, each in () if found is None else found.metrics.items():
        if each.estimate.mean is not None:
            share = "" if each.coverage is None else f", {each.coverage:.0%} of the plan"
            comment = f"mean over the whole run ({each.estimate.n} conversations{share})"
            yield Figure(conversation_name(summary.suite, metric), each.estimate.mean, comment)


def _of_expectations(found: ItemSummary | None) -> Iterator[tuple[str, float | None, str]]:
    """The share met, and how many critical ones fail in more than half of their repeats and are not waived."""
    if found is not None:
        met, failed = found.met, found.critical.failed
        yield MET, met.estimate.mean, _mean_comment(met.estimate.n, met.coverage)
        yield CRITICAL, float(len(failed)), name_items(failed) or f"of {found.critical.of} critical expectations"


def _mean_comment(count: int, coverage: float | None) -> str:
    share = "" if coverage is None else f", {coverage:.0%} of the plan"
    return f"mean over the whole run ({count} exchanges{share})"


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


async def finish_run(run: Run, wiring: Wiring, session: LangfuseSession | None, end: Ending | None) -> RunOutcome:
    """Concludes a run, delivers the rest of it, and writes its files. May be repeated: the files are replaced.

    Without an end it is an earlier run that stands for a new one: its files stay as they are.
    """
    from scripts.run.files import write_files  # a page is thought of when a run has ended, not before
    from scripts.run.index import note_run

    outcome = conclude_run(run, wiring.journal, wiring.settings, wiring.request, end)
    if end is None:
        return replace(outcome, stored=True)
    if session is not None:
        outcome = await deliver(outcome, wiring, session, end)
    # Files beside a journal that is gone would say of a run that it was kept.
    wiring.journal.writer.check_place()
    write_origin(run, wiring.settings)
    write_files(outcome, wiring.journal, wiring.settings)
    wiring.journal.finish_run(run.run_id, outcome.state, time.time())
    note_run(outcome, wiring.journal)
    if not run.is_sample:
        point_latest(wiring.settings.runs_dir, run.run_id)
    return outcome
