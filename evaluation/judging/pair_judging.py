"""One pair put to a judge in both orders, and what both answers come to."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.errors import StopRequested
from evaluation.judging.pair_asking import ORDERS, TRIES, Pair, PairJudge
from evaluation.judging.pair_check import NOT_CHECKED, CanaryPair, PairCheck, check_pairs
from evaluation.judging.pair_reading import Assessment, PairReading, Preference, combine_orders
from evaluation.ports import Complete
from evaluation.records import CallFailure

OPEN = "not asked: no new call could start"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge said of a pair in both orders."""

    preference: Preference | None
    """None where one of the orders could not be read, got no answer, or was not asked."""
    assessments: tuple[tuple[Assessment, Assessment], ...] = ()
    """Of base and candidate, order by order; those that were read."""
    problem: str = ""
    failed: bool = False
    """True where a call got no answer."""
    open: bool = False
    """True where no new call could start."""
    members: Mapping[str, float] = field(default_factory=dict)
    """Of a panel: member -> the points that it gives the candidate."""


async def judge_pair(judge: PairJudge, pair: Pair, complete: Complete) -> Judgement:
    """Asks in both orders at once, each once more where it cannot be read."""
    outcomes = await asyncio.gather(*(_ask(judge, pair, order, complete) for order in ORDERS), return_exceptions=True)
    readings: dict[int, PairReading] = {}
    problem, failed = "", False
    for order, outcome in zip(ORDERS, outcomes, strict=True):
        if isinstance(outcome, StopRequested):
            return Judgement(None, problem=OPEN, open=True)
        if isinstance(outcome, BaseException):
            raise outcome
        if isinstance(outcome, CallFailure):
            problem, failed = f"{outcome.kind}: {outcome.message}", True
        elif outcome.better is None:
            problem = problem or outcome.problem
        else:
            readings[order] = outcome
    assessments = tuple(_of_sides(judge, pair, order, reading) for order, reading in readings.items())
    if len(readings) < len(ORDERS):
        return Judgement(None, assessments, problem, failed)
    return Judgement(_combine(judge, pair, readings), assessments)


async def judge_canaries(judge: PairJudge, asked: Sequence[CanaryPair], complete: Complete) -> PairCheck:
    """What the judge says of pairs of canaries; not checked where not all of them could be asked."""
    found = await asyncio.gather(*(judge_pair(judge, each.pair, complete) for each in asked))
    if any(judgement.open for judgement in found):
        return NOT_CHECKED
    known = ((each.id, judgement.preference) for each, judgement in zip(asked, found, strict=True))
    return check_pairs(asked, {name: preference for name, preference in known if preference is not None})


async def _ask(judge: PairJudge, pair: Pair, order: int, complete: Complete) -> PairReading | CallFailure:
    reading = PairReading(None)
    for attempt in range(1, TRIES + 1):
        outcome = await complete(judge.request(pair, order, attempt))
        if isinstance(outcome, CallFailure):
            return outcome
        reading = judge.read(outcome, pair, order)
        if reading.better is not None:
            break
    return reading


def _of_sides(judge: PairJudge, pair: Pair, order: int, reading: PairReading) -> tuple[Assessment, Assessment]:
    """The assessments of base and candidate, whichever stood first."""
    base_first = judge.shown(pair, order).first == "base"
    return (reading.first, reading.second) if base_first else (reading.second, reading.first)


def _combine(judge: PairJudge, pair: Pair, readings: Mapping[int, PairReading]) -> Preference:
    by_first = {judge.shown(pair, order).first: reading.better for order, reading in readings.items()}
    base_first, candidate_first = by_first["base"], by_first["candidate"]
    assert base_first is not None and candidate_first is not None
    return combine_orders(base_first, candidate_first, pair.said)
