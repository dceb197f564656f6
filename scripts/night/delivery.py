"""Production against its baseline, as scores of the night's run in Langfuse."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace

from evaluation.delivered import LangfuseReport
from evaluation.nightly.night import NightReport
from evaluation.outcome import RunOutcome
from evaluation.reports.nightly import headline, reasons
from scripts.run.deliver import run_figures
from scripts.shell import DONE, INCOMPLETE
from services.journal import Journal
from services.langfuse.outbox import Figure, OpenCells
from services.langfuse.scores import own_name
from services.langfuse.session import LangfuseSession
from services.settings import Settings


def deliver_night(report: NightReport, production: RunOutcome, journal: Journal, settings: Settings) -> NightReport:
    """The report once the scores are delivered; as it was where Langfuse has nothing of the run.

    They are in the outbox first: while Langfuse still lacks the run itself, `make sync` delivers them with the rest.
    """
    before = production.langfuse
    if before is None or report.gate is None:
        return report
    run = production.run
    figures = (*run_figures(production.summary, production.decision), *night_figures(report, run.suite.name))
    OpenCells(run, journal).enqueue_rest(failed=False, figures=figures)
    if not before.complete:
        return report
    session = LangfuseSession(settings, journal, run.suite, judged=run.judge is not None)
    session.take([run])
    after = asyncio.run(_delivered(session, run.run_id, figures, settings.delivery_seconds))
    return report if after is None else with_delivery(report, before, after)


def night_figures(report: NightReport, suite: str) -> Iterator[Figure]:
    """An alarm (1) or none (0), the overall's difference from the baseline, and the noise floor."""
    night, gate = report.night, report.gate
    if gate is None or not gate.measured:
        return
    why = "\n".join([headline(report), *reasons(report)])
    yield Figure(own_name(suite, "night.alarm"), float(bool(gate.raised)), why)
    if night.difference is not None:
        why = f"overall against baseline {night.baseline_run_id}"
        yield Figure(own_name(suite, "night.difference"), night.difference, why)
    if night.noise_floor is not None:
        why = "differences of the overall up to this are noise"
        yield Figure(own_name(suite, "night.noise_floor"), night.noise_floor, why)


def with_delivery(report: NightReport, before: LangfuseReport, after: LangfuseReport) -> NightReport:
    """The report with what Langfuse confirmed in the end; what is still missing makes the night incomplete."""
    notes = (*(after.line() if text == before.line() else text for text in report.notes), *after.problems)
    report = replace(report, notes=notes)
    if after.complete or report.gate is None or not report.gate.measured:
        return report
    night = report.night
    state = "incomplete" if night.state == "ok" else night.state
    code = INCOMPLETE if night.exit_code in (DONE, None) or night.state == "alarm" else night.exit_code
    return replace(report, night=replace(night, state=state, exit_code=code), next_command="make sync")


async def _delivered(
    session: LangfuseSession, run_id: str, figures: Sequence[Figure], deadline_s: float
) -> LangfuseReport | None:
    async with session:
        return await session.finish(run_id, figures, ended=False, deadline_s=deadline_s)
