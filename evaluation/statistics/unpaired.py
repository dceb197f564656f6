"""The difference of two means that rest on different responses."""

import math
from dataclasses import dataclass
from typing import Protocol

from evaluation.statistics.student_t import critical, upper_tail


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
