"""Figures with intervals over resamples of whole clusters (Field and Welsh 2007), of many figures at once.

scipy.stats.bootstrap draws single values, so the drawing is done here, over all resamples at once. numpy is imported
when something is computed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

RESAMPLES = 2000
CHUNK = 2_000_000
"""Most numbers of one table of weights at a time, so that memory stays bounded."""
DEFINED = 0.9
"""Share of the resamples in which a figure must exist for its interval to be given."""
FLAT = 1e-12
"""A variance below this is rounding, and the column is constant."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A value with its 95% interval; None where it is not defined."""

    value: float | None
    ci95: tuple[float, float] | None = None


def as_column(values: Sequence[float]) -> Any:
    import numpy as np

    return np.asarray(values, dtype=float)


def intervals_each(
    figures: Sequence[Callable[[Any], Any]], clusters: Sequence[str], seed: int, resamples: int
) -> list[tuple[float, float] | None]:
    """Of each figure over the same resamples; a figure takes a table of weights and gives its value in each row."""
    return intervals_together(
        lambda weights: [figure(weights) for figure in figures], len(figures), clusters, seed, resamples
    )


def intervals_together(
    draw: Callable[[Any], Sequence[Any]], count: int, clusters: Sequence[str], seed: int, resamples: int
) -> list[tuple[float, float] | None]:
    """The same for so many figures that are computed together."""
    import numpy as np

    rows = [draw(weights) for weights in _weights(clusters, seed, resamples)]
    if not rows:
        return [None] * count
    return [_percentiles(np.concatenate(drawn)) for drawn in zip(*rows, strict=True)]


def _weights(clusters: Sequence[str], seed: int, resamples: int) -> Iterator[Any]:
    """Tables of resamples x values: how often each value was drawn. None at all for fewer than two clusters."""
    import numpy as np

    _, members = np.unique(np.asarray(clusters, dtype=object).astype(str), return_inverse=True)
    count = int(members.max()) + 1 if len(members) else 0
    if count < 2:
        return
    random = np.random.default_rng(seed)
    at_once = max(1, CHUNK // len(members))
    for start in range(0, resamples, at_once):
        drawn = random.multinomial(count, [1 / count] * count, size=min(at_once, resamples - start))
        yield drawn[:, members].astype(float)


def weighted_ranks(weights: Any, values: Any) -> Any:
    """Midranks within each resample, as if every value stood there as often as it was drawn."""
    import numpy as np

    distinct, place = np.unique(values, return_inverse=True)
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(len(distinct)))
    held = np.add.reduceat(weights[:, order], starts, axis=1)
    return (np.cumsum(held, axis=1) - (held - 1) / 2)[:, place]


def weighted_correlation(weights: Any, first: Any, second: Any) -> Any:
    """Pearson's in each row; nan where a column is constant there."""
    import numpy as np

    share = weights / weights.sum(axis=1, keepdims=True)
    x = first - (share * first).sum(axis=1, keepdims=True)
    y = second - (share * second).sum(axis=1, keepdims=True)
    squares = (share * x * x).sum(axis=1) * (share * y * y).sum(axis=1)
    known = squares > FLAT
    return np.where(known, (share * x * y).sum(axis=1) / np.sqrt(np.where(known, squares, 1.0)), np.nan)


def weighted_mean(weights: Any, values: Any) -> Any:
    return (weights @ values) / weights.sum(axis=1)


def _percentiles(values: Any) -> tuple[float, float] | None:
    """From the 2.5th to the 97.5th of the resamples in which the figure exists, if these are nearly all."""
    import numpy as np

    defined = values[np.isfinite(values)]
    if len(defined) < DEFINED * len(values):
        return None
    low, high = np.percentile(defined, [2.5, 97.5])
    return (float(low), float(high))
