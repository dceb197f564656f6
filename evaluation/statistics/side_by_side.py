"""Several columns held against people side by side, and against one of them: over the same resamples, so paired."""

import math
from collections.abc import Sequence
from typing import Any

from evaluation.statistics.agreement import FEWEST
from evaluation.statistics.resamples import (
    RESAMPLES,
    Figure,
    as_column,
    intervals_together,
    weighted_correlation,
    weighted_mean,
    weighted_ranks,
)


def rank_differences(
    columns: Sequence[Sequence[float]],
    people: Sequence[float],
    clusters: Sequence[str],
    *,
    base: int,
    seed: int,
    resamples: int = RESAMPLES,
) -> tuple[list[Figure], list[Figure]]:
    """Each column's rank correlation with people, and that minus the one of the column at `base`.

    All over the same resamples of clusters, so that the differences are paired. A figure whose columns do not vary is
    not defined.
    """
    import numpy as np

    values = [as_column(each) for each in (*columns, people)]

    def draw(weights: Any) -> Any:
        *ranks, of_people = [weighted_ranks(weights, each) for each in values]
        found = [weighted_correlation(weights, rank, of_people) for rank in ranks]
        return [*found, *(each - found[base] for each in found)]

    once = [float(each[0]) for each in draw(np.ones((1, len(people))))] if len(people) >= FEWEST else None
    intervals = intervals_together(draw, 2 * len(columns), clusters, seed, resamples)
    return _figures(once, intervals, len(columns))


def mean_differences(
    columns: Sequence[Sequence[float]],
    clusters: Sequence[str],
    *,
    base: int,
    seed: int,
    resamples: int = RESAMPLES,
) -> tuple[list[Figure], list[Figure]]:
    """Each column's mean, and that minus the one of the column at `base`, over the same resamples of clusters."""
    import numpy as np

    values = [as_column(each) for each in columns]

    def draw(weights: Any) -> Any:
        found = [weighted_mean(weights, each) for each in values]
        return [*found, *(each - found[base] for each in found)]

    once = [float(each[0]) for each in draw(np.ones((1, len(clusters))))] if clusters else None
    ends = intervals_together(draw, 2 * len(columns), clusters, seed, resamples)
    return _figures(once, ends, len(columns))


def _figures(
    once: Sequence[float] | None, intervals: Sequence[tuple[float, float] | None], count: int
) -> tuple[list[Figure], list[Figure]]:
    """The columns' own figures and their differences; not defined where there is no finite value."""
    figures = [
        Figure(value, ends) if math.isfinite(value) else Figure(None)
        for value, ends in zip(once or [math.nan] * len(intervals), intervals, strict=True)
    ]
    return figures[:count], figures[count:]
