"""Playing planned runs: the loop of the core, wired to the endpoint, the journal, the budget and the signals."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Protocol, TypeAlias

from evaluation.commands import write_command
from evaluation.errors import EndpointRefused, EvaluationError, JournalError, JournalGone, JudgeUnfit
from evaluation.judging.asking import FORMATS
from evaluation.judging.canaries import OF_JUDGE
from evaluation.judging.giving_up import JudgeWatch
from evaluation.judging.panel_check import PanelCheck, RepliesOf
from evaluation.ports import Complete, Observe
from evaluation.records import CallFailure, Cell, Exchange, Position, Purpose, Reply, Request, Result, Verdict
from evaluation.request import arguments_of
from evaluation.run import Run
from evaluation.runner import Performer, interleave, perform
from evaluation.runspec import JudgePin
from evaluation.suites.suite import Play
from evaluation.suites.turns import CellPlan
from scripts.run.batches import GRACE_SECONDS as GRACE_IN_BATCHES_S
from scripts.run.batches import OPEN_CELLS, in_batches
from scripts.run.judge import forget_formats
from scripts.run.progress import SoFar, show_progress
from scripts.run.stop import GRACE_SECONDS, Budget, Stop, signals_stop
from scripts.run.stored import item_errors, may_lend_verdicts
from scripts.run.wiring import Wiring
from scripts.shell import note
from services.journal import Delivery, Journal, hold_run
from services.journaled_calls import JournaledCalls
from services.model.endpoint import BATCH_SHARE

REUSED: Mapping[str, frozenset[Purpose]] = {
    "none": frozenset(),
    "judge": frozenset({"judge", "expectations", "conversation", "moderation", "embedding"}),
    "all": frozenset({"judge", "expectations", "conversation", "moderation", "embedding", "generation"}),
}

FORMAT_WORDS = ("response_format", "json_schema", "json_object")
"""What a refusal of a judge's format names."""
PLAINEST = f"--judge-format {FORMATS[-1]}"

Deliveries: TypeAlias = Callable[[str, Result], tuple[Delivery, ...]]
"""(run id, result) -> what is to be delivered elsewhere with it; committed together."""
Said: TypeAlias = Result | Verdict | CallFailure
"""A result, or what a judge said of a canary, or what came in the place of its answer."""


class Watch(Protocol):
    """Takes note of what a run's judge said, or one judge of a panel (`of`)."""

    def __call__(self, run: Run, said: Said, of: JudgePin | None = None) -> None: ...


def no_deliveries(_run_id: str, _result: Result) -> tuple[Delivery, ...]:
    """Where there is no Langfuse."""
    return ()


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
def hint_at_resume(runs: Sequence[Run], journal: Journal) -> Iterator[None]:
    """Where an error ends runs of which something was answered, names the command that goes on with them."""
    try:
        yield
    except JournalGone:
        raise
    except EvaluationError as error:
        if any(_has_answers(run, journal) for run in runs):
            note(f"what was answered is kept; go on with: {runs[0].resume_command()}")
            if isinstance(error, EndpointRefused) and (others := _without(error.model, runs)):
                note(f"that was model {error.model}; the others alone, with what is kept: {others}")
            if isinstance(error, EndpointRefused) and _is_of_format(error, runs[0]):
                note(f"a resume asks in the same format; in another: {runs[0].judged_otherwise_command(PLAINEST)}")
        raise


def _without(model: str, runs: Sequence[Run]) -> str:
    """The command that plays the other models of a pass; empty where that model is none of several."""
    models = list(dict.fromkeys(run.spec.model for run in runs))
    if model not in models or len(models) == 1:
        return ""
    named = [word for other in models if other != model for word in ("--model", other)]
    request = replace(runs[0].request, model=None, cache="all")
    return write_command(runs[0].suite.make_target, *arguments_of(request), *named)


def replay(journal: Journal, parent_run_id: str) -> Play:
    """Plays a cell from the journal: every exchange as the parent run had it, at no cost."""

    async def play(part: CellPlan, _complete: Complete) -> AsyncIterator[Exchange]:
        for result in journal.cell_results(parent_run_id, part.cell):
            outcome = result.exchange.outcome
            if isinstance(outcome, Reply):
                outcome = replace(outcome, cached=True, cost_usd=0.0)
            yield replace(result.exchange, outcome=outcome)

    return play


def _playing(run: Run, journal: Journal) -> Play:
    """How its cells are played: from an earlier run, from responses that it was given, or as its suite does."""
    if run.parent_run_id is not None:
        return replay(journal, run.parent_run_id)
    given = run.given
    return run.suite.play if given is None else given.play()


def _has_answers(run: Run, journal: Journal) -> bool:
    """True when the journal holds an answer of the run, or a failure; False where it cannot be read."""
    try:
        return bool(journal.call_totals(run.run_id) or journal.final_positions(run.run_id, ("failed",)))
    except JournalError:
        return False


def _is_of_format(error: EndpointRefused, run: Run) -> bool:
    """True where the endpoint may refuse the format in which the run asks its judge."""
    judge = run.spec.judge
    return (
        judge is not None and judge.format != FORMATS[-1] and any(word in str(error).lower() for word in FORMAT_WORDS)
    )


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


@dataclass(frozen=True, slots=True)
class Player:
    """One run as it is played: its calls, the check that goes with the first one to its judge, its performer."""

    run_id: str
    calls: JournaledCalls
    reusing: JournaledCalls
    """The same, for canaries of a run that takes its verdicts from earlier ones."""
    check: PanelCheck
    answers_of: RepliesOf
    """Model -> its answers to canaries so far."""
    performer: Performer

    @classmethod
    def of(
        cls,
        run: Run,
        wiring: Wiring,
        budget: Budget,
        stop: Stop,
        deliveries: Deliveries,
        observe: Observe,
        final: set[Position],
        watch: Watch,
    ) -> "Player":
        """The run, wired."""
        journal = wiring.journal
        answers_of = partial(journal.answers, run.run_id, "canary")
        check = PanelCheck(
            run.judge, run.canaries, answers_of, lambda judge: partial(watch, run, of=judge.pin), run.asked_beside
        )

        async def prepare(request: Request) -> None:
            await check.before(request, calls.complete)

        unread = journal.final_positions(run.run_id, ("unparsed",))
        unread_whole = journal.final_conversations(run.run_id, ("unparsed",))

        async def record(result: Result) -> None:
            cell, turn = result.exchange.cell, result.exchange.turn
            if result.scope == "response":
                watch(run, result)  # before the commit, during which many a call would start
                again = (cell.scenario_id, cell.repeat, turn) in unread
            else:
                again = cell in unread_whole
            outbox = deliveries(run.run_id, result)
            await journal.record_result(run.run_id, result, outbox, judged_again=again)

        @cache
        def lends(run_id: str, purpose: Purpose) -> bool:
            return may_lend_verdicts(run_id, run, journal, purpose)

        application = None if wiring.application is None else wiring.application.of_run(run.run_id, stop.check)
        calls = JournaledCalls(
            run_id=run.run_id,
            journal=journal,
            endpoint=wiring.endpoint,
            application=application,
            recall=None if application is None else application.recall,
            reuse=REUSED[wiring.request.cache],
            before_call=budget.before_call,
            after_call=budget.after_call,
            secrets=wiring.secrets,
            prepare=prepare,
            journal_gone=stop.end_at_once,
            lends=lends,
            others=wiring.endpoints.by_identity,
        )
        canaries: frozenset[Purpose] = frozenset({"canary"}) if calls.reuse else frozenset()
        reusing = replace(calls, reuse=calls.reuse | canaries)
        performer = Performer(
            *(run, run.judge, _playing(run, journal), calls.complete, record, observe, final),
            conversations=run.conversation_judge,
            judged=journal.final_conversations(run.run_id, ("scored",)),
            failed={Cell(scenario, repeat) for scenario, repeat, _ in journal.final_positions(run.run_id, ("failed",))},
        )
        return cls(run.run_id, calls, reusing, check, answers_of, performer)
