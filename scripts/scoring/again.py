"""A stored run scored by the code of today, as a run of its own: its replies and verdicts are kept, nobody is asked."""

import asyncio
from dataclasses import replace
from itertools import islice

from evaluation.errors import UsageError
from evaluation.judging.judge import Judge
from evaluation.ports import Complete
from evaluation.records import Cell, Purpose, Reply, Request, Result, Scenario
from evaluation.run import Run
from evaluation.runner import evaluate_exchange
from evaluation.runspec import RunSpec, differences
from evaluation.suites.suite import Suite
from scripts.run.files import write_files
from scripts.run.finish import run_state
from scripts.run.plan import run_identifier
from scripts.run.start import manifest_document
from scripts.run.stored import conclude_run
from services.journal import Journal
from services.provenance import provenance
from services.run_folder import run_folder, write_json
from services.scorer import scorer_digest
from services.settings import PROJECT, Settings

KEPT: tuple[Purpose, ...] = ("judge", "canary", "moderation")
"""Purposes whose answers the new run takes over; replies stand in the results themselves."""
AT_ONCE = 500
"""Results that are scored and committed together."""


async def score_again(run: Run, journal: Journal, settings: Settings) -> Run:
    """The run under the present scorer: itself where that made it, else an earlier new scoring of it, or a new one.

    A new one has its parent's specification but for the scorer, and its parent's date: what it says was answered then.
    What failed for want of an answer stays failed. Raises UsageError where the journal lacks what the judge said.
    """
    spec = replace(run.spec, scorer=scorer_digest(run.suite.scored_by))
    if not differences(run.spec, spec):
        return run
    return _made_before(run, spec, journal) or await _made(run, spec, journal, settings)


def _made_before(run: Run, spec: RunSpec, journal: Journal) -> Run | None:
    """An earlier new scoring that holds all that the run holds by now."""
    final = journal.final_positions(run.run_id)
    for record in journal.runs():
        again = record.parent_run_id == run.run_id and not differences(record.spec, spec)
        if again and journal.final_positions(record.run_id) == final:
            return replace(
                run, run_id=record.run_id, group_id=record.group_id, parent_run_id=run.run_id, spec=record.spec
            )
    return None


async def _made(run: Run, spec: RunSpec, journal: Journal, settings: Settings) -> Run:
    judge = run.judge
    complete = _from_journal(run, judge, journal)
    run_id = run_identifier(run.created_at, f"{run.run_id.partition('-')[2]}-again")
    child = replace(
        run, run_id=run_id, group_id=run_id, parent_run_id=run.run_id, spec=spec, provenance=provenance(PROJECT)
    )
    journal.create_run(child)
    write_json(run_folder(settings.runs_dir, run_id) / "manifest.json", manifest_document(child))
    journal.copy_calls(run.run_id, run_id, KEPT)
    scenarios = {scenario.id: scenario for scenario in run.scenarios}
    results = journal.results(run.run_id, run.scenario_ids)
    while some := list(islice(results, AT_ONCE)):
        again = [
            await _scored(result, scenarios[result.exchange.cell.scenario_id], run.suite, judge, complete)
            for result in some
        ]
        await asyncio.gather(*(journal.record_result(run_id, result) for result in again))
    _finish(child, journal, settings)
    return child


def _from_journal(run: Run, judge: Judge | None, journal: Journal) -> Complete:
    """Answers the judge's questions as they were answered. Raises UsageError where an answer is no longer there."""
    verdicts = journal.answers(run.run_id, "judge")
    samples = range(1, 1 + (0 if judge is None else judge.pin.samples))
    for scenario_id, repeat, turn in journal.final_positions(run.run_id):
        if any((Cell(scenario_id, repeat), turn, sample) not in verdicts for sample in samples):
            raise UsageError(
                f"run {run.run_id} was scored by another version of the code, and the journal no longer holds what "
                f"its judge said: score it with make rescore RUN={run.run_id}, or evaluate it again"
            )

    async def complete(request: Request) -> Reply:
        return replace(verdicts[request.cell, request.turn, request.sample], cached=True, cost_usd=0.0)

    return complete


def _finish(run: Run, journal: Journal, settings: Settings) -> None:
    """Writes the files of the run, but for Langfuse and `latest`: nobody evaluated anything."""
    request = replace(run.request, langfuse=False, gate=None, quiet=True)
    outcome = conclude_run(run, journal, settings, request)
    write_files(outcome, journal, settings)
    journal.finish_run(run.run_id, run_state(outcome))


async def _scored(result: Result, scenario: Scenario, suite: Suite, judge: Judge | None, complete: Complete) -> Result:
    """The result by the code of today; one that lacks an answer as it is."""
    if result.error is not None and (judge is not None or result.error.kind != "scoring"):
        # Where scoring failed, the judge was never asked.
        return result
    exchange = result.exchange
    if isinstance(exchange.outcome, Reply):
        exchange = replace(exchange, outcome=replace(exchange.outcome, cached=True, cost_usd=0.0))
    return await evaluate_exchange(exchange, suite, judge, complete, scenario=scenario)
