"""The difference of two means that rest on different responses."""

import math
from dataclasses import dataclass

from evaluation.statistics.clusters import Estimate
from evaluation.statistics.student_t import critical


@dataclass(frozen=True, slots=True)
class UnpairedDifference:
    """after - before; the interval is None where one side has no standard error."""

    value: float
    ci95: tuple[float, float] | None


def unpaired_difference(before: Estimate, after: Estimate) -> UnpairedDifference | None:
    """The difference of two means that rest on different responses, as in two weeks of reviews.

    It has the root of the sum of their squared standard errors, and Welch's degrees of freedom (Welch 1947) with the
    clusters of each side in the place of its values:

        df = (se_a^2 + se_b^2)^2 / (se_a^4 / (G_a - 1) + se_b^4 / (G_b - 1))

    Situations that occur on both sides make the true error smaller, so that the interval is rather too wide. None where
    one side has no mean.
    """
    if before.mean is None or after.mean is None:
        return None
    value = after.mean - before.mean
    if before.se is None or after.se is None:
        return UnpairedDifference(value, None)
    a, b = before.se**2, after.se**2
    if a + b == 0:
        return UnpairedDifference(value, (value, value))
    freedom = (a + b) ** 2 / (a**2 / (before.clusters - 1) + b**2 / (after.clusters - 1))
    half = critical(0.95, freedom) * math.sqrt(a + b)
    return UnpairedDifference(value, (value - half, value + half))
