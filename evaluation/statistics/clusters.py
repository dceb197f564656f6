"""Averages of scores, their standard errors and intervals: the only code that averages scores.

The mean of a set of scores averages the turns within a cell (a scenario played once), then the repeats within a
scenario, then the scenarios with equal weight. Its standard error is clustered by situation, since variants of one
situation tend to succeed and fail together (cluster-robust variance of a mean: Liang and Zeger 1986; for evaluations
Miller 2024, "Adding Error Bars to Evals", section 2.2; the factor G / (G - 1): Cameron and Miller 2015):

    Var = G / (G - 1) * sum over clusters g of (sum over scenarios s in g of (y_s - mean))^2 / S^2

with y_s the mean of scenario s, S scenarios and G clusters. With one cluster there is no error and no interval, which
`clustered_mean` makes of it. Sums are exactly rounded (`math.fsum`), so that no result depends on the order in which
the scores arrive.

A sample that was drawn from strata at different rates has weights (how many a value stands for). Its mean is that of
the whole from which it was drawn, sum w y / sum w, and its standard error is the linearised one of that ratio (Särndal,
Swensson and Wretman 1992, section 5.6), each stratum around its own mean and its clusters (users, as a rule) together:

    z_i = w_i (y_i - mean) / sum w, 0 outside of what is averaged      c_h = clusters of stratum h with a value
    Var = sum over clusters g of (sum over i in g of sqrt(c_h / (c_h - 1)) (z_i - mean of z in h))^2

A stratum of which one cluster alone has a value stays uncentred, which is rather too wide. Its degrees of freedom are
those of Satterthwaite (1946) for clusters that vary alike, at most G - 1: with W_h the weights of stratum h and n_h its
clusters, as many of equal weight,

    a_h = W_h^2 / n_h      df = (sum of a_h)^2 / sum of (a_h^2 / (n_h - 1))

With one stratum and equal weights this is the formula above. Strata are taken as they are in size, and no correction is
made for a share of them that was drawn: the interval is that of the quality which such users meet, not of the finite
number of responses.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from evaluation.statistics.clustered_mean import ClusteredMean

Scale: TypeAlias = tuple[float, float]
"""Lowest and highest value that a score can have."""


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
    """See `effective_number`."""


def average(values: Sequence[float]) -> float:
    """The plain mean of at least one value; never outside their range, not even by rounding."""
    if len(values) == 1:
        return values[0]
    return min(max(math.fsum(values) / len(values), min(values)), max(values))


def weighted_average(values: Sequence[float], weights: Sequence[float]) -> float:
    """The mean of at least one value, each with its weight above 0; `average` where all weigh alike."""
    if min(weights) == max(weights):
        return average(values)
    total = math.fsum([weight * value for weight, value in zip(weights, values, strict=True)])
    return min(max(total / math.fsum(weights), min(values)), max(values))


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


def effective_number(weights: Iterable[float]) -> float:
    """As many values of equal weight say as much (Kish 1965): (sum w)^2 / sum w^2; 0 without any above 0."""
    known = [weight for weight in weights if weight > 0]
    return math.fsum(known) ** 2 / math.fsum([weight**2 for weight in known]) if known else 0.0


def weighted_mean(sample: Iterable[WeightedValue]) -> ClusteredMean | None:
    """The mean of what the sample was drawn from; `scenarios` counts the values. None without any.

    Of one stratum with equal weights it is that of `clustered_mean`, to the last digit.
    """
    drawn = list(sample)
    valued = [(each, each.value) for each in drawn if each.value is not None]
    if not valued:
        return None
    if len({each.stratum for each in drawn}) == 1 and len({each.weight for each, _ in valued}) == 1:
        return clustered_mean((each.cluster, value) for each, value in valued)
    weights = [each.weight for each, _ in valued]
    total, mean = math.fsum(weights), weighted_average([value for _, value in valued], weights)
    clusters = len({each.cluster for each, _ in valued})
    if clusters == 1:
        return ClusteredMean(mean, None, 1, len(valued))
    shares = (
        Share(each.stratum, each.cluster, 0.0, counts=False)
        if each.value is None
        else Share(each.stratum, each.cluster, each.weight * (each.value - mean) / total, counts=True)
        for each in drawn
    )
    freedom = min(clusters - 1.0, _freedom([each for each, _ in valued]))
    return ClusteredMean(mean, math.sqrt(variance_of(shares)), clusters, len(valued), freedom)


class Share(NamedTuple):
    """What one drawn thing has in the error of an estimate: its linearised value."""

    stratum: str
    cluster: str
    value: float
    counts: bool
    """False where it is outside of what is averaged."""


def variance_of(shares: Iterable[Share]) -> float:
    """The variance of an estimate from the shares of all that was drawn, each stratum around its own mean."""
    strata: dict[str, list[tuple[str, float]]] = {}
    counting: dict[str, set[str]] = {}
    for stratum, cluster, value, counts in shares:
        strata.setdefault(stratum, []).append((cluster, value))
        known = counting.setdefault(stratum, set())
        if counts:
            known.add(cluster)
    sums: dict[str, list[float]] = {}
    for stratum, members in strata.items():
        clusters = len(counting[stratum])
        centre = math.fsum([value for _, value in members]) / len(members) if clusters > 1 else 0.0
        factor = math.sqrt(clusters / (clusters - 1)) if clusters > 1 else 1.0
        for cluster, value in members:
            sums.setdefault(cluster, []).append(factor * (value - centre))
    return math.fsum([math.fsum(parts) ** 2 for parts in sums.values()])


def _freedom(valued: Sequence[WeightedValue]) -> float:
    """Of a weighted mean, as if all clusters varied alike; a stratum of one cluster has one, as it is not centred."""
    strata: dict[str, dict[str, float]] = {}
    for each in valued:
        weights = strata.setdefault(each.stratum, {})
        weights[each.cluster] = weights.get(each.cluster, 0.0) + each.weight
    numbers = {stratum: effective_number(weights.values()) for stratum, weights in strata.items()}
    parts = {stratum: math.fsum(weights.values()) ** 2 / numbers[stratum] for stratum, weights in strata.items()}
    lost = math.fsum([part**2 / max(1.0, numbers[stratum] - 1) for stratum, part in parts.items()])
    return math.fsum(parts.values()) ** 2 / lost


def weighted_estimate(sample: Sequence[WeightedValue], scale: Scale | None) -> WeightedEstimate:
    """The estimate from a weighted sample; `scale` is None for figures that have none."""
    return estimate_of(weighted_mean(sample), [each.weight for each in sample if each.value is not None], scale)


def estimate_of(found: ClusteredMean | None, weights: Sequence[float], scale: Scale | None) -> WeightedEstimate:
    """A weighted mean with its interval; `weights` are those of its values."""
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
        effective_n=effective_number(weights),
    )


def effective_clusters(sample: Iterable[WeightedValue]) -> float:
    """As many clusters of equal weight would weigh as evenly (Kish 1965); 0 without a value."""
    weights: dict[str, float] = {}
    for each in sample:
        if each.value is not None:
            weights[each.cluster] = weights.get(each.cluster, 0.0) + each.weight
    return effective_number(weights.values())


def percentile(ordered: Sequence[float], share: float) -> float:
    """Of at least one value in rising order, by linear interpolation between ranks (numpy's default)."""
    position = share * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    low, high = ordered[below], ordered[above]
    return min(max(low + (high - low) * (position - below), low), high)


def stdev(values: Sequence[float]) -> float | None:
    """Around the plain mean (n - 1); None below two values."""
    return None if len(values) < 2 else math.sqrt(squares(values) / (len(values) - 1))
