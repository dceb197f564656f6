"""Whether a judge may be believed on pairs: the rubric's canaries side by side, where the better one is known.

Two canaries with one and the same message before them, and levels that lie well apart, are a pair with a known winner;
those that differ in length alone are a pair without one. Limits are set as in `fitness`.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import TypeAlias

from evaluation.judging.fitness import CARE, ENOUGH, MOST_WRONG, Figure, fitness
from evaluation.judging.pair_asking import Pair, make_pair
from evaluation.judging.pair_reading import Preference
from evaluation.records import Cell, Json, Scenario
from evaluation.rubrics.canary import FIRST, LEAST_GAP, PREFIX, Canary

LEAST_KNOWN = 8
"""Fewer pairs with a known winner cannot tell a judge of one habit from bad luck."""
MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class CanaryPair:
    """Two canaries side by side: the second one, as the candidate, is the better or else the longer one."""

    base: Canary
    candidate: Canary
    known: bool
    """True where the candidate is the better one; False where both are alike but for their length."""

    @property
    def id(self) -> str:
        return f"{self.base.id}/{self.candidate.id}"

    @property
    def pair(self) -> Pair:
        """As the judge is asked about it."""
        scenario = Scenario(PREFIX + self.id, "", (self.base.user,))
        made = make_pair([self.base.exchange(FIRST)], [self.candidate.exchange(FIRST)], scenario)
        assert made is not None, "a canary has words"
        return Pair(Cell(scenario.id, 1), made.shared, made.shown, made.said)


Preferences: TypeAlias = Mapping[str, Preference]
"""Id of a pair -> what the judge prefers; without those that could not be read."""


@dataclass(frozen=True, slots=True)
class PairCheck:
    """What pairs of canaries say of a judge."""

    asked: int
    answered: int
    figures: tuple[Figure, ...]
    fit: bool | None
    """None where the rubric holds too few pairs, or the check was left out."""
    left_out: tuple[str, ...] = ()
    """Of a panel: the members that failed, and why; they are asked about nothing else."""

    @property
    def problems(self) -> tuple[str, ...]:
        """A sentence for each expectation that was not met."""
        return tuple(figure.problem for figure in self.figures if figure.problem)

    def to_json(self) -> dict[str, Json]:
        return {**asdict(self), "problems": list(self.problems)}


NOT_CHECKED = PairCheck(0, 0, (), None)


def canary_pairs(canaries: Sequence[Canary]) -> list[CanaryPair]:
    """Every pair that the canaries of a rubric make, those with a known winner first; none where these are too few."""
    ordered = sorted(canaries, key=lambda canary: canary.level)
    known = [
        CanaryPair(poorer, better, known=True)
        for poorer, better in combinations(ordered, 2)
        if (poorer.before, poorer.user) == (better.before, better.user)
        and better.level - poorer.level >= LEAST_GAP
        and not better.injected
    ]
    by_id = {canary.id: canary for canary in canaries}
    alike = [
        CanaryPair(by_id[canary.longer_than], canary, known=False)
        for canary in canaries
        if canary.longer_than in by_id and canary.before == by_id[canary.longer_than].before
    ]
    return [*known, *alike] if len(known) >= LEAST_KNOWN else []


def check_pairs(asked: Sequence[CanaryPair], preferences: Preferences) -> PairCheck:
    """What a judge prefers on pairs of canaries, held against what an honest one does."""
    if not asked:
        return NOT_CHECKED
    figures = tuple(_figures(asked, preferences))
    answered = sum(pair.id in preferences for pair in asked)
    return PairCheck(len(asked), answered, figures, fitness(figures, ended=True))


def _figures(asked: Sequence[CanaryPair], preferences: Preferences) -> Iterator[Figure]:
    known = [pair for pair in asked if pair.known]
    yield _wrong(known, preferences)
    alike = [pair for pair in asked if not pair.known]
    if alike:
        yield _love_of_length(alike, preferences)


def _wrong(known: Sequence[CanaryPair], preferences: Preferences) -> Figure:
    """The share of pairs in which it does not prefer the better one in both orders."""
    read, name = [pair for pair in known if pair.id in preferences], "winners missed"
    if len(read) < ENOUGH * len(known):
        return _missing(name, len(read), len(known), "pairs with a known winner")
    missed = [pair for pair in read if preferences[pair.id].winner != "candidate"]
    value = len(missed) / len(read)
    high = MOST_WRONG + CARE * math.sqrt(MOST_WRONG * (1 - MOST_WRONG) / len(read))
    problem = ""
    if value > high:
        by_place = sum(preferences[pair.id].kind == "order" for pair in missed)
        why = f", {by_place} of them by the place in which they stood" if by_place else ""
        named = ", ".join(pair.id for pair in missed[:MOST_NAMED])
        problem = f"it misses the better of two answers in {len(missed)} of {len(read)} pairs{why} ({named})"
    return Figure(name, value, None, high, len(read), problem)


def _love_of_length(alike: Sequence[CanaryPair], preferences: Preferences) -> Figure:
    """By how much more often it prefers the longer of two answers that are otherwise alike."""
    read, name = [pair for pair in alike if pair.id in preferences], "love of length"
    if len(read) < ENOUGH * len(alike):
        return _missing(name, len(read), len(alike), "pairs that differ in length alone")
    longer, shorter = (sum(preferences[pair.id].winner == side for pair in read) for side in ("candidate", "base"))
    value, high = (longer - shorter) / len(read), CARE / math.sqrt(len(read))
    problem = ""
    if value > high:
        problem = f"it loves length: the same in more words won {longer} of {len(read)} pairs and lost {shorter}"
    return Figure(name, value, None, high, len(read), problem)


def _missing(name: str, read: int, planned: int, what: str) -> Figure:
    return Figure(name, None, None, None, read, f"too few {what} could be read: {read} of {planned}")
