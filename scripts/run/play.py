"""Playing planned runs: the loop of the core, wired to the endpoint, the journal, the budget and the signals."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

from evaluation.errors import EndpointRefused, EvaluationError, JournalError, JudgeUnfit
from evaluation.judging.canaries import OF_JUDGE
from evaluation.judging.giving_up import JudgeWatch
from evaluation.records import Result
from evaluation.run import Run
from evaluation.runner import interleave, perform
from evaluation.runspec import JudgePin
from scripts.run.batches import GRACE_SECONDS as GRACE_IN_BATCHES_S
from scripts.run.batches import OPEN_CELLS, in_batches
from scripts.run.conclude import item_errors
from scripts.run.judge_format import forget_formats
from scripts.run.player import Deliveries, Player, Said, Watch, no_deliveries
from scripts.run.progress import SoFar, show_progress
from scripts.run.stop import GRACE_SECONDS, Budget, Stop, signals_stop
from scripts.run.wiring import Wiring
from services.journal import Journal, hold_run
from services.model.endpoint import BATCH_SHARE


async def play(runs: Sequence[Run], wiring: Wiring, deliveries: Deliveries = no_deliveries) -> Stop:
    """Plays what is not final yet; when it returns, everything that was answered is journaled.

    The Stop that comes back says whether and why it ended early. Raises EndpointRefused and JournalError.
    """
    for identity in {identity for run in runs for identity in run.beside_endpoints}:
        wiring.endpoints.of(identity)  # one that the settings do not know is found before anything is paid
    journal, stop = wiring.journal, Stop(wiring.endpoints.shut)
    # A verdict that could not be read is asked for again, once per resume.
    final = {run.run_id: journal.final_positions(run.run_id, ("scored",)) for run in runs}
    planned, done = sum(run.played_exchanges for run in runs), sum(map(len, final.values()))
    with ExitStack() as stack:
        for run in runs:
            stack.enter_context(hold_run(wiring.settings.runs_dir, run.run_id))
        stack.enter_context(_incomplete_on_error(runs, journal))
        spent = sum(journal.cost_usd(run.run_id) for run in runs)
        share = 1.0 if wiring.request.batch is None else BATCH_SHARE
        budget = Budget(wiring.request.max_cost, spent, stop, share)
        so_far = SoFar(runs, (lambda: None) if wiring.choice.rehearsal else budget.spent)
        observe = stack.enter_context(show_progress(planned, done, so_far, quiet=wiring.request.quiet))
        watch = watch_judges(runs, stop)
        players = [
            Player.of(run, wiring, budget, stop, deliveries, so_far.seen_by(observe, run), final[run.run_id], watch)
            for run in runs
        ]
        task = asyncio.ensure_future(_perform(players, runs, wiring, stop))
        grace_s = GRACE_SECONDS if wiring.request.batch is None else GRACE_IN_BATCHES_S
        with signals_stop(stop, task, wiring.calls_under_way, grace_s):
            try:
                await task
            except asyncio.CancelledError:
                if not stop.interrupted:
                    raise
    forget_judges(runs, stop, wiring)
    return stop


def forget_judges(runs: Sequence[Run], stop: Stop, wiring: Wiring) -> None:
    """Forgets what is of the past of the judges' formats, at the endpoint of each."""
    given_up = None if stop.given_up is None else stop.given_up.model
    pins = {run.spec.judge.model: run.spec.judge for run in runs if run.spec.judge is not None}
    for model, judge in pins.items():
        for pin in judge.judges:
            endpoint = wiring.endpoints.of(pin.endpoint)
            forget_formats([pin.model], pin.model if given_up in (model, pin.model) else None, wiring.journal, endpoint)


def watch_judges(runs: Sequence[Run], stop: Stop) -> Watch:
    """Follows the judges of the runs, by results and canaries, and stops all where one brings no verdict.

    Runs with the same judge are followed together; of a panel the verdicts as a whole, and the canaries of each judge.
    """
    judges = [run.spec.judge for run in runs if run.spec.judge is not None]
    pins = [pin for judge in judges for pin in (judge, *judge.judges)]
    watches = {(pin.model, pin.format): JudgeWatch(pin.model, pin.format) for pin in pins}

    def watch(run: Run, said: Said, of: JudgePin | None = None) -> None:
        pin = of or run.spec.judge
        if pin is None:
            return
        judge = watches[pin.model, pin.format]
        given_up = judge.see(said) if isinstance(said, Result) else judge.hear(said)
        if given_up is not None:
            stop.give_up(given_up)

    return watch


@contextmanager
def _incomplete_on_error(runs: Sequence[Run], journal: Journal) -> Iterator[None]:
    """Where an error ends the runs, takes note that they are incomplete.

    A full disk takes no note of it; a run that is marked as running resumes as well.
    """
    try:
        yield
    except EvaluationError:
        with suppress(JournalError):
            for run in runs:
                journal.finish_run(run.run_id, "incomplete")
        raise


async def _perform(players: Sequence["Player"], runs: Sequence[Run], wiring: Wiring, stop: Stop) -> None:
    """Plays all open cells, live or in batches."""
    async with in_batches(runs, wiring):
        await _check_and_perform(players, wiring, stop)


async def _check_and_perform(players: Sequence["Player"], wiring: Wiring, stop: Stop) -> None:
    """Plays all open cells. Where a fit judge is required, it is tested before anything else; raises JudgeUnfit."""
    journal = wiring.journal
    # A few more cells than calls: one that waits for its commit must not leave a slot empty.
    cells = wiring.concurrency + wiring.concurrency // 4 + 1 if wiring.request.batch is None else OPEN_CELLS
    try:
        for player in players if wiring.request.require_judge else ():
            await player.check.begin(player.calls.complete)
            report = player.check.report(player.answers_of, item_errors(player.performer.run, journal))
            if report is not None and report.fit is False and not stop.requested:
                raise JudgeUnfit(report.explain())
        jobs = interleave([player.performer for player in players])
        await perform(jobs, open_cells=cells, grace_s=GRACE_SECONDS)
        for player in players:
            totals = journal.call_totals(player.run_id)
            judged = [totals[purpose] for purpose in OF_JUDGE if purpose in totals]
            if player.check.begun or any(found.paid for found in judged):
                await player.check.finish(player.calls.complete)
            elif judged:
                await player.check.finish(player.reusing.complete)
    except EndpointRefused as refused:
        # Canaries under way are paid for: they may end. No further one is asked.
        stop.request(str(refused))
        for player in players:
            await player.check.end(GRACE_SECONDS)
        raise
    finally:
        for player in players:
            await player.check.end()
