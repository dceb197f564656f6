"""The canaries of a run: asked beside its first verdicts and after its last one, and read from the journal."""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from evaluation.errors import JournalError, StopRequested
from evaluation.judging.asking import JudgeRubric
from evaluation.judging.fitness import CanaryReport, fitness, mean_value, measure, measure_items
from evaluation.judging.item_errors import ItemErrors
from evaluation.judging.judge import Judge
from evaluation.ports import Complete
from evaluation.records import CallFailure, Cell, Purpose, Reply, Request, Verdict
from evaluation.rubrics.canary import FIRST, LAST, PREFIX, Question, canary_questions

LONGEST_WAIT_S = 10.0
"""Longest wait of a run's verdicts for the canaries that are asked twice: one that hangs must not hold up the rest."""
OF_JUDGE: tuple[Purpose, ...] = ("judge", "expectations", "conversation")
"""Purposes of the calls by which a judge decides anything about a run."""
TRIES = 2
"""A canary without a readable verdict may be bad luck once."""


Replies: TypeAlias = Mapping[tuple[Cell, int, int], Reply]
"""(cell, turn, sample) -> the newest reply there."""
AskBeside: TypeAlias = Callable[[Replies, Complete], Coroutine[Any, Any, None]]
"""Asks what has no readable answer in the replies."""
Hear: TypeAlias = Callable[[Verdict | CallFailure], None]
"""Takes note of what the judge said of a canary, or of what came in the place of an answer."""


def canary_requests(judge: Judge, question: Question, attempt: int = 1) -> list[Request]:
    """The calls to a judge, of one verdict whatever its samples; each attempt has seeds of its own."""
    canary, half = question
    several = replace(judge, pin=replace(judge.pin, samples=TRIES))
    requests = several.requests(canary.exchange(half), purpose="canary")
    return requests[calls_of(judge, attempt)]


def calls_of(judge: Judge, attempt: int) -> slice:
    """The places of an attempt's calls among those of all attempts."""
    calls = len(judge.questions)
    return slice((attempt - 1) * calls, attempt * calls)


class CanaryCheck:
    """The canaries of one run: one half is asked when the judge is first asked anything, the other at the end.

    A run that takes every verdict from earlier runs asks the judge nothing, so there is no judge to check: it takes
    the answers to the canaries from there too, and asks only for those that nobody has.
    """

    def __init__(
        self,
        judge: Judge | None,
        questions: Sequence[Question],
        replies: Replies,
        hear: Hear,
        beside: Sequence[AskBeside] = (),
    ) -> None:
        """`replies` are what the run has of its canaries: the ones that were read are not asked again.

        `beside` ask what goes out beside the first half: questions that yes or no answers, whole conversations.
        """
        self._beside, self._replies = beside, replies
        self._judge = judge
        self._hear = hear
        self._questions = questions
        self._open = [each for each in questions if judge is None or _verdict(each, judge, replies) is None]
        self._asking: dict[tuple[int, bool | str], asyncio.Future[None]] = {}
        """(half, those asked twice or the others, or what goes out beside them) -> done when they are answered."""
        self._opening: asyncio.Future[Any] | None = None
        """Done when the first verdict may be asked for."""

    @property
    def begun(self) -> bool:
        """True once the first half was set off."""
        return bool(self._asking)

    async def before(self, request: Request, complete: Complete) -> None:
        """To be awaited before each call that must be made: the first one to the judge sets the first half off.

        Verdicts wait for the canaries that are asked twice, or a judge that soon moves would move before them. They do
        not wait for the others: what these say is said of the whole run.
        """
        if request.purpose in OF_JUDGE:
            twice, *_ = self._begin(FIRST, complete)
            if self._opening is None:
                self._opening = asyncio.ensure_future(asyncio.wait([twice], timeout=LONGEST_WAIT_S))
            await asyncio.wait([self._opening])

    async def begin(self, complete: Complete) -> None:
        """Returns when the first half is answered, or no new call may start; asks it if it was not asked yet."""
        await asyncio.gather(*self._begin(FIRST, complete))

    async def finish(self, complete_or_reuse: Complete) -> None:
        """Returns when all are answered, or no new call may start. To be called after the last verdict."""
        for half in (FIRST, LAST):
            await asyncio.gather(*self._begin(half, complete_or_reuse))

    def report(self, replies: Replies, items: ItemErrors | None) -> CanaryReport | None:
        """What the halves that were set off so far say of the judge; None where there is nothing to ask."""
        asked = [question for question in self._questions if (question[1], question[0].twice) in self._asking]
        return canary_report(asked, self._judge, replies, heard=True, ended=False, items=items)

    async def end(self, grace_s: float = 0.0) -> None:
        """Stops what is still asked after so many seconds."""
        if not self._asking:
            return
        if grace_s:
            await asyncio.wait(self._asking.values(), timeout=grace_s)
        for asking in self._asking.values():
            asking.cancel()
        await asyncio.gather(*self._asking.values(), return_exceptions=True)

    def _begin(self, half: int, complete: Complete) -> "list[asyncio.Future[None]]":
        """The canaries that are asked twice, the others, and what goes out beside the first half."""
        for twice in (True, False):
            if (half, twice) not in self._asking:
                asked = [each for each in self._open if each[1] == half and each[0].twice is twice]
                self._asking[half, twice] = asyncio.ensure_future(
                    ask_canaries(asked, self._judge, complete, self._hear)
                )
        for place, ask in enumerate(self._beside if half == FIRST else ()):
            if (half, f"beside {place}") not in self._asking:
                self._asking[half, f"beside {place}"] = asyncio.ensure_future(ask(self._replies, complete))
        return [asking for (of, _), asking in self._asking.items() if of == half]


async def ask_canaries(questions: Sequence[Question], judge: Judge | None, complete: Complete, hear: Hear) -> None:
    """Asks what this run has not asked yet; the answers lie in the journal when it returns.

    Ends quietly when no new call may start. Raises EndpointRefused and JournalError.
    """
    if judge is None:
        return
    asking = [asyncio.ensure_future(_ask(question, judge, complete, hear)) for question in questions]

    def end_where_nothing_is_kept(ended: "asyncio.Future[None]") -> None:
        if not ended.cancelled() and isinstance(ended.exception(), JournalError):
            for other in asking:
                other.cancel()

    for each in asking:
        each.add_done_callback(end_where_nothing_is_kept)
    outcomes = await asyncio.gather(*asking, return_exceptions=True)
    for outcome in sorted(outcomes, key=lambda outcome: not isinstance(outcome, JournalError)):
        if isinstance(outcome, BaseException) and not isinstance(outcome, StopRequested):
            raise outcome


async def _ask(question: Question, judge: Judge, complete: Complete, hear: Hear) -> None:
    """Once more where there is no answer, or none that can be read.

    The judge is heard once on each: second tries come in a row and would make one that is unread at times look useless.
    It need not answer what tries to steer it.
    """
    for attempt in range(1, TRIES + 1):
        said = await _answer(question, judge, complete, attempt)
        if attempt == 1 and not question[0].injected:
            hear(said)
        if isinstance(said, Verdict) and said.parsed:
            return


async def _answer(question: Question, judge: Judge, complete: Complete, attempt: int) -> Verdict | CallFailure:
    outcomes = await asyncio.gather(*map(complete, canary_requests(judge, question, attempt)), return_exceptions=True)
    replies: list[Reply] = []
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
        if isinstance(outcome, CallFailure):
            return outcome
        replies.append(outcome)
    return _read(question, judge, replies)


def canary_report(
    questions: Sequence[Question],
    judge: Judge | None,
    replies: Replies,
    *,
    heard: bool,
    ended: bool,
    items: ItemErrors | None = None,
) -> CanaryReport | None:
    """The judge's fitness by its replies, each by (cell, turn, sample); `ended` where no more of them will come.

    None for a run without canaries, and for one whose judge was not heard yet (`heard`: it gave a verdict). `items` are
    its errors on questions that yes or no answers; None where none was asked.
    """
    replies = {place: reply for place, reply in replies.items() if place[0].scenario_id.startswith(PREFIX)}
    if judge is None or not questions or not (replies or heard):
        return None
    found = {(canary.id, half): _verdict((canary, half), judge, replies) for canary, half in questions}
    verdicts = {place: verdict for place, verdict in found.items() if verdict is not None}
    values = {place: share(verdict, judge.rubric) for place, verdict in verdicts.items()}
    figures = (*measure(questions, values), *(() if items is None else measure_items(items)))
    costs = [reply.cost_usd for reply in replies.values()]
    return CanaryReport(
        asked=len(questions),
        answered=len(values),
        figures=tuple(figure for figure in figures if ended or figure.value is not None),
        fit=fitness(figures, ended=ended),
        cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
        overalls={canary.id: mean_value(canary, values) for canary, _ in questions},
        reused=sum(verdict.cached for verdict in verdicts.values()),
        models=dict(Counter(reply.model for reply in replies.values() if reply.model)),
        items=items,
    )


def first_half(questions: Sequence[Question]) -> list[Question]:
    """The questions that are asked beside the first verdicts."""
    return [question for question in questions if question[1] == FIRST]


def questions_of(rubric: JudgeRubric | None) -> list[Question]:
    """The canaries of a judge's rubric as they are asked; none without a judge."""
    return [] if rubric is None else canary_questions(rubric.canaries)


def share(verdict: Verdict, rubric: JudgeRubric) -> float:
    """The overall of a verdict that was read, as a share of the scale."""
    return round((verdict.scores[rubric.overall] - rubric.low) / (rubric.high - rubric.low), 10)


def _verdict(question: Question, judge: Judge, replies: Replies) -> Verdict | None:
    """The first verdict that could be read."""
    canary, half = question
    cell = canary.exchange(half).cell
    places = range(1, TRIES * len(judge.questions) + 1)
    attempts = ([replies.get((cell, 1, place)) for place in places][calls_of(judge, n)] for n in range(1, TRIES + 1))
    whole = ([reply for reply in found if reply is not None] for found in attempts if None not in found)
    verdicts = (_read(question, judge, found) for found in whole)
    return next((verdict for verdict in verdicts if verdict.parsed), None)


def _read(question: Question, judge: Judge, replies: Sequence[Reply]) -> Verdict:
    canary, half = question
    return judge.read(replies, canary.exchange(half))
