"""The spread of a metric over its scale: one that hardly moves cannot show what a parameter does."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.statistics.clusters import Observation, estimate, percentile

SATURATED = 0.25
"""Share of the values at one end of the scale from which on a metric is called saturated there."""
DOMINANT = 0.5
"""Share of one value inside the scale from which on it is named."""
NARROW = 0.05
"""Of the scale's width: a middle half, or a standard deviation, below this is called narrow."""
FEW_VALUES = 8
"""A metric with at most so many different values is coarse, if there are several times as many values."""
ENOUGH = 30
"""Values below which nothing is called anything."""
DECIMALS = 9
"""To which values are the same."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """The values of one metric over all settings together."""

    metric: str
    n: int
    distinct: int
    at_low: float
    """Share of the values at the lowest end of the scale."""
    at_high: float
    stdev: float | None
    middle: tuple[float, float] | None
    """First and third quartile."""
    findings: tuple[str, ...]
    """All that stands out, in words; empty where the values spread."""


def distribution(metric: str, values: Sequence[float], low: float, high: float) -> Distribution:
    """Describes the values of a metric on the scale from `low` to `high`."""
    if not values:
        return Distribution(metric, 0, 0, 0.0, 0.0, None, None, ())
    ordered = sorted(round(value, DECIMALS) for value in values)
    counts = Counter(ordered)
    described = estimate(Observation("", str(place), 1, 1, value) for place, value in enumerate(ordered))
    quartiles = (percentile(ordered, 0.25), percentile(ordered, 0.75))
    at_low, at_high = (counts[round(end, DECIMALS)] / len(ordered) for end in (low, high))
    found = Distribution(metric, len(ordered), len(counts), at_low, at_high, described.stdev, quartiles, ())
    return found if found.n < ENOUGH else _describe(found, counts, low, high)


def _describe(found: Distribution, counts: Counter[float], low: float, high: float) -> Distribution:
    width = high - low
    findings = [
        f"{share:.0%} of the values are {end:g}, the {name} end of the scale"
        for share, end, name in ((found.at_low, low, "low"), (found.at_high, high, "high"))
        if share >= SATURATED
    ]
    value, times = counts.most_common(1)[0]
    if times / found.n >= DOMINANT and value not in (low, high):
        findings.append(f"{times / found.n:.0%} of the values are {value:g}")
    if found.distinct <= FEW_VALUES:
        findings.append("only one value" if found.distinct == 1 else f"only {found.distinct} different values")
    if found.middle is not None and found.middle[1] - found.middle[0] < NARROW * width and not findings:
        findings.append(f"the middle half lies between {found.middle[0]:.2f} and {found.middle[1]:.2f}")
    if found.stdev is not None and found.stdev < NARROW * width and not findings:
        findings.append(f"the standard deviation is {found.stdev:.3f}")
    return Distribution(
        found.metric,
        found.n,
        found.distinct,
        found.at_low,
        found.at_high,
        found.stdev,
        found.middle,
        tuple(findings),
    )
