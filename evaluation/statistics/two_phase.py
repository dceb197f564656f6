"""The estimate of a mean from two phases: many are drawn and sorted, and of those a few are measured.

What is cheap to know of all that were drawn sorts them into strata, and of each stratum some are drawn once more and
measured (double sampling for stratification: Neyman 1938; Cochran 1977, ch. 12; Särndal, Swensson and Wretman 1992,
ch. 9). What was measured of a stratum stands for all of it (the reweighted expansion estimator, Kott and Stukel 1997):

    w*_i = w_i * (sum of w over stratum g) / (sum of w over what was measured in g)        mean = sum w* y / sum w*

with w the weight of the first phase. What was drawn and could not be measured counts as not drawn. The error has a part
of each phase, in one linearised value for each thing of the first phase, with u = y - mean inside of what is averaged
and 0 outside:

    z_i = (w_i u_g + f_g w*_i (u_i - u_g)) / sum w*        u_g = sum of w u over what was measured in g / sum of w there

where w*_i is 0 for what was not measured, and f_g = sqrt(c / (c - 1)) with the c clusters that were measured in g; 1
where all of g was. Where one cluster alone was measured and others were not, u_g is taken as 0, which is rather too
wide. The variance of these values is that of the first phase: strata, clusters and all (`variance_of`), as in the
jackknife of Kott and Stukel, of which this is the linear part. A user whose responses lie in several strata stays one
cluster in both phases. The interval has as many degrees of freedom as there are measured clusters in the strata that
hold what is averaged, less those of these strata of which some were not measured (as for domains of a stratified
sample: Korn and Graubard 1999, section 5.2), and no more than the weights leave (`evaluation/statistics/clusters.py`).
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from evaluation.statistics.clusters import (
    Scale,
    Share,
    WeightedEstimate,
    WeightedValue,
    estimate_of,
    variance_of,
    weighted_mean,
)


class TwoPhaseValue(NamedTuple):
    """One thing of the first phase."""

    stratum: str
    """Of the first phase."""
    cluster: str
    weight: float
    """How many of its stratum it stands for; above 0."""
    second: str | None
    """Stratum of the second phase; None for what could not be drawn there."""
    measured: bool
    """True where it was drawn in the second phase too, and measured."""
    value: float | None
    """None where it is outside of what is averaged, or was not measured."""


def second_weights(sample: Sequence[TwoPhaseValue]) -> list[float]:
    """How many each of them stands for after both phases; 0 for what was not measured."""
    whole, measured = defaultdict[str, float](float), defaultdict[str, float](float)
    for each in sample:
        if each.second is not None:
            whole[each.second] += each.weight
            measured[each.second] += each.weight * each.measured
    return [
        each.weight * whole[each.second] / measured[each.second] if each.measured and each.second is not None else 0.0
        for each in sample
    ]


def two_phase_estimate(sample: Sequence[TwoPhaseValue], scale: Scale | None) -> WeightedEstimate:
    """The estimate of a mean over all that the first phase stands for; `scale` is None for figures that have none."""
    weights = second_weights(sample)
    values = [
        WeightedValue(each.stratum, each.cluster, weight, each.value if each.measured else None)
        for each, weight in zip(sample, weights, strict=True)
    ]
    found, valued = weighted_mean(values), [each.weight for each in values if each.value is not None]
    if found is None or found.se is None:
        return estimate_of(found, valued, scale)
    freedom = min(found.degrees, _freedom(sample, values))
    error = math.sqrt(variance_of(_shares(sample, values, found.mean)))
    return estimate_of(replace(found, se=error, freedom=freedom), valued, scale)


def _freedom(sample: Sequence[TwoPhaseValue], values: Sequence[WeightedValue]) -> float:
    """Measured clusters less strata, of the strata that hold what is averaged: its clusters and others alike."""
    holding = {each.second for each, known in zip(sample, values, strict=True) if known.value is not None}
    clusters = {each.cluster for each in sample if each.measured and each.second in holding}
    partly = holding & {each.second for each in sample if not each.measured}
    return max(1, len(clusters) - max(1, len(partly)))


def _shares(sample: Sequence[TwoPhaseValue], values: Sequence[WeightedValue], mean: float) -> Iterator[Share]:
    """The linearised value of each thing."""
    total = math.fsum([each.weight for each in values if each.value is not None])
    off = [0.0 if each.value is None else each.value - mean for each in values]
    strata = defaultdict[str, list[int]](list)
    for place, each in enumerate(sample):
        if each.second is not None:
            strata[each.second].append(place)
    found = [0.0] * len(sample)
    for places in strata.values():
        measured = [place for place in places if sample[place].measured]
        if not measured:
            continue
        clusters = len({sample[place].cluster for place in measured})
        centre, factor = 0.0, 1.0
        if clusters > 1 or len(measured) == len(places):
            there = math.fsum([sample[place].weight for place in measured])
            centre = math.fsum([sample[place].weight * off[place] for place in measured]) / there
        if clusters > 1 and len(measured) < len(places):
            factor = math.sqrt(clusters / (clusters - 1))
        for place in places:
            found[place] = sample[place].weight * centre
        for place in measured:
            found[place] += factor * values[place].weight * (off[place] - centre)
    for each, share in zip(sample, found, strict=True):
        yield Share(each.stratum, each.cluster, share / total, each.second is not None)
