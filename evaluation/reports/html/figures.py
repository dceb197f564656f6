"""The places of things in the pictures: positions in percent of a picture's width or height, so that they scale.

Nothing here computes a statistic: means, intervals and percentiles come as they are.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluation.comparison.differences import MetricDifference
from evaluation.decision.decide import FEW_CLUSTERS
from evaluation.records import Source
from evaluation.reports.intervals import Mean
from evaluation.rubrics.rubric import DecisionRule
from evaluation.summary.columns import is_value
from evaluation.summary.metric import MetricSummary

BINS = 20
HEAT_STEPS = 20
"""The heat map's colours are numbered 0 (worst) to this (best)."""
TICKS = 4
"""About so many intervals between the ticks of an axis."""
LEAST_HEIGHT = 0.1
"""Of a picture, as a share of the scale: small changes must not look like large ones."""

LEAST_STRETCH = 0.25
"""The same of a picture of single values, which lie further apart than means."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A line from `low` to `high`."""

    low: float
    high: float

    def at(self, value: float) -> str:
        """The place of a value: "74.50%"; at an end when it lies beyond it."""
        return f"{self.share(value) * 100:.2f}%"

    def depth(self, value: float) -> str:
        """The distance of a value from the top where the axis runs upwards, in percent: "25.50"."""
        return f"{(1 - self.share(value)) * 100:.2f}"

    def share(self, value: float) -> float:
        """0 at the low end, 1 at the high one."""
        if self.high <= self.low:
            return 0.5
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))

    def width(self, low: float, high: float) -> str:
        """The extent of an interval."""
        return f"{(self.share(high) - self.share(low)) * 100:.2f}%"

    def ticks(self) -> list[float]:
        """Round values along the axis."""
        step = _round_step((self.high - self.low) / TICKS)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(place * step, 10) + 0.0 for place in range(first, last + 1)]


@dataclass(frozen=True, slots=True)
class Histogram:
    """The spread of one metric's values over its scale."""

    metric: str
    source: Source
    axis: Axis
    counts: tuple[int, ...]
    """Values in each of the `BINS` parts of the scale, from its low end."""
    summary: MetricSummary


def histogram(
    metric: str, source: Source, column: Iterable[float], ends: tuple[float, float], summary: MetricSummary
) -> Histogram:
    """Counts the values of a column, its marks left out; a value on a border counts above it, the last one below."""
    axis = Axis(*ends)
    counts = [0] * BINS
    for value in column:
        if is_value(value):
            counts[bin_of(value, axis)] += 1
    return Histogram(metric, source, axis, tuple(counts), summary)


def bin_of(value: float, axis: Axis) -> int:
    """The part of a histogram that counts a value, from 0."""
    return min(BINS - 1, int(axis.share(value) * BINS + 1e-9))


def heat(value: float, ends: tuple[float, float], rule: DecisionRule | None) -> int:
    """The colour of a mean: the middle one is the floor of the rule, without a rule the middle of the scale."""
    low, high = ends
    middle = rule.floor if rule is not None and low < rule.floor < high else (low + high) / 2
    half = HEAT_STEPS / 2
    if value < middle:
        return round(half * Axis(low, middle).share(value))
    return round(half + half * Axis(middle, high).share(value))


def is_small(clusters: int) -> bool:
    """True when a figure rests on so few situations that its interval is rough."""
    return 0 < clusters < FEW_CLUSTERS


def around_zero(values: Sequence[float]) -> Axis:
    """An axis with 0 in its middle that holds all values."""
    reach = max((abs(value) for value in values), default=0.0) or 0.01
    step = _round_step(reach / 2)
    return Axis(-math.ceil(reach / step - 1e-9) * step, math.ceil(reach / step - 1e-9) * step)


def difference_axis(rows: Iterable[MetricDifference]) -> Axis:
    """One axis for all differences of a table, 0 in its middle."""
    found = [row.estimate for row in rows]
    return around_zero([end for each in found for end in (*(each.ci95 or ()), each.difference or 0.0)])


def axis_of(found: Iterable[Mean], scale: tuple[float, float]) -> Axis:
    """An axis around these means and their intervals, at least a tenth of the scale and within it."""
    axis = around_means(found, scale)
    return Axis(max(axis.low, scale[0]), min(axis.high, scale[1]))


def axis_within(values: Sequence[float], scale: tuple[float, float]) -> Axis:
    """An axis that holds these values, at least a quarter of the scale and within it; the scale without any value."""
    if not values:
        return Axis(*scale)
    axis = around(values, LEAST_STRETCH * (scale[1] - scale[0]))
    return Axis(max(axis.low, scale[0]), min(axis.high, scale[1]))


def around_means(found: Iterable[Mean], scale: tuple[float, float]) -> Axis:
    """An axis that holds these means and their intervals, at least a tenth of the scale."""
    ends = [end for each in found for end in ends_of(each)]
    return around(ends or [scale[0]], LEAST_HEIGHT * (scale[1] - scale[0]))


def ends_of(found: Mean) -> tuple[float, ...]:
    """The interval; the mean twice where there is none, and nothing without a mean."""
    return () if found.mean is None else found.ci95 or (found.mean, found.mean)


def center(place: int, places: int) -> str:
    """The middle of one of so many columns of equal width: "12.50%"."""
    return f"{(place + 0.5) * 100 / places:.2f}%"


def around(values: Sequence[float], least: float) -> Axis:
    """An axis of at least this width that holds all values, its ends round."""
    low, high = min(values), max(values)
    spare = max(0.0, least - (high - low)) / 2
    step = _round_step(max(high - low, least) / TICKS)
    return Axis(math.floor((low - spare) / step) * step, math.ceil((high + spare) / step) * step)


def _round_step(raw: float) -> float:
    """1, 2 or 5 times a power of ten, at least `raw`."""
    power = 10.0 ** math.floor(math.log10(raw)) if raw > 0 else 0.01
    return next((factor * power for factor in (1, 2, 5) if factor * power >= raw - 1e-12), 10 * power)
