"""What Langfuse is shown of a run, taken from what the core knows, and the session that delivers it."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from evaluation.decision.decide import Decision
from evaluation.request import EvaluationRequest, varied
from evaluation.run import Run
from evaluation.suites import SUITES, Suites
from evaluation.summary.summarise import Summary
from scripts.run.stored import read_run
from scripts.shell import note
from services.journal import Journal, StoredRun
from services.langfuse.run_plan import EvaluatedRun, Figure, RunFigures
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
        [evaluated_run(run, all_scores=request.langfuse_scores == "all") for run in runs],
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


def evaluated_run(run: Run, *, all_scores: bool = False) -> EvaluatedRun:
    """A planned run as the projection needs it."""
    suite = run.suite
    judge = suite.judge
    return EvaluatedRun(
        record=run,
        scenarios={scenario.id: scenario for scenario in run.scenarios},
        metrics=suite.metrics,
        checks=suite.checks,
        overall=suite.overall,
        low=suite.low,
        high=suite.high,
        judge_low=suite.low if judge is None else judge.low,
        judge_high=suite.high if judge is None else judge.high,
        levels=tuple((level.name, level.at_least) for level in suite.levels),
        decides=suite.decision is not None,
        all_scores=all_scores,
        setting=varied(run.request),
    )


def evaluated_run_of(record: StoredRun, suites: Suites = SUITES) -> EvaluatedRun:
    """The same from the journal alone, under the run's own arguments."""
    run = read_run(record, suites)
    return evaluated_run(run, all_scores=run.request.langfuse_scores == "all")


def run_figures(summary: Summary, decision: Decision) -> RunFigures:
    """What is shown of the run as a whole: the means of the deciding sources, coverage and decision."""
    combined = summary.metrics.get("combined", {})
    means = []
    for source, metrics in summary.metrics.items():
        for metric, found in metrics.items():
            mean = found.estimate.mean
            shown = source == summary.source or metric == summary.overall
            shown = shown or source == "check" or (source == "heuristic" and metric not in combined)
            if mean is not None and shown:
                means.append(Figure(source, metric, mean, _mean_comment(found.estimate.n, found.coverage)))
    deciding = summary.deciding()
    return RunFigures(
        means=tuple(means),
        coverage=None if deciding is None else deciding.coverage,
        failures=summary.counts.failed,
        fallbacks=summary.fallbacks,
        decision=decision.verdict,
        reasons="\n".join(decision.reasons),
    )


def _mean_comment(count: int, coverage: float | None) -> str:
    share = "" if coverage is None else f", {coverage:.0%} of the plan"
    return f"mean over the whole run ({count} exchanges{share})"
