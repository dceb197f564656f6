"""The share of pairs that one of two answers wins, had both been of equal length: a fractional logit on log words.

The result of a pair (1 won, 0.5 tie, 0 lost) is regressed on the difference of the logarithms of the words,

    E(y) = 1 / (1 + exp(-(a + b d))),  d = log(words of the second) - log(words of the first),

by quasi-likelihood (Papke and Wooldridge 1996), so that 1 / (1 + exp(-a)) is the win rate at equal length and never
leaves 0 to 1; with length as a covariate as in Dubois et al. 2024, "Length-Controlled AlpacaEval". The variance is
clustered by situation: one Newton step takes each situation out, which is CR3, close to the jackknife (Bell and
McCaffrey 2002; Cameron and Miller 2015), with t of G - 1 degrees of freedom on the logit scale.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evaluation.statistics.student_t import critical

LEAST_CLUSTERS = 10
"""Situations below which no regression is made."""
LEAST_OF_A_KIND = 3.0
"""Scenarios that must be won, and lost, ties counting half: with fewer the logit runs away."""
ONE_SIDED = 0.9
STEPS = 60
CONVERGED = 1e-10
LONGEST_STEP = 2.0
"""Of one Newton step on the logit scale."""
RUNAWAY = 15.0
"""A coefficient beyond this says that length, or nothing, parts the won from the lost."""
SINGULAR = 1e-9


class LengthPair(NamedTuple):
    """The result of one scenario's pairs, averaged over its repeats."""

    cluster: str
    result: float
    """Of the second answer: 1 won, 0.5 tie, 0 lost."""
    log_ratio: float
    """log(words of the second) - log(words of the first)."""


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its 95% interval."""

    value: float
    ci95: tuple[float, float]


@dataclass(frozen=True, slots=True)
class EqualLength:
    """The win rate at equal length; or, in `problem`, why there is none."""

    clusters: int
    scenarios: int
    mean_log_ratio: float | None
    """Above 0 where the second is the longer one on average; None without a pair."""
    win_rate: Share | None = None
    twice_as_long: Share | None = None
    """How often the one of twice the words wins of two that are otherwise alike: 0.5 where length is nothing."""
    extrapolated: bool = False
    """True where nine scenarios in ten lie on one side of equal length: the rate is read off beyond them."""
    problem: str = ""


class _Fit(NamedTuple):
    """The coefficients on the logit scale, and X'WX there."""

    intercept: float
    slope: float
    information: tuple[float, float, float]


def equal_length(pairs: Sequence[LengthPair]) -> EqualLength:
    """The regression over one value per scenario."""
    clusters = {pair.cluster for pair in pairs}
    count = len(clusters)
    mean = math.fsum(pair.log_ratio for pair in pairs) / len(pairs) if pairs else None
    problem = _too_few(pairs, count)
    fit = None if problem else _fit(pairs)
    errors = None if fit is None else _standard_errors(pairs, fit)
    if fit is None or errors is None:
        return EqualLength(count, len(pairs), mean, problem=problem or "length alone parts the won from the lost")
    reach = critical(0.95, count - 1)
    return EqualLength(
        clusters=count,
        scenarios=len(pairs),
        mean_log_ratio=mean,
        win_rate=_share(fit.intercept, reach * errors[0], 1.0),
        twice_as_long=_share(fit.slope, reach * errors[1], math.log(2)),
        extrapolated=_is_one_sided([pair.log_ratio for pair in pairs]),
    )


def _too_few(pairs: Sequence[LengthPair], clusters: int) -> str:
    if clusters < LEAST_CLUSTERS:
        return f"{clusters} situations: at least {LEAST_CLUSTERS} are needed"
    won = math.fsum(pair.result for pair in pairs)
    if min(won, len(pairs) - won) < LEAST_OF_A_KIND:
        return f"nearly all pairs went one way: at least {LEAST_OF_A_KIND:g} scenarios must be won, and lost"
    lengths = [pair.log_ratio for pair in pairs]
    return "" if max(lengths) - min(lengths) > SINGULAR else "the answers differ in length alike everywhere"


def _is_one_sided(ratios: Sequence[float]) -> bool:
    above, below = sum(ratio > 0 for ratio in ratios), sum(ratio < 0 for ratio in ratios)
    return max(above, below) > ONE_SIDED * len(ratios)


def _fit(pairs: Sequence[LengthPair]) -> _Fit | None:
    """By Newton's method from 0; None where it runs away."""
    intercept = slope = 0.0
    for _ in range(STEPS):
        information, score = _moments(pairs, intercept, slope)
        step = _solve(information, score)
        if step is None:
            return None
        longest = max(map(abs, step))
        scale = min(1.0, LONGEST_STEP / longest) if longest else 1.0
        intercept, slope = intercept + scale * step[0], slope + scale * step[1]
        if max(abs(intercept), abs(slope)) > RUNAWAY:
            return None
        if longest < CONVERGED:
            return _Fit(intercept, slope, _moments(pairs, intercept, slope)[0])
    return None


def _moments(
    pairs: Iterable[LengthPair], intercept: float, slope: float
) -> tuple[tuple[float, float, float], tuple[float, float]]:
    """X'WX as its three entries, and X'(y - p)."""
    rows = [(pair.log_ratio, pair.result, _logistic(intercept + slope * pair.log_ratio)) for pair in pairs]
    weights = [(length, share * (1 - share)) for length, _, share in rows]
    information = (
        math.fsum(weight for _, weight in weights),
        math.fsum(length * weight for length, weight in weights),
        math.fsum(length * length * weight for length, weight in weights),
    )
    score = (
        math.fsum(result - share for _, result, share in rows),
        math.fsum(length * (result - share) for length, result, share in rows),
    )
    return information, score


def _standard_errors(pairs: Sequence[LengthPair], fit: _Fit) -> tuple[float, float] | None:
    """Of both coefficients; None where without one situation nothing could be told."""
    groups: dict[str, list[LengthPair]] = {}
    for pair in pairs:
        groups.setdefault(pair.cluster, []).append(pair)
    shifts = _shifts(groups, fit)
    if shifts is None:
        return None
    factor = (len(groups) - 1) / len(groups)
    intercept, slope = (math.sqrt(factor * math.fsum(shift[at] ** 2 for shift in shifts)) for at in (0, 1))
    return intercept, slope


def _shifts(groups: Mapping[str, Sequence[LengthPair]], fit: _Fit) -> list[tuple[float, float]] | None:
    """By how much the coefficients move where one situation is taken out, to one Newton step."""
    shifts = []
    for group in groups.values():
        own, score = _moments(group, fit.intercept, fit.slope)
        rest = tuple(whole - part for whole, part in zip(fit.information, own, strict=True))
        shift = _solve((rest[0], rest[1], rest[2]), score)
        if shift is None:
            return None
        shifts.append(shift)
    return shifts


def _solve(matrix: tuple[float, float, float], right: tuple[float, float]) -> tuple[float, float] | None:
    """The solution of a symmetric system of two; None where it has no single one."""
    a, b, c = matrix
    determinant = a * c - b * b
    if determinant < SINGULAR:
        return None
    return (c * right[0] - b * right[1]) / determinant, (a * right[1] - b * right[0]) / determinant


def _share(coefficient: float, reach: float, by: float) -> Share:
    low, high = (_logistic(by * (coefficient + end)) for end in (-reach, reach))
    return Share(_logistic(by * coefficient), (low, high))


def _logistic(value: float) -> float:
    if value >= 0:
        return 1 / (1 + math.exp(-value))
    power = math.exp(value)
    return power / (1 + power)
