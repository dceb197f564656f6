"""The mean that people would give to all responses, from labels of a few and a machine's scores of all of them.

Prediction-powered inference with power tuning (PPI++: Angelopoulos, Duchi and Zrnic 2023) under the estimand of
`clusters`: turns within a cell, repeats within a scenario, scenarios alike, clusters = situations. Every response i has
its weight w_i in that mean, a machine's score f_i, and, where it was labelled, people's value y_i and the probability
pi_i with which it was drawn (Zrnic and Candes 2024). With labelled means over the weights w_i / pi_i (Hajek 1971):

    mean = labelled mean of y + lambda * (mean of all f - labelled mean of f)

`lambda`, from 0 (people alone) to 1, is the slope of people's values on the machine's scores over the labelled
situations, times n / (n + 1) with n of these: a slope that few situations show is less sure than it looks. The labelled
responses are a part of all, so that the factor 1 / (1 + n/N) of two separate samples has no place here. The variance is
a jackknife that leaves out one situation after another and fits lambda again each time:

    Var = (n - 1) / n * sum over labelled g of (mean_-g - mean)^2 + (G - 1) / G * the same over the other situations

Where scenarios have weights, w_i has that of its scenario as a factor; the jackknife does not know their strata, and is
rather too wide where these differ.

The interval is that of any mean on its scale (`ClusteredMean.interval_within`), with n - 1 degrees of freedom.
"""

import math
import operator
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evaluation.statistics.clustered_mean import ClusteredMean
from evaluation.statistics.clusters import Scale

LEAST_VARIANCE = 1e-18
"""Below it, in squares of the scores' unit, the machine gives one score to all: it says nothing."""


class Response(NamedTuple):
    """One response, and where it stands."""

    cluster: str
    """The scenario's situation."""
    scenario_id: str
    repeat: int
    turn: int
    machine: float
    """Its score by the tool, on the scale of people's values."""
    people: float | None = None
    """None where it has no label."""
    probability: float = 1.0
    """Of being drawn to be labelled: above 0, at most 1. Of no matter where there is no label."""
    stands_for: float = 1.0
    """The weight of its scenario, above 0, where scenarios do not count alike."""


@dataclass(frozen=True, slots=True)
class MeanInterval:
    """A mean with its error; both other fields are None with one situation, or one that is labelled."""

    mean: float
    se: float | None
    ci95: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class CorrectedMean:
    """What people would give on average to all responses."""

    raw: float
    """The machine's own mean over all responses."""
    corrected: MeanInterval
    people: MeanInterval
    """From the labels alone."""
    slope: float
    """lambda: 0 where the machine's scores are of no use, 1 where people's values follow them step by step."""
    labels: int
    clusters: int
    """Situations with a label."""
    responses: int


class Label(NamedTuple):
    """People's value of a response that stands in no plan at hand, and the machine's score of it."""

    cluster: str
    people: float
    machine: float
    weight: float
    """Of the response in the mean that it was drawn from, over its probability of being drawn."""


class _Totals(NamedTuple):
    """Sums of one situation, or of all: of all responses, and of the labelled ones weighted by 1 / probability."""

    weight: float
    machine: float
    drawn: float
    drawn_people: float
    drawn_machine: float


class _Moments(NamedTuple):
    """Of a set of situations: how many are labelled, their sums, and the sums of products of labelled totals."""

    labelled: int
    sums: _Totals
    products: tuple[float, ...]

    def without(self, one: _Totals) -> "_Moments":
        sums = _Totals._make(map(operator.sub, self.sums, one))
        products = tuple(map(operator.sub, self.products, _products(one)))
        return _Moments(self.labelled - (one.drawn > 0), sums, products)


def _products(one: _Totals) -> tuple[float, ...]:
    size, people, machine = one.drawn, one.drawn_people, one.drawn_machine
    return (size * size, size * people, size * machine, people * machine, machine * machine)


def corrected_mean(responses: Iterable[Response], scale: Scale | None) -> CorrectedMean | None:
    """The estimate from all responses with a machine's score, labelled or not; None without a label.

    `scale` is None for values without one. Raises ValueError for a probability that is not above 0 and at most 1.
    """
    found = list(responses)
    labelled = [each for each in found if each.people is not None]
    if not labelled:
        return None
    if not all(0 < each.probability <= 1 for each in labelled):
        raise ValueError("a probability of being drawn is above 0 and at most 1")
    weights = list(response_weights(found))
    raw = math.fsum(w * each.machine for w, each in zip(weights, found, strict=True)) / math.fsum(weights)
    clusters = _totals(found, weights, raw)
    whole = _moments(clusters)
    left_out = _leave_out(clusters, whole)
    return CorrectedMean(
        raw=raw,
        corrected=_estimate(clusters, whole, left_out, scale, raw),
        people=_estimate(clusters, whole, left_out, scale, raw, slope=0.0),
        slope=_slope(whole),
        labels=len(labelled),
        clusters=whole.labelled,
        responses=len(found),
    )


def carried_mean(responses: Iterable[Response], labels: Iterable[Label], scale: Scale | None) -> MeanInterval | None:
    """The machine's mean over these responses, moved by its error on responses of other runs; None without a label.

    lambda is 1: it assumes that the machine errs here as it did there, which nothing in the data shows. Situations that
    occur in both are left out of both at once by the jackknife.
    """
    found, known = list(responses), list(labels)
    if not found or not known:
        return None
    weights = list(response_weights(found))
    raw = math.fsum(w * each.machine for w, each in zip(weights, found, strict=True)) / math.fsum(weights)
    rows: dict[str, list[_Totals]] = {}
    for weight, each in zip(weights, found, strict=True):
        rows.setdefault(each.cluster, []).append(_Totals(weight, weight * (each.machine - raw), 0.0, 0.0, 0.0))
    for label in known:
        people, machine = (label.weight * (value - raw) for value in (label.people, label.machine))
        rows.setdefault(label.cluster, []).append(_Totals(0.0, 0.0, label.weight, people, machine))
    clusters = [_sum(group) for group in rows.values()]
    whole = _moments(clusters)
    return _estimate(clusters, whole, _leave_out(clusters, whole), scale, raw, slope=1.0)


def response_weights(responses: Sequence[Response]) -> Iterator[float]:
    """The share of each in the mean, times the number of scenarios: what turns and repeats of its scenario leave it.

    Times what its scenario stands for, where scenarios do not count alike.
    """
    turns = Counter((each.scenario_id, each.repeat) for each in responses)
    repeats = Counter(scenario_id for scenario_id, _ in turns)
    for each in responses:
        yield each.stands_for / (repeats[each.scenario_id] * turns[each.scenario_id, each.repeat])


def _totals(responses: Sequence[Response], weights: Sequence[float], centre: float) -> list[_Totals]:
    """One for each situation; values are taken from `centre`, so that products keep their digits."""
    rows: dict[str, list[_Totals]] = {}
    for each, weight in zip(responses, weights, strict=True):
        machine = each.machine - centre
        drawn = 0.0 if each.people is None else weight / each.probability
        people = 0.0 if each.people is None else each.people - centre
        row = _Totals(weight, weight * machine, drawn, drawn * people, drawn * machine)
        rows.setdefault(each.cluster, []).append(row)
    return [_sum(group) for group in rows.values()]


def _sum(rows: Iterable[_Totals]) -> _Totals:
    return _Totals(*map(math.fsum, zip(*rows, strict=True)))


def _moments(clusters: Sequence[_Totals]) -> _Moments:
    products = tuple(map(math.fsum, zip(*map(_products, clusters), strict=True)))
    return _Moments(sum(each.drawn > 0 for each in clusters), _sum(clusters), products)


def _leave_out(clusters: Sequence[_Totals], whole: _Moments) -> list[_Moments]:
    """What is left without each situation that has a label, one after another."""
    return [whole.without(each) for each in clusters if each.drawn > 0]


def _slope(found: _Moments) -> float:
    """lambda: from how people's values and the machine's scores deviate together, situation by situation."""
    people, machine, _ = _means(found)
    sizes, by_people, by_machine, both, squared = found.products
    variance = squared - 2 * machine * by_machine + machine**2 * sizes
    if variance < LEAST_VARIANCE * found.sums.drawn**2:
        return 0.0
    together = both - machine * by_people - people * by_machine + people * machine * sizes
    return min(1.0, max(0.0, together / variance * found.labelled / (found.labelled + 1)))


def _means(found: _Moments) -> tuple[float, float, float]:
    """People's mean and the machine's over the labelled, and the machine's over all; from the centre."""
    sums = found.sums
    return sums.drawn_people / sums.drawn, sums.drawn_machine / sums.drawn, sums.machine / sums.weight


def _mean(found: _Moments, slope: float | None) -> float:
    people, labelled, whole = _means(found)
    if slope is None:
        slope = _slope(found)
    return people + slope * (whole - labelled)


def _without_unlabelled(clusters: Sequence[_Totals], whole: _Moments, slope: float | None) -> Iterator[float]:
    """The mean without each situation that has no label: neither people's values nor the slope move."""
    people, labelled, _ = _means(whole)
    if slope is None:
        slope = _slope(whole)
    weight, machine = whole.sums.weight, whole.sums.machine
    for each in clusters:
        if not each.drawn > 0:
            yield people + slope * ((machine - each.machine) / (weight - each.weight) - labelled)


def _share(count: int, without: Iterable[float], mean: float) -> float:
    """What a jackknife over a part of `count` situations adds to the variance."""
    return (count - 1) / count * math.fsum((each - mean) ** 2 for each in without)


def _estimate(
    clusters: Sequence[_Totals],
    whole: _Moments,
    left_out: Sequence[_Moments],
    scale: Scale | None,
    centre: float,
    slope: float | None = None,
) -> MeanInterval:
    """The mean with a given slope, or with one that is fitted, with its jackknife."""
    mean = _mean(whole, slope)
    value = centre + mean
    if scale is not None:
        value = min(scale[1], max(scale[0], value))
    if whole.labelled < 2 or sum(each.weight > 0 for each in clusters) < 2:
        return MeanInterval(value, None, None)  # without one of a single situation nothing is left
    variance = _share(whole.labelled, (_mean(each, slope) for each in left_out), mean)
    if slope != 0:  # without one, the situations that have no label move nothing
        variance += _share(len(clusters), _without_unlabelled(clusters, whole, slope), mean)
    found = ClusteredMean(value, math.sqrt(variance), whole.labelled, whole.labelled)
    return MeanInterval(value, found.se, found.interval() if scale is None else found.interval_within(*scale))
