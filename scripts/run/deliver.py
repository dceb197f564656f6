"""What Langfuse is shown of a run, taken from what the core knows, and the session that delivers it."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from evaluation.decision.decide import Decision
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.summary.summarise import Summary
from scripts.shell import note
from services.journal import Journal
from services.langfuse.names import own_name, score_name
from services.langfuse.outbox import Figure
from services.langfuse.session import LangfuseSession
from services.settings import Settings


@asynccontextmanager
async def open_session(
    runs: Sequence[Run], journal: Journal, request: EvaluationRequest, settings: Settings
) -> AsyncIterator[LangfuseSession | None]:
    """Langfuse beside the runs: checked before the first exchange, fed behind it. None where it is not wanted."""
    session = LangfuseSession.wanted(
        settings,
        journal,
        runs,
        enabled=request.langfuse,
        deliver_rehearsal=request.deliver_rehearsal,
    )
    if session is None:
        yield None
        return
    async with session:
        for line in () if request.quiet else session.notes():
            note(line)
        yield session


def run_figures(summary: Summary, decision: Decision) -> tuple[Figure, ...]:
    """What is shown of the run as a whole: the means of the deciding sources, coverage and decision."""
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
    )
    named = [Figure(own_name(summary.suite, name), value, why) for name, value, why in of_the_run if value is not None]
    return (*figures, *named)


def _mean_comment(count: int, coverage: float | None) -> str:
    share = "" if coverage is None else f", {coverage:.0%} of the plan"
    return f"mean over the whole run ({count} exchanges{share})"
