"""Correlation, error and agreement of columns of values, with intervals that respect clusters.

Agreement is of several observers on the same units, beyond what chance alone would give; no sum is quadratic in n.
Point values of the correlations are scipy's. The intervals are percentile intervals of a cluster bootstrap: whole
clusters are drawn with replacement, because the turns of one conversation resemble each other.
numpy and scipy are imported when something is computed, so that scoring alone never loads them.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from evaluation.statistics.clusters import average, squares
from evaluation.statistics.resamples import (
    FLAT,
    RESAMPLES,
    Figure,
    as_column,
    intervals_each,
    intervals_together,
    weighted_correlation,
    weighted_mean,
    weighted_ranks,
)

Level: TypeAlias = Literal["nominal", "ordinal", "interval"]

Units: TypeAlias = Iterable[Sequence[float]]
"""One sequence per unit: the values that it was given, in any order; missing ones are simply not there."""


def quadratic_kappa(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Cohen's weighted kappa (1968) of two observers with quadratic weights, from -1 to 1.

    The values are the numbers of ordered categories, 0, 1, 2, ..., paired by position. With weights (i - j)^2 kappa is

        1 - mean((a - b)^2) / (mean(a^2) + mean(b^2) - 2 mean(a) mean(b)),

    the denominator being what the same marginals would give by chance. None without a pair, and where both observers
    give one and the same category throughout: then nothing was distinguished.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} values cannot be paired")
    count = len(first)
    if not count:
        return None
    observed = math.fsum((a - b) ** 2 for a, b in zip(first, second, strict=True)) * count
    own = math.fsum(value * value for value in (*first, *second)) * count
    chance = own - 2 * math.fsum(first) * math.fsum(second)
    return None if chance <= 0 else 1 - observed / chance


def krippendorff_alpha(units: Units, level: Level) -> float | None:
    """Krippendorff's alpha, at most 1; 0 is chance, below it systematic disagreement.

    Source: Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability". Any number of observers, missing values
    allowed; a unit with a single value says nothing and is left out. Ordinal differences are those of midranks. None
    where fewer than two values can be paired or all of them are the same.
    """
    paired = [tuple(unit) for unit in units if len(unit) > 1]
    counts = Counter(value for unit in paired for value in unit)
    if len(counts) < 2:
        return None
    if level == "nominal":
        return _nominal(paired, counts)
    places = _midranks(counts) if level == "ordinal" else {value: value for value in counts}
    return _interval([[places[value] for value in unit] for unit in paired])


def _nominal(units: Sequence[Sequence[float]], counts: Mapping[float, int]) -> float:
    total = sum(counts.values())
    observed = math.fsum(
        (len(unit) ** 2 - sum(same**2 for same in Counter(unit).values())) / (len(unit) - 1) for unit in units
    )
    expected = (total**2 - sum(same**2 for same in counts.values())) / (total - 1)
    return 1 - observed / expected


def _interval(units: Sequence[Sequence[float]]) -> float:
    """Over ordered pairs, sum (x - y)^2 = 2 m sum (x - mean)^2."""
    everything = [value for unit in units for value in unit]
    total = len(everything)
    observed = math.fsum(2 * len(unit) * squares(unit) / (len(unit) - 1) for unit in units)
    expected = 2 * total * squares(everything) / (total - 1)
    return 1 - observed / expected


def _midranks(counts: Mapping[float, int]) -> dict[float, float]:
    below = 0
    places = {}
    for value in sorted(counts):
        places[value] = below + counts[value] / 2
        below += counts[value]
    return places


FEWEST = 3
"""Two points always lie on a line: from three on, a correlation says something."""


@dataclass(frozen=True, slots=True)
class PairedFigures:
    """The relation of `tool` to `people`, over pairs of values."""

    n: int
    clusters: int
    spearman: Figure
    pearson: Figure
    mae: Figure
    """Mean of |tool - people|."""
    bias: Figure
    """Mean of tool - people: above 0 the tool is kinder than people."""
    kappa: Figure
    """Quadratic-weighted, on the bands."""
    alpha: Figure
    """Krippendorff's, ordinal, on the bands."""


@dataclass(frozen=True, slots=True)
class PairedValues:
    """Values paired by position, in one unit; `*_band` are numbers of ordered categories."""

    tool: Sequence[float]
    people: Sequence[float]
    tool_band: Sequence[float]
    people_band: Sequence[float]
    clusters: Sequence[str]


def paired_figures(columns: PairedValues, *, seed: int, resamples: int = RESAMPLES) -> PairedFigures:
    """All figures of one pair of columns. The same seed gives the same intervals, whatever else is computed."""
    tool, people = columns.tool, columns.people
    differences = [a - b for a, b in zip(tool, people, strict=True)]
    values = (
        spearman(tool, people),
        pearson(tool, people),
        average([abs(value) for value in differences]) if differences else None,
        average(differences) if differences else None,
        quadratic_kappa(columns.tool_band, columns.people_band),
        krippendorff_alpha(zip(columns.tool_band, columns.people_band, strict=True), "ordinal"),
    )
    x, y, a, b = map(as_column, (tool, people, columns.tool_band, columns.people_band))
    formulas = (
        lambda weights: weighted_correlation(weights, weighted_ranks(weights, x), weighted_ranks(weights, y)),
        lambda weights: weighted_correlation(weights, x, y),
        lambda weights: weighted_mean(weights, abs(x - y)),
        lambda weights: weighted_mean(weights, x - y),
        lambda weights: _weighted_kappa(weights, a, b),
        lambda weights: _weighted_alpha(weights, a, b),
    )
    intervals = intervals_each(formulas, columns.clusters, seed, resamples)
    figures = [Figure(value, None if value is None else ends) for value, ends in zip(values, intervals, strict=True)]
    return PairedFigures(len(tool), len(set(columns.clusters)), *figures)


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Rank correlation; ties share the mean of their ranks. None below three pairs or for a constant column."""
    if not _both_vary(first, second):
        return None
    from scipy.stats import spearmanr

    return _within(float(spearmanr(first, second).statistic))


def spearman_figure(
    first: Sequence[float], second: Sequence[float], clusters: Sequence[str], *, seed: int, resamples: int = RESAMPLES
) -> Figure:
    """Rank correlation of two columns with its interval; see `spearman` for when there is none."""
    value = spearman(first, second)
    if value is None:
        return Figure(None)
    x, y = map(as_column, (first, second))

    def draw(weights: Any) -> Any:
        return weighted_correlation(weights, weighted_ranks(weights, x), weighted_ranks(weights, y))

    return Figure(value, intervals_each((draw,), clusters, seed, resamples)[0])


def kappa_figure(
    first: Sequence[float], second: Sequence[float], clusters: Sequence[str], *, seed: int, resamples: int = RESAMPLES
) -> Figure:
    """Quadratic-weighted kappa of two columns of ordered categories with its interval; see `quadratic_kappa`."""
    value = quadratic_kappa(first, second)
    if value is None:
        return Figure(None)
    x, y = map(as_column, (first, second))
    return Figure(
        value, intervals_each((lambda weights: _weighted_kappa(weights, x, y),), clusters, seed, resamples)[0]
    )


@dataclass(frozen=True, slots=True)
class RankFigures:
    """How well columns order units as people do, beside each other."""

    tool: Figure
    base: Figure
    length: Figure
    above_base: Figure
    """Rank correlation of the tool minus that of the base, over the same resamples."""
    above_length: Figure
    given_length: Figure
    """Partial rank correlation of the tool with people, the length held constant."""


def rank_figures(
    tool: Sequence[float],
    base: Sequence[float],
    length: Sequence[float],
    people: Sequence[float],
    clusters: Sequence[str],
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> RankFigures:
    """Rank correlations with people, and their differences, with intervals over the same resamples of clusters.

    The partial correlation is (r_tp - r_tl r_pl) / sqrt((1 - r_tl^2)(1 - r_pl^2)) of the rank correlations of tool,
    people and length. A figure whose columns do not vary is not defined.
    """
    import numpy as np

    columns = [as_column(values) for values in (tool, base, length, people)]

    def draw(weights: Any) -> Any:
        ranks = [weighted_ranks(weights, column) for column in columns]
        with_people = [weighted_correlation(weights, rank, ranks[3]) for rank in ranks[:3]]
        with_length = weighted_correlation(weights, ranks[0], ranks[2])
        rest = (1 - with_length**2) * (1 - with_people[2] ** 2)
        partial = (with_people[0] - with_length * with_people[2]) / np.sqrt(np.where(rest > FLAT, rest, np.nan))
        return [*with_people, with_people[0] - with_people[1], with_people[0] - with_people[2], partial]

    once = [float(value[0]) for value in draw(np.ones((1, len(people))))] if len(people) >= FEWEST else [math.nan] * 6
    intervals = intervals_together(draw, len(once), clusters, seed, resamples)
    figures = [
        Figure(value, ends) if math.isfinite(value) else Figure(None)
        for value, ends in zip(once, intervals, strict=True)
    ]
    return RankFigures(*figures)


def pearson(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Linear correlation. None below three pairs or for a constant column."""
    if not _both_vary(first, second):
        return None
    from scipy.stats import pearsonr

    return _within(float(pearsonr(first, second).statistic))


def mean_figure(values: Sequence[float], clusters: Sequence[str], *, seed: int, resamples: int = RESAMPLES) -> Figure:
    """A plain mean with the same kind of interval; None without values."""
    if not values:
        return Figure(None)
    column = as_column(values)
    (ends,) = intervals_each((lambda weights: weighted_mean(weights, column),), clusters, seed, resamples)
    return Figure(average(values), ends)


def _both_vary(first: Sequence[float], second: Sequence[float]) -> bool:
    """True where both columns vary by more than rounding."""
    if len(first) < FEWEST:
        return False
    return all(max(values) - min(values) > math.sqrt(FLAT) for values in (first, second))


def _within(value: float) -> float | None:
    return min(1.0, max(-1.0, value)) if math.isfinite(value) else None


def _weighted_kappa(weights: Any, first: Any, second: Any) -> Any:
    import numpy as np

    share = weights / weights.sum(axis=1, keepdims=True)
    chance = share @ (first * first + second * second) - 2 * (share @ first) * (share @ second)
    known = chance > FLAT
    return np.where(known, 1 - (share @ (first - second) ** 2) / np.where(known, chance, 1.0), np.nan)


def _weighted_alpha(weights: Any, first: Any, second: Any) -> Any:
    """Krippendorff's ordinal alpha of two observers in each row: over midranks of all values of both."""
    import numpy as np

    both = np.concatenate([weights, weights], axis=1)
    places = weighted_ranks(both, np.concatenate([first, second]))
    apart = places[:, : len(first)] - places[:, len(first) :]
    total = both.sum(axis=1)
    centred = places - (both * places).sum(axis=1, keepdims=True) / total[:, None]
    expected = total * (both * centred**2).sum(axis=1) / (total - 1)
    known = expected > FLAT
    return np.where(known, 1 - (weights * apart**2).sum(axis=1) / np.where(known, expected, 1.0), np.nan)
