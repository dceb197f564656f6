"""The bound of one metric's mean difference: from paired scenarios to situations, with gaps and the largest fall."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from evaluation.records import Source
from evaluation.statistics.bound import lower_ends
from evaluation.statistics.clusters import effective_number, weighted_average
from evaluation.statistics.paired import SAME, ScenarioPair

CHECK_FALL = 1.0
SCORE_FALL = 0.5
"""The largest change of a situation that is taken to be possible unless a team says otherwise, in shares of a scale."""

LargestFall: TypeAlias = Callable[[str, Source], float]
"""(metric, source) -> the share of its scale by which a situation may fall, or rise, at most: an assumption."""


def usual_fall(_metric: str, source: Source) -> float:
    """All of it for a check, which is 0 or 1, and half of it for a score."""
    return CHECK_FALL if source == "check" else SCORE_FALL


@dataclass(frozen=True, slots=True)
class MeanBound:
    """How far the mean difference may lie to either side, each at `level`; see `statistics.bound`. In its units."""

    low: float
    high: float
    level: float
    lowest: float
    """The lower end with every missing value at its worst."""
    among_all: float
    """`lowest` over all situations, the metric counted as unchanged where it means nothing."""
    largest_fall: float
    """Of a situation, as taken: what was assumed, or the width of the scale where a larger one was seen."""
    fall_seen: float | None
    """The largest one, where it exceeds what was assumed."""
    situations: int
    effective: float
    """Situations of one size that weigh as much."""

    @property
    def uneven(self) -> bool:
        """True where the largest situations weigh so much that they count like half as many, or fewer."""
        return self.effective < self.situations / 2


@dataclass(frozen=True, slots=True)
class Situations:
    """One difference per situation, with the largest fall (all positive units of the metric)."""

    differences: tuple[float, ...]
    sizes: tuple[float, ...]
    """Scenarios of each, or what these stand for where they do not count alike."""
    largest: float


class Members(NamedTuple):
    """The scenarios of one situation."""

    values: list[float]
    weights: list[float]

    @property
    def mean(self) -> float:
        return weighted_average(self.values, self.weights)

    @property
    def size(self) -> float:
        return math.fsum(self.weights)


class Bounded(NamedTuple):
    """One metric's pairs, for their bound."""

    pairs: Sequence[ScenarioPair]
    width: float
    """Of its scale."""
    share: float
    """The largest fall, in shares of the width."""


def bound_pairs(metrics: Sequence[Bounded], level: float) -> list[MeanBound | None]:
    """The bound of each metric, all computed together; None without a pair."""
    rows = [_situations(metric) for metric in metrics]
    ends = _ends([row for each in rows for row in each], level)
    found: list[MeanBound | None] = []
    for metric, each in zip(metrics, rows, strict=True):
        if not each:
            found.append(None)
            continue
        known = each[0]
        low, high, lowest, among_all = (ends[row] for row in each)
        deepest = -min(known.differences)
        bound = MeanBound(
            low=low,
            high=-high,
            level=level,
            lowest=lowest,
            among_all=among_all,
            largest_fall=known.largest,
            fall_seen=deepest if deepest > metric.share * metric.width + SAME else None,
            situations=len(known.sizes),
            effective=effective_number(known.sizes),
        )
        found.append(bound)
    return found


def _situations(metric: Bounded) -> Sequence[Situations]:
    """As they are known, their mirror image, with missing values at their worst, and so over all; none without any."""
    pairs, width, share = metric
    known = _by_situation(pairs, lambda pair: pair.difference)
    if not known:
        return ()
    means, sizes = _means_and_sizes(known)
    fall, rise = (_reach(sign, means, share * width, width) for sign in (-1, 1))
    seen = Situations(means, sizes, fall)
    mirrored = Situations(tuple(-mean for mean in means), sizes, rise)
    if all(pair.difference is not None and _worst(pair) == pair.difference for pair in pairs):
        filled = _filled(means, sizes, fall)
        return seen, mirrored, filled, filled
    worst, over_all = _by_situation(pairs, _worst), _by_situation(pairs, lambda pair: _worst(pair) or 0.0)
    return seen, mirrored, *(_filled(*_means_and_sizes(each), fall) for each in (worst, over_all))


def _means_and_sizes(situations: Mapping[str, Members]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return tuple(each.mean for each in situations.values()), tuple(each.size for each in situations.values())


def _reach(sign: int, means: Iterable[float], assumed: float, width: float) -> float:
    return width if max(sign * mean for mean in means) > assumed + SAME else assumed


def _worst(pair: ScenarioPair) -> float | None:
    """The difference with every missing value at its worst; never above what was seen."""
    if pair.lowest is None or pair.difference is None:
        return pair.lowest
    return min(pair.lowest, pair.difference)


def _by_situation(
    pairs: Sequence[ScenarioPair], value: Callable[[ScenarioPair], float | None]
) -> Mapping[str, Members]:
    found: dict[str, Members] = {}
    for pair in pairs:
        if (difference := value(pair)) is not None:
            members = found.setdefault(pair.cluster, Members([], []))
            members.values.append(difference)
            members.weights.append(pair.weight)
    return found


def _filled(means: Sequence[float], sizes: tuple[float, ...], largest: float) -> Situations:
    """No fall that was not seen exceeds the largest one."""
    return Situations(tuple(max(mean, -largest) for mean in means), sizes, largest)


def _ends(rows: Sequence[Situations], level: float) -> Mapping[Situations, float]:
    """The lower end of each, those with the same sizes at once."""
    import numpy as np

    of_sizes: dict[tuple[float, ...], list[Situations]] = {}
    for row in dict.fromkeys(rows):
        of_sizes.setdefault(row.sizes, []).append(row)
    found: dict[Situations, float] = {}
    for sizes, listed in of_sizes.items():
        table = np.array([row.differences for row in listed])
        largest = np.array([row.largest for row in listed])
        ends = lower_ends(table, np.array(sizes, dtype=float), largest, level).tolist()
        found |= zip(listed, ends, strict=True)
    return found
