"""The only loop: plays cells, scores and judges what comes back, and records each result before it is counted."""

import asyncio
import json
from collections.abc import Awaitable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import TypeVar

from evaluation.errors import EndpointRefused, StopRequested
from evaluation.expectations.answering import Answered, ItemJudge, Mode, answer_items
from evaluation.judging.conversations.asking import is_conversation, whole_conversation
from evaluation.judging.conversations.panel import AnyConversationJudge
from evaluation.judging.judge import with_judgement
from evaluation.judging.panel import AnyJudge
from evaluation.judging.unruled import with_unruled
from evaluation.metrics.meaning.asking import embed
from evaluation.ports import Complete, Observe, Record
from evaluation.records import (
    CallFailure,
    Cell,
    Exchange,
    Expectation,
    Position,
    Reply,
    Request,
    Result,
    Scenario,
    Score,
    Turn,
    Verdict,
)
from evaluation.run import Run
from evaluation.runspec import EmbeddingPin
from evaluation.suites.suite import Play, Suite
from evaluation.suites.turns import CellPlan

NO_WORDS = "the response holds no words to score"
T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class Performer:
    """One run as the loop plays it, with the functions through which it reaches the world."""

    run: Run
    judge: AnyJudge | None
    play: Play
    complete: Complete
    record: Record
    observe: Observe
    final: Collection[Position]
    """Turns whose results are journaled already and stay."""
    conversations: AnyConversationJudge | None = None
    """Asked about each conversation after its last turn; None where nobody is."""
    judged: Collection[Cell] = frozenset()
    """Cells whose conversation has a result that stays."""
    failed: Collection[Cell] = frozenset()
    """Cells that failed before a resume."""

    def is_final(self, cell: Cell, turn: int) -> bool:
        """True where the turn needs no result."""
        return (cell.scenario_id, cell.repeat, turn) in self.final

    def open_cells(self) -> Iterator[CellPlan]:
        """The cells with something that is not final, in the order in which they are played.

        What failed before comes last: one that brings an application down may do so again, and all others are played.
        """
        for failed in (False, True) if self.failed else (False,):
            for part in self.run.parts():
                if (part.cell in self.failed) == failed and self._is_open(part):
                    yield part

    def _is_open(self, part: CellPlan) -> bool:
        turns = range(1, len(part.scenario.turns) + 1)
        return self.judges(part) or not all(self.is_final(part.cell, turn) for turn in turns)

    def judges(self, part: CellPlan) -> bool:
        """True where the conversation as a whole needs a result."""
        return self.conversations is not None and is_conversation(part.scenario) and part.cell not in self.judged


@dataclass(frozen=True, slots=True)
class Job:
    """One cell of one run."""

    performer: Performer
    part: CellPlan


def interleave(performers: Sequence[Performer]) -> Iterator[Job]:
    """The open cells of all runs, one of each in turn: a provider's drift then hits all runs alike.

    Each is made when it is asked for: all at once, those of a large run would take more memory than the playing.
    """
    for parts in zip_longest(*(performer.open_cells() for performer in performers)):
        for performer, part in zip(performers, parts, strict=True):
            if part is not None:
                yield Job(performer, part)


async def perform(jobs: Iterable[Job], *, open_cells: int, grace_s: float) -> None:
    """Plays all jobs, at most `open_cells` at once, in the order given; returns when all are recorded.

    A cell that asks for a call after the run was stopped ends unrecorded, and no further cell is opened.
    Where the endpoint refuses a call for all, those under way have `grace_s` seconds to end and be recorded before that
    is raised.
    Any other error stops all cells and is raised.
    """
    queue = iter(jobs)
    workers = [asyncio.ensure_future(_work(queue)) for _ in range(open_cells)]
    try:
        try:
            await asyncio.gather(*workers)
        except EndpointRefused:
            await asyncio.wait(workers, timeout=grace_s)
            raise
    except BaseException:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
        raise


async def _work(queue: Iterator[Job]) -> None:
    for job in queue:
        try:
            await _play_cell(job)
        except StopRequested:
            return


async def _play_cell(job: Job) -> None:
    """Plays the turns in order; each is scored and judged while the next is under way."""
    performer = job.performer
    finishing: list[asyncio.Future[None]] = []
    said: list[Exchange] = []
    try:
        async for exchange in performer.play(job.part, performer.complete):
            said.append(exchange)
            if not performer.is_final(exchange.cell, exchange.turn):
                finishing.append(asyncio.ensure_future(_finish(performer, exchange, job.part.scenario)))
        conversation = whole_conversation(said, job.part.scenario) if performer.judges(job.part) else None
        if conversation is not None:
            finishing.append(asyncio.ensure_future(_judge_whole(performer, conversation, job.part.scenario)))
        await asyncio.gather(*finishing)
    except BaseException as error:
        if isinstance(error, StopRequested | EndpointRefused):
            # Judgements under way are paid for already: they may end and be recorded.
            await asyncio.gather(*finishing, return_exceptions=True)
        for task in finishing:
            task.cancel()
        await asyncio.gather(*finishing, return_exceptions=True)
        raise


async def _finish(performer: Performer, exchange: Exchange, scenario: Scenario) -> None:
    result = await evaluate_exchange(
        exchange,
        performer.run.suite,
        performer.judge,
        performer.complete,
        moderation=performer.run.spec.moderation,
        embedding=performer.run.spec.embedding,
        scenario=scenario,
        expectations=performer.run.expectations,
    )
    await performer.record(result)
    performer.observe(result)


async def _judge_whole(performer: Performer, conversation: Exchange, scenario: Scenario) -> None:
    """One without an answer in a turn is never asked about: it counts as skipped, as the turns behind that one."""
    judge = performer.conversations
    assert judge is not None, "a conversation is judged where a judge of conversations is planned"
    await performer.record(await judge.judge(conversation, scenario, performer.complete))


async def evaluate_exchange(
    exchange: Exchange,
    suite: Suite,
    judge: AnyJudge | None,
    complete: Complete,
    *,
    moderation: str | None = None,
    embedding: EmbeddingPin | None = None,
    scenario: Scenario | None = None,
    expectations: Mode = "none",
) -> Result:
    """Scores one exchange by rule and, where there is a judge, by its verdict.

    It is moderated and embedded first, where models do that.
    `scenario` is what the exchange is of: the judge reads its audience and note, and it holds the expectations.
    """
    unanswered = exchange.outcome if isinstance(exchange.outcome, CallFailure) else _wordless(exchange.outcome)
    if unanswered is not None:
        return Result(exchange, "failed", (), error=unanswered)
    seen = await _with_what_models_see(exchange, moderation, embedding, scenario, complete)
    if isinstance(seen, CallFailure):
        return Result(exchange, "failed", (), error=seen)
    heuristics = _heuristics(seen, suite)
    exchange = replace(seen, meaning=None)  # its vectors are large, and the journal has them
    if isinstance(heuristics, CallFailure):
        return Result(exchange, "failed", (), error=heuristics)
    doubts = suite.open_checks.ask(exchange, heuristics) if suite.open_checks is not None else ()
    answering = _answer_items(exchange, scenario, expectations, judge, suite, complete, doubts)
    if judge is None:
        return _with_answers(Result(exchange, "scored", heuristics), await answering)
    verdict, answers = await _both(judge.judge(exchange, complete, scenario), answering)
    scale = (suite.low, suite.high)
    scores = with_judgement(heuristics, verdict, judge.judged_metrics, judge_scale=judge.scale, scale=scale)
    if suite.unruled:
        weights = suite.weights or {}
        scores = with_unruled(scores, suite.unruled, weights, suite.overall, judge_scale=judge.scale, scale=scale)
    if isinstance(verdict, Verdict):
        result = Result(exchange, "scored" if verdict.parsed else "unparsed", scores, verdict)
    else:
        result = Result(exchange, "failed", scores, error=verdict)
    if not isinstance(answers, CallFailure):
        return _with_answers(_with_doubts_settled(result, answers, suite), answers, doubts)
    # What a rule shows stands, whatever became of the calls.
    by_rule = await _answer_items(exchange, scenario, _without_judge(expectations), None, suite, complete)
    failed = result if result.error is not None else replace(result, state="failed", error=answers)
    return _with_answers(failed, by_rule)


async def _with_what_models_see(
    exchange: Exchange,
    moderation: str | None,
    embedding: EmbeddingPin | None,
    scenario: Scenario | None,
    complete: Complete,
) -> Exchange | CallFailure:
    """The exchange with the categories for which it was flagged and with its vectors, where models are named."""
    if moderation is not None and exchange.response.strip():
        flagged = await moderate(exchange, moderation, complete)
        if isinstance(flagged, CallFailure):
            return flagged
        exchange = replace(exchange, moderation=flagged)
    return exchange if embedding is None else await embed(exchange, scenario, embedding, complete)


def _without_judge(mode: Mode) -> Mode:
    return "none" if mode == "none" else "rules"


async def _both(first: Awaitable[T], second: Awaitable[U]) -> tuple[T, U]:
    """Both results. Where a stop or a refusal ends one, the other ends first: its calls may be paid for already.

    Any other error ends both at once: what is paid for behind it may not be kept.
    """
    tasks = asyncio.ensure_future(first), asyncio.ensure_future(second)
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        errors = [task.exception() for task in tasks if task.done()]
        if all(error is None or isinstance(error, StopRequested | EndpointRefused) for error in errors):
            await asyncio.gather(*tasks, return_exceptions=True)
        else:
            raise next(error for error in errors if error is not None)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return tasks[0].result(), tasks[1].result()


async def _answer_items(
    exchange: Exchange,
    scenario: Scenario | None,
    mode: Mode,
    judge: AnyJudge | None,
    suite: Suite,
    complete: Complete,
    doubts: Sequence[Expectation] = (),
) -> Answered | CallFailure:
    """The answers to what is expected, by those who answer it, and to the doubts of a check, by a judge alone."""
    if scenario is None:
        return Answered()
    judges = () if judge is None else tuple(ItemJudge(pin, judge.seed) for pin in judge.pin.voices)
    more = doubts if judges else ()
    answer = partial(answer_items, exchange, complete=complete, settings_of=suite.cue_settings, heard=suite.heard)
    if mode == "judge":
        return await answer(scenario, mode, judges, more=more)
    by_rule = Answered() if mode == "none" else await answer(scenario, mode, ())
    if not more or isinstance(by_rule, CallFailure):
        return by_rule
    on_doubts = await answer(replace(scenario, expect=()), "judge", judges, more=more)
    if isinstance(on_doubts, CallFailure):
        return on_doubts
    return Answered((*by_rule.answers, *on_doubts.answers), on_doubts.calls)


def _with_doubts_settled(result: Result, answered: Answered, suite: Suite) -> Result:
    """The result with what the judge said where a check cannot tell."""
    if suite.open_checks is None:
        return result
    return replace(result, scores=suite.open_checks.settle(result.scores, answered.answers))


def _with_answers(result: Result, answered: Answered | CallFailure, doubts: Sequence[Expectation] = ()) -> Result:
    """The result with the answers to its expectations, which doubts of a check are none of.

    Failed, and asked again by a resume, where a call for them got none.
    """
    if isinstance(answered, CallFailure):
        return replace(result, state="failed", error=answered)
    asked = {doubt.id for doubt in doubts}
    kept = tuple(answer for answer in answered.answers if answer.id not in asked)
    return replace(result, expectations=kept, answer_calls=answered.calls)


def _wordless(reply: Reply) -> CallFailure | None:
    """The failure that an answer without words is; None for one that can be scored."""
    if not reply.wordless:
        return None
    kind = "content_filter" if reply.finish_reason == "content_filter" else "empty_reply"
    message = f"the model answered with no text (finish reason {reply.finish_reason!r})"
    return CallFailure(kind, message, reply.attempts, reply.started_at, reply.ended_at, purpose="generation")


def _heuristics(exchange: Exchange, suite: Suite) -> tuple[Score, ...] | CallFailure:
    try:
        scores = suite.score(exchange)
        return scores if exchange.response.strip() else tuple(_without_value(score, exchange) for score in scores)
    except Exception as error:  # a fault in one metric must not cost the replies that were paid for
        now = exchange.outcome.ended_at
        return CallFailure("scoring", f"{type(error).__name__}: {error}", 0, now, now)


def _without_value(score: Score, exchange: Exchange) -> Score:
    """Of a response that calls a tool or lacks the field that is scored: no words would get a middling value."""
    applicable = score.applicable and not exchange.tool_calls
    return score._replace(value=None, explanation="", reason=NO_WORDS, applicable=applicable)


async def moderate(exchange: Exchange, model: str, complete: Complete) -> tuple[str, ...] | CallFailure:
    """The categories, sorted; empty when the response is clean. A failure names `moderation` as its purpose.

    The reply to a request of this purpose is a JSON object, flagged category -> score from 0 to 1 or null.
    """
    request = Request(
        purpose="moderation",
        model=model,
        messages=(Turn("assistant", exchange.response),),
        parameters={},
        cell=exchange.cell,
        turn=exchange.turn,
    )
    outcome = await complete(request)
    if isinstance(outcome, CallFailure):
        return replace(outcome, purpose="moderation")
    try:
        flagged = json.loads(outcome.text)
    except (ValueError, RecursionError):
        flagged = None
    if not isinstance(flagged, dict):
        problem = "the moderation reply is not an object of flagged categories"
        return CallFailure(
            "malformed", problem, outcome.attempts, outcome.started_at, outcome.ended_at, purpose="moderation"
        )
    return tuple(sorted(flagged))
