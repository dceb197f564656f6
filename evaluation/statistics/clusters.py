"""Averages of scores, their standard errors and intervals: the only code that averages scores.

The mean of a set of scores averages the turns within a cell (a scenario played once), then the repeats within a
scenario, then the scenarios with equal weight. Its standard error is clustered by situation, since variants of one
situation tend to succeed and fail together (cluster-robust variance of a mean: Liang and Zeger 1986; for evaluations
Miller 2024, "Adding Error Bars to Evals", section 2.2; the factor G / (G - 1): Cameron and Miller 2015):

    Var = G / (G - 1) * sum over clusters g of (sum over scenarios s in g of (y_s - mean))^2 / S^2

with y_s the mean of scenario s, S scenarios and G clusters. With one cluster there is no error and no interval. Sums
are exactly rounded (`math.fsum`), so that no result depends on the order in which the scores arrive.

The interval is mean +- t(0.975, G - 1) * SE where values have no scale, as words and seconds. On a scale a symmetric
interval misleads: it leaves the scale, and shrinks to a point where all values are alike, so that falls too rare to
have been seen stay outside it. There the mean, as a share p of the scale, has Wilson's interval (1927) with the same t
and with the number of independent trials of 0 or 1 that its clustered standard error amounts to:

    n = p (1 - p) / SE^2, SE as a share of the scale; G where SE is 0 but for rounding (Korn and Graubard 1998)

Values between the ends vary less than trials of 0 or 1, so that n may exceed their number. A share of passes is made of
such trials: there n is at most the number of values.

A sample that was drawn from strata at different rates has weights (how many a value stands for). Its mean is that of
the whole from which it was drawn, sum w y / sum w, and its standard error is the linearised one of that ratio (Särndal,
Swensson and Wretman 1992, section 5.6), each stratum around its own mean and its clusters (users, as a rule) together:

    z_i = w_i (y_i - mean) / sum w, 0 outside of what is averaged      c_h = clusters of stratum h with a value
    Var = sum over clusters g of (sum over i in g of sqrt(c_h / (c_h - 1)) (z_i - mean of z in h))^2

A stratum of which one cluster alone has a value stays uncentred, which is rather too wide. With one stratum and equal
weights this is the formula above. Strata are taken as they are in size, and no correction is made for a share of them
that was drawn: the interval is that of the quality which such users meet, not of the finite number of responses.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

from evaluation.statistics.student_t import critical, upper_tail

MISSING = math.nan
"""In a grid: a planned value that was not obtained."""
NOT_APPLICABLE = math.inf
"""In a grid: the metric means nothing here; outside mean, count and coverage."""
ROUNDING = 1e-9
"""A standard error below this share of the scale is that of equal values."""

Scale: TypeAlias = tuple[float, float]
"""Lowest and highest value that a score can have."""


class Observation(NamedTuple):
    """One score, and where it stands."""

    cluster: str
    """The scenario's situation."""
    scenario_id: str
    repeat: int
    turn: int
    value: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimate of one metric. All figures but `n` and `clusters` are None where there are too few values."""

    n: int
    """Exchanges with a value."""
    clusters: int
    mean: float | None
    stdev: float | None
    """Of the scored exchanges around their own plain average (n - 1); it describes them, the interval uses `se`."""
    se: float | None
    """Clustered standard error of `mean`."""
    ci95: tuple[float, float] | None
    min: float | None
    p10: float | None
    p50: float | None
    max: float | None


@dataclass(frozen=True, slots=True)
class ClusteredMean:
    """An equal-weight mean over scenarios (or of paired differences over scenarios), with its standard error."""

    mean: float
    se: float | None
    clusters: int
    scenarios: int

    def interval(self, confidence: float = 0.95) -> tuple[float, float] | None:
        """mean +- t(G - 1) * se, for values without a scale; None with one cluster. 0 < `confidence` < 1."""
        if self.se is None:
            return None
        reach = critical(confidence, self.clusters - 1) * self.se
        return (self.mean - reach, self.mean + reach)

    def interval_within(
        self, low: float, high: float, confidence: float = 0.95, most: float = math.inf
    ) -> tuple[float, float] | None:
        """Wilson's interval of a mean of values from `low` to `high`, which it never leaves; None with one cluster.

        `most` is the largest number of independent trials that the values can amount to.
        """
        if self.se is None:
            return None
        share = min(1.0, max(0.0, (self.mean - low) / (high - low)))
        variance, error = share * (1 - share), self.se / (high - low)
        trials = min(most, variance / error**2) if variance > 0 and error >= ROUNDING else float(self.clusters)
        weight = critical(confidence, self.clusters - 1) ** 2 / trials
        centre = (share + weight / 2) / (1 + weight)
        reach = math.sqrt(weight * variance + weight**2 / 4) / (1 + weight)
        ends = (low + (centre - reach) * (high - low), low + (centre + reach) * (high - low))
        return (max(low, min(ends[0], self.mean)), min(high, max(ends[1], self.mean)))


class WeightedValue(NamedTuple):
    """One drawn thing with what it stands for."""

    stratum: str
    cluster: str
    weight: float
    """How many of its stratum it stands for; above 0."""
    value: float | None
    """None where it is outside of what is averaged: another group, or nothing that could be scored."""


@dataclass(frozen=True, slots=True)
class WeightedEstimate:
    """The estimate of a mean from a weighted sample. The mean is None without any value."""

    n: int
    """Drawn things with a value."""
    clusters: int
    mean: float | None
    se: float | None
    ci95: tuple[float, float] | None
    stands_for: float
    """The sum of the weights: about how many there are in all."""
    effective_n: float
    """As many values of equal weight would say as much (Kish 1965): (sum w)^2 / sum w^2."""


class ScenarioScores(NamedTuple):
    """The scores of one scenario under one metric, over all its repeats and turns."""

    cluster: str
    values: Sequence[float]
    missing: int
    not_applicable: int
    mean: float | None
    """None without any value."""
    lowest: float | None
    """The mean if every missing value were the lowest of the scale; None where nothing is applicable."""
    highest: float | None


def average(values: Sequence[float]) -> float:
    """The plain mean of at least one value; never outside their range, not even by rounding."""
    if len(values) == 1:
        return values[0]
    return min(max(math.fsum(values) / len(values), min(values)), max(values))


def squares(values: Sequence[float]) -> float:
    """The sum of the squared deviations from the mean."""
    mean = average(values)
    return math.fsum([(value - mean) ** 2 for value in values])


def clustered_mean(scenarios: Iterable[tuple[str, float]]) -> ClusteredMean | None:
    """The mean of (cluster, scenario value) pairs, one per scenario; None without any."""
    pairs = list(scenarios)
    if not pairs:
        return None
    mean = average([value for _, value in pairs])
    count = len({cluster for cluster, _ in pairs})
    if count == 1:
        return ClusteredMean(mean, None, 1, len(pairs))
    # In a large run most scenarios are clusters of their own: a list for each would take more than the scores.
    alone = count == len(pairs)
    sums = [value - mean for _, value in pairs] if alone else _sums_of_residuals(pairs, mean)
    between = math.fsum([residual**2 for residual in sums])
    return ClusteredMean(mean, math.sqrt(between * count / (count - 1)) / len(pairs), count, len(pairs))


def _sums_of_residuals(pairs: Iterable[tuple[str, float]], mean: float) -> list[float]:
    """One per cluster."""
    residuals: dict[str, list[float]] = {}
    for cluster, value in pairs:
        residuals.setdefault(cluster, []).append(value - mean)
    return [math.fsum(group) for group in residuals.values()]


def weighted_mean(sample: Iterable[WeightedValue]) -> ClusteredMean | None:
    """The mean of what the sample was drawn from; `scenarios` counts the values. None without any."""
    drawn = list(sample)
    valued = [(each, each.value) for each in drawn if each.value is not None]
    if not valued:
        return None
    total = math.fsum([each.weight for each, _ in valued])
    plain = [value for _, value in valued]
    mean = min(max(math.fsum([each.weight * value for each, value in valued]) / total, min(plain)), max(plain))
    clusters = len({each.cluster for each, _ in valued})
    if clusters == 1:
        return ClusteredMean(mean, None, 1, len(valued))
    strata: dict[str, list[WeightedValue]] = {}
    for each in drawn:
        strata.setdefault(each.stratum, []).append(each)
    sums: dict[str, list[float]] = {}
    for members in strata.values():
        with_value = len({each.cluster for each in members if each.value is not None})
        shares = [0.0 if each.value is None else each.weight * (each.value - mean) / total for each in members]
        centre = math.fsum(shares) / len(shares) if with_value > 1 else 0.0
        factor = math.sqrt(with_value / (with_value - 1)) if with_value > 1 else 1.0
        for each, share in zip(members, shares, strict=True):
            sums.setdefault(each.cluster, []).append(factor * (share - centre))
    variance = math.fsum([math.fsum(parts) ** 2 for parts in sums.values()])
    return ClusteredMean(mean, math.sqrt(variance), clusters, len(valued))


def weighted_estimate(sample: Sequence[WeightedValue], scale: Scale | None) -> WeightedEstimate:
    """The estimate from a weighted sample; `scale` is None for figures that have none."""
    weights = [each.weight for each in sample if each.value is not None]
    found = weighted_mean(sample)
    if found is None:
        return WeightedEstimate(0, 0, None, None, None, 0.0, 0.0)
    total = math.fsum(weights)
    return WeightedEstimate(
        n=len(weights),
        clusters=found.clusters,
        mean=found.mean,
        se=found.se,
        ci95=found.interval() if scale is None else found.interval_within(*scale),
        stands_for=total,
        effective_n=total**2 / math.fsum([weight**2 for weight in weights]),
    )


def effective_clusters(sample: Iterable[WeightedValue]) -> float:
    """As many clusters of equal weight would weigh as evenly (Kish 1965); 0 without a value."""
    weights: dict[str, float] = {}
    for each in sample:
        if each.value is not None:
            weights[each.cluster] = weights.get(each.cluster, 0.0) + each.weight
    squared = math.fsum([weight**2 for weight in weights.values()])
    return math.fsum(weights.values()) ** 2 / squared if squared else 0.0


def from_grid(cluster: str, grid: Sequence[float], turns: int, low: float, high: float) -> ScenarioScores:
    """One scenario from its planned values: repeat by repeat, `turns` values each, with the two marks above.

    `low` and `high` are the ends of the metric's scale; missing values are set to them for the bounds.
    """
    # A tuple takes half of a list's memory, and there is one per scenario of a run.
    values = tuple([value for value in grid if value < math.inf])
    if len(values) == len(grid):
        cells: Sequence[float] = (
            values if turns == 1 else [average(values[at : at + turns]) for at in range(0, len(values), turns)]
        )
        mean = average(cells)
        return ScenarioScores(cluster, values, 0, 0, mean, mean, mean)
    known = _mean_of_cells(grid, turns)
    not_applicable = sum(1 for value in grid if value == math.inf)
    missing = len(grid) - len(values) - not_applicable
    if not missing:
        return ScenarioScores(cluster, values, 0, not_applicable, known, known, known)
    lowest, highest = (
        _mean_of_cells([end if math.isnan(value) else value for value in grid], turns) for end in (low, high)
    )
    return ScenarioScores(cluster, values, missing, not_applicable, known, lowest, highest)


def from_observations(observations: Iterable[Observation]) -> dict[str, ScenarioScores]:
    """Scenario id -> its scores, in the order of first appearance; nothing counts as missing."""
    cells: dict[str, dict[int, list[float]]] = {}
    clusters: dict[str, str] = {}
    for cluster, scenario_id, repeat, _, value in observations:
        clusters.setdefault(scenario_id, cluster)
        cells.setdefault(scenario_id, {}).setdefault(repeat, []).append(value)
    scenarios = {}
    for scenario_id, repeats in cells.items():
        values = [value for cell in repeats.values() for value in cell]
        mean = average([average(cell) for cell in repeats.values()])
        scenarios[scenario_id] = ScenarioScores(clusters[scenario_id], values, 0, 0, mean, mean, mean)
    return scenarios


def estimate(observations: Iterable[Observation], scale: Scale | None) -> Estimate:
    """The estimate from a set of scores without a plan: for ratings and other gathered values."""
    return estimate_scenarios(list(from_observations(observations).values()), scale)


def estimate_scenarios(scenarios: Sequence[ScenarioScores], scale: Scale | None, *, share: bool = False) -> Estimate:
    """The estimate from the scores of these scenarios; missing and inapplicable values are left out.

    `scale` is None for figures that have none. `share` is True where each value is one of its two ends, so that the
    mean is a share of passes.
    """
    found = clustered_mean((scenario.cluster, scenario.mean) for scenario in scenarios if scenario.mean is not None)
    if found is None:
        return Estimate(0, 0, None, None, None, None, None, None, None, None)
    values = sorted(value for scenario in scenarios for value in scenario.values)
    most = len(values) if share else math.inf
    return Estimate(
        n=len(values),
        clusters=found.clusters,
        mean=found.mean,
        stdev=stdev(values),
        se=found.se,
        ci95=found.interval() if scale is None else found.interval_within(*scale, most=most),
        min=values[0],
        p10=percentile(values, 0.1),
        p50=percentile(values, 0.5),
        max=values[-1],
    )


def bounds(scenarios: Sequence[ScenarioScores]) -> tuple[float, float] | None:
    """The lowest and highest mean that the missing values leave possible; None where nothing is applicable."""
    lowest = [scenario.lowest for scenario in scenarios if scenario.lowest is not None]
    highest = [scenario.highest for scenario in scenarios if scenario.highest is not None]
    return (average(lowest), average(highest)) if lowest else None


def percentile(ordered: Sequence[float], share: float) -> float:
    """Of at least one value in rising order, by linear interpolation between ranks (numpy's default)."""
    position = share * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    low, high = ordered[below], ordered[above]
    return min(max(low + (high - low) * (position - below), low), high)


def _mean_of_cells(grid: Sequence[float], turns: int) -> float | None:
    cells = [grid[start : start + turns] for start in range(0, len(grid), turns)]
    known = [[value for value in cell if value < math.inf] for cell in cells]
    means = [average(values) for values in known if values]
    return average(means) if means else None


def stdev(values: Sequence[float]) -> float | None:
    """Around the plain mean (n - 1); None below two values."""
    return None if len(values) < 2 else math.sqrt(squares(values) / (len(values) - 1))


class Mean(Protocol):
    """A mean with its clustered standard error."""

    @property
    def mean(self) -> float | None: ...
    @property
    def se(self) -> float | None: ...
    @property
    def clusters(self) -> int: ...


@dataclass(frozen=True, slots=True)
class UnpairedDifference:
    """after - before; the rest is None where one side has no standard error."""

    value: float
    ci95: tuple[float, float] | None
    se: float | None = None
    freedom: float | None = None
    """Degrees of freedom of the error; None where nothing varies."""
    p: float | None = None
    """Two-sided, by t; None where nothing varies."""


def unpaired_difference(before: Mean, after: Mean) -> UnpairedDifference | None:
    """The difference of two means that rest on different responses, as in two weeks of reviews or of production.

    It has the root of the sum of their squared standard errors, and Welch's degrees of freedom (Welch 1947) with the
    clusters of each side in the place of its values:

        df = (se_a^2 + se_b^2)^2 / (se_a^4 / (G_a - 1) + se_b^4 / (G_b - 1))

    Clusters that occur on both sides (situations, users) make the true error smaller, so that the interval is rather
    too wide. None where one side has no mean.
    """
    if before.mean is None or after.mean is None:
        return None
    value = after.mean - before.mean
    if before.se is None or after.se is None:
        return UnpairedDifference(value, None)
    a, b = before.se**2, after.se**2
    if a + b == 0:
        return UnpairedDifference(value, (value, value), 0.0)
    freedom = (a + b) ** 2 / (a**2 / (before.clusters - 1) + b**2 / (after.clusters - 1))
    se = math.sqrt(a + b)
    half = critical(0.95, freedom) * se
    return UnpairedDifference(
        value, (value - half, value + half), se, freedom, 2 * upper_tail(abs(value) / se, freedom)
    )
