"""One run as it is played: its calls, the check of its judge, and what becomes of each result."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Protocol, TypeAlias

from evaluation.judging.panel_check import PanelCheck, RepliesOf
from evaluation.ports import Complete, Observe
from evaluation.records import CallFailure, Cell, Exchange, Position, Purpose, Reply, Request, Result, Verdict
from evaluation.run import Run
from evaluation.runner import Performer
from evaluation.runspec import JudgePin
from evaluation.suites.suite import Play
from evaluation.suites.turns import CellPlan
from scripts.run.lending import may_lend_verdicts
from scripts.run.stop import Budget, Stop
from scripts.run.wiring import Wiring
from services.journal import Delivery, Journal
from services.journaled_calls import JournaledCalls

REUSED: Mapping[str, frozenset[Purpose]] = {
    "none": frozenset(),
    "judge": frozenset({"judge", "expectations", "conversation", "moderation", "embedding"}),
    "all": frozenset({"judge", "expectations", "conversation", "moderation", "embedding", "generation"}),
}
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

        calls = _calls_of(run, wiring, budget, stop, prepare)
        canaries: frozenset[Purpose] = frozenset({"canary"}) if calls.reuse else frozenset()
        reusing = replace(calls, reuse=calls.reuse | canaries)
        record = _recording(run, journal, deliveries, watch)
        performer = Performer(
            *(run, run.judge, _playing(run, journal), calls.complete, record, observe, final),
            conversations=run.conversation_judge,
            judged=journal.final_conversations(run.run_id, ("scored",)),
            failed={Cell(scenario, repeat) for scenario, repeat, _ in journal.final_positions(run.run_id, ("failed",))},
        )
        return cls(run.run_id, calls, reusing, check, answers_of, performer)


def _calls_of(
    run: Run, wiring: Wiring, budget: Budget, stop: Stop, prepare: Callable[[Request], Awaitable[None]]
) -> JournaledCalls:
    """The run's calls within the budget; `prepare` is awaited before each that neither journal could answer."""
    application = None if wiring.application is None else wiring.application.of_run(run.run_id, stop.check)

    @cache
    def lends(run_id: str, purpose: Purpose) -> bool:
        return may_lend_verdicts(run_id, run, wiring.journal, purpose)

    return replace(
        wiring.calls_of(run.run_id, budget, REUSED[wiring.request.cache]),
        application=application,
        recall=None if application is None else application.recall,
        prepare=prepare,
        lends=lends,
    )


def _recording(run: Run, journal: Journal, deliveries: Deliveries, watch: Watch) -> Callable[[Result], Awaitable[None]]:
    """Commits each result with what is to be delivered of it; a verdict that was unread before stands in its place."""
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

    return record


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
