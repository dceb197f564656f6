"""Pairs of responses of which people preferred one: how often does a metric prefer the same?"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluation.calibration.people import NEAR, RatingScale
from evaluation.calibration.ratings import RatedUnit, ScoreKey
from evaluation.statistics.agreement import mean_figure
from evaluation.statistics.resamples import Figure


@dataclass(frozen=True, slots=True)
class RatedPair:
    """Two responses to the same, and which of them people prefer."""

    first: RatedUnit
    second: RatedUnit
    people: float
    """Above 0 where people prefer the first, below 0 the second, 0 where they prefer none."""

    @property
    def cluster(self) -> str:
        """What both answer: pairs on one message resemble each other, so a resample draws them together."""
        return self.first.asked or self.first.cluster

    @property
    def decided(self) -> bool:
        """True where people prefer one."""
        return abs(self.people) > NEAR

    def has(self, key: ScoreKey) -> bool:
        """True where both responses have a score."""
        return key in self.first.scores and key in self.second.scores

    def is_tie(self, key: ScoreKey) -> bool:
        """True where the metric is the same on both."""
        return abs(self._difference(key)) <= NEAR

    def hit(self, key: ScoreKey) -> float:
        """1 where the metric prefers what people prefer, 0 where it prefers the other, and half for a tie."""
        return 0.5 if self.is_tie(key) else float(self._difference(key) * self.people > 0)

    def _difference(self, key: ScoreKey) -> float:
        return self.first.scores[key] - self.second.scores[key]


@dataclass(frozen=True, slots=True)
class PairAccuracy:
    """The share of pairs on which a metric prefers the response that people prefer; guessing gives 0.5."""

    dimension: str
    source: str
    metric: str
    pairs: int
    """On which people had a preference."""
    undecided: int
    """Pairs on which people had none; left out."""
    tool_ties: int
    """Of `pairs`, those where the metric has the same value twice; each counts half."""
    accuracy: Figure


def rated_pairs(dimension: str, units: Iterable[RatedUnit], scale: RatingScale) -> list[RatedPair]:
    """The groups of exactly two units that both have a rating, in order of first appearance."""
    better = 1 if scale.best >= scale.worst else -1
    found = []
    for members in pair_groups(unit for unit in units if dimension in unit.ratings).values():
        if len(members) == 2:
            first, second = members
            people = better * (first.ratings[dimension] - second.ratings[dimension])
            found.append(RatedPair(first, second, people))
    return found


def pair_groups(units: Iterable[RatedUnit]) -> dict[str, list[RatedUnit]]:
    """Group -> its responses; those of level pair alone. A pair has two, and another number makes none."""
    groups: dict[str, list[RatedUnit]] = {}
    for unit in units:
        if unit.level == "pair":
            groups.setdefault(unit.cluster, []).append(unit)
    return groups


def pair_accuracy(
    dimension: str, key: ScoreKey, units: Sequence[RatedUnit], scale: RatingScale, *, seed: int, resamples: int
) -> PairAccuracy:
    """Over the pairs of which both responses have a score."""
    pairs = [pair for pair in rated_pairs(dimension, units, scale) if pair.has(key)]
    decided = [pair for pair in pairs if pair.decided]
    hits, clusters = [pair.hit(key) for pair in decided], [pair.cluster for pair in decided]
    found = mean_figure(hits, clusters, seed=seed, resamples=resamples)
    ties = sum(pair.is_tie(key) for pair in decided)
    return PairAccuracy(dimension, *key, len(decided), len(pairs) - len(decided), ties, found)
