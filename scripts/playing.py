"""Playing planned runs: the loop of the core, wired to the endpoint, the journal, the budget and the signals."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from itertools import chain, zip_longest

from evaluation.judging.judge import Judge
from evaluation.records import Cell, Purpose, Reply, Result
from evaluation.runner import Job, Performer, perform
from scripts.arguments import EvaluationRequest
from scripts.interruption import Stop, signals_stop
from scripts.planning import PlannedRun
from scripts.progress import shown_progress
from services.journal import Journal, Position, hold_run
from services.journaled_calls import JournaledCalls
from services.llm_service import Endpoint
from services.settings import Settings

REUSED: dict[str, frozenset[Purpose]] = {
    "none": frozenset(),
    "judge": frozenset({"judge", "moderation"}),
    "all": frozenset({"judge", "moderation", "generation"}),
}


class Budget:
    """Requests a stop once the replies of these runs have cost the limit."""

    def __init__(self, limit: float | None, spent: float, stop: Stop) -> None:
        self._limit = limit
        self._spent = spent
        self._stop = stop

    def pay(self, reply: Reply) -> None:
        self._spent += reply.cost_usd or 0.0
        if self._limit is not None and self._spent >= self._limit:
            self._stop.request(f"the cost limit of {self._limit:g} USD is reached")


async def play(
    runs: Sequence[PlannedRun], endpoint: Endpoint, journal: Journal, request: EvaluationRequest, settings: Settings
) -> Stop:
    """Plays what is not final yet; when it returns, everything that was answered is journaled.

    The Stop that comes back says whether and why it ended early. Raises EndpointRefused and JournalError.
    """
    stop = Stop()
    budget = Budget(request.max_cost, sum(journal.spent(run.run_id) for run in runs), stop)
    final = {run.run_id: journal.final_positions(run.run_id) for run in runs}
    planned = sum(run.planned_exchanges for run in runs)
    done = sum(map(len, final.values()))
    concurrency = request.concurrency or settings.concurrency
    with ExitStack() as stack:
        for run in runs:
            stack.enter_context(hold_run(settings.runs_dir, run.run_id))
        observe = stack.enter_context(shown_progress(planned, done, quiet=request.quiet))
        performers = {
            run.run_id: _performer(run, endpoint, journal, request, stop, budget, final[run.run_id], observe)
            for run in runs
        }
        jobs = interleaved(runs, performers, final)
        task = asyncio.ensure_future(perform(jobs, open_cells=min(len(jobs), concurrency + concurrency // 4 + 1)))
        with signals_stop(stop, task):
            try:
                await task
            except asyncio.CancelledError:
                if not stop.interrupted:
                    raise
    return stop


def interleaved(
    runs: Sequence[PlannedRun], performers: dict[str, Performer], final: dict[str, set[Position]]
) -> list[Job]:
    """The open cells of all runs, one of each in turn: a provider's drift then hits all runs alike."""

    def open_jobs(run: PlannedRun) -> list[Job]:
        performer, done = performers[run.run_id], final[run.run_id]
        return [
            Job(performer, part)
            for part in run.parts()
            if any(
                (part.scenario.id, part.cell.repeat, turn) not in done
                for turn in range(1, len(part.scenario.turns) + 1)
            )
        ]

    rounds = zip_longest(*(open_jobs(run) for run in runs))
    return [job for job in chain.from_iterable(rounds) if job is not None]


def _performer(
    run: PlannedRun,
    endpoint: Endpoint,
    journal: Journal,
    request: EvaluationRequest,
    stop: Stop,
    budget: Budget,
    final: set[Position],
    observe: Callable[[Result], None],
) -> Performer:
    calls = JournaledCalls(run.run_id, journal, endpoint, REUSED[request.cache], stop.check, budget.pay)
    pin, rubric = run.spec.judge, run.suite.judge

    async def record(result: Result) -> None:
        await journal.record_result(run.run_id, result)

    def is_final(cell: Cell, turn: int) -> bool:
        return (cell.scenario_id, cell.repeat, turn) in final

    return Performer(
        suite=run.suite,
        judge=Judge(pin, rubric, run.spec.seed) if pin is not None and rubric is not None else None,
        complete=calls.complete,
        record=record,
        is_final=is_final,
        observe=observe,
        moderation=run.spec.moderation,
    )
