"""Playing planned runs: the loop of the core, wired to the endpoint, the journal, the budget and the signals."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TypeAlias

from evaluation.errors import EndpointRefused, EvaluationError, JournalError, JudgeUnfit
from evaluation.ports import Observe
from evaluation.records import Cell, Purpose, Request, Result
from evaluation.run import Run
from evaluation.runner import Job, Performer, perform
from evaluation.suites.suite import CellPlan
from scripts.run.budget import Budget
from scripts.run.canaries import CanaryCheck, canary_report
from scripts.run.interruption import GRACE_SECONDS, Stop, signals_stop
from scripts.run.progress import shown_progress
from scripts.run.replay import replayed
from scripts.run.wiring import Wiring
from services.journal import Delivery, Position, hold_run
from services.journaled_calls import JournaledCalls

REUSED: Mapping[str, frozenset[Purpose]] = {
    "none": frozenset(),
    "judge": frozenset({"judge", "moderation"}),
    "all": frozenset({"judge", "moderation", "generation"}),
}

Deliveries: TypeAlias = Callable[[str, Result], tuple[Delivery, ...]]
"""(run id, result) -> what is to be delivered elsewhere with it; committed together."""


def no_deliveries(_run_id: str, _result: Result) -> tuple[Delivery, ...]:
    """Where there is no Langfuse."""
    return ()


async def play(runs: Sequence[Run], wiring: Wiring, deliveries: Deliveries = no_deliveries) -> Stop:
    """Plays what is not final yet; when it returns, everything that was answered is journaled.

    The Stop that comes back says whether and why it ended early. Raises EndpointRefused and JournalError.
    """
    journal = wiring.journal
    stop = Stop()
    budget = Budget(wiring.request.max_cost, sum(journal.spent(run.run_id) for run in runs), stop)
    final = {run.run_id: journal.final_positions(run.run_id) for run in runs}
    planned = sum(run.planned_exchanges for run in runs)
    done = sum(map(len, final.values()))
    with ExitStack() as stack:
        for run in runs:
            stack.enter_context(hold_run(wiring.settings.runs_dir, run.run_id))
        observe = stack.enter_context(shown_progress(planned, done, quiet=wiring.request.quiet))
        checked = {run.run_id: _checked_calls(run, wiring, budget) for run in runs}
        performers = {
            run.run_id: _performer(run, wiring, checked[run.run_id].calls, final[run.run_id], observe, deliveries)
            for run in runs
        }
        jobs = interleaved(runs, performers, final)
        # A few more cells than calls: one that waits for its commit must not leave a slot empty.
        cells = wiring.concurrency + wiring.concurrency // 4 + 1
        task = asyncio.ensure_future(_checked_and_performed(runs, checked, jobs, cells, wiring, stop))
        with signals_stop(stop, task):
            try:
                await task
            except asyncio.CancelledError:
                if not stop.interrupted:
                    raise
            except EvaluationError:
                with suppress(JournalError):  # a full disk takes no note of it; "running" resumes as well
                    for run in runs:
                        journal.finish_run(run.run_id, "incomplete")
                raise
    return stop


async def _checked_and_performed(
    runs: Sequence[Run],
    checked: Mapping[str, "CheckedCalls"],
    jobs: Iterable[Job],
    cells: int,
    wiring: Wiring,
    stop: Stop,
) -> None:
    """Plays all jobs. Where a fit judge is required, it is tested before anything else is asked; raises JudgeUnfit."""
    try:
        for run in runs if wiring.request.require_judge else ():
            await checked[run.run_id].check.at_once(checked[run.run_id].calls.complete)
            heard = "judge" in wiring.journal.call_totals(run.run_id)
            report = canary_report(run, wiring.journal.replies(run.run_id, "canary"), heard=heard)
            if report is not None and not report.passed and not stop.requested:
                raise JudgeUnfit(report.note())
        await perform(jobs, open_cells=cells, grace_s=GRACE_SECONDS)
        for run_id, each in checked.items():
            if each.check.begun or "judge" in wiring.journal.call_totals(run_id):
                await each.check.at_once(each.reusing.complete)
    except EndpointRefused as refused:
        # Canaries under way are paid for: they may end. No further one is asked.
        stop.request(str(refused))
        for each in checked.values():
            await each.check.end(GRACE_SECONDS)
        raise
    finally:
        for each in checked.values():
            await each.check.end()


@dataclass(frozen=True, slots=True)
class CheckedCalls:
    """The calls of one run, and the check that goes with the first one to its judge."""

    calls: JournaledCalls
    reusing: JournaledCalls
    """The same, for canaries of a run that takes its verdicts from earlier ones."""
    check: CanaryCheck


def _checked_calls(run: Run, wiring: Wiring, budget: Budget) -> CheckedCalls:
    check = CanaryCheck(run)

    async def prepare(request: Request) -> None:
        await check.before(request, calls.complete)

    calls = JournaledCalls(
        run_id=run.run_id,
        journal=wiring.journal,
        endpoint=wiring.endpoint,
        application=None if wiring.application is None else wiring.application.of_run(run.run_id),
        reuse=REUSED[wiring.request.cache],
        before_call=budget.before_call,
        after_call=budget.after_call,
        secrets=wiring.settings.secrets(),
        prepare=prepare,
    )
    canaries: frozenset[Purpose] = frozenset({"canary"}) if calls.reuse else frozenset()
    return CheckedCalls(calls, replace(calls, reuse=calls.reuse | canaries), check)


def interleaved(
    runs: Sequence[Run], performers: Mapping[str, Performer], final: Mapping[str, set[Position]]
) -> Iterator[Job]:
    """The open cells of all runs, one of each in turn: a provider's drift then hits all runs alike.

    Each is made when it is asked for: all at once, those of a large run would take more memory than the playing.
    """
    rounds = zip_longest(*(open_parts(run, final[run.run_id]) for run in runs))
    for parts in rounds:
        for run, part in zip(runs, parts, strict=True):
            if part is not None:
                yield Job(performers[run.run_id], part)


def open_parts(run: Run, final: set[Position]) -> Iterator[CellPlan]:
    """The cells of a run with a turn that is not final, in the order in which they are played."""
    for part in run.parts():
        turns = range(1, len(part.scenario.turns) + 1)
        if any((part.scenario.id, part.cell.repeat, turn) not in final for turn in turns):
            yield part


def _performer(
    run: Run,
    wiring: Wiring,
    calls: JournaledCalls,
    final: set[Position],
    observe: Observe,
    deliveries: Deliveries,
) -> Performer:
    journal = wiring.journal
    parent = run.parent_run_id
    suite = run.suite if parent is None else replace(run.suite, play=replayed(journal, parent))

    async def record(result: Result) -> None:
        await journal.record_result(run.run_id, result, outbox=deliveries(run.run_id, result))

    def is_final(cell: Cell, turn: int) -> bool:
        return (cell.scenario_id, cell.repeat, turn) in final

    return Performer(
        suite=suite,
        judge=run.judge,
        complete=calls.complete,
        record=record,
        is_final=is_final,
        observe=observe,
        moderation=run.spec.moderation,
    )
