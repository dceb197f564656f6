"""The difference between two arms of a test whose users come back, clustered by user.

An arm's mean is that of `clusters.weighted_mean`, with each user as one value that weighs as much as all that is known
of him: the mean over responses is sum of S_u / sum of N_u, and its variance the linearised one of that ratio. Users who
are in both arms, as they are where sessions are assigned, bring a covariance:

    psi_u = sqrt(G / (G - 1)) (S_u - mean N_u) / sum of N
    Var(difference) = Var_a + Var_b - 2 sum of psi_u,a psi_u,b

with G users of the arm: the sum of (psi_u,b - psi_u,a)^2. Of two looks at one test the covariance is the sum of the
products of these parts. Degrees of freedom are Welch's (1947), with one for each user but the first of an arm.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from evaluation.statistics.clusters import ClusteredMean, WeightedValue, weighted_mean
from evaluation.statistics.student_t import critical, quantile


class UserSum(NamedTuple):
    """What is known of one user in one arm."""

    weight: float
    """The sum of the weights of his values, above 0: their number, where each counts once."""
    total: float
    """The sum of his values, each times its weight."""


Arm = Mapping[int, UserSum]
"""User -> his sums."""


@dataclass(frozen=True, slots=True)
class ArmsDifference:
    """Other less base."""

    base: ClusteredMean
    other: ClusteredMean
    difference: float
    se: float
    """0 where no user differs from the mean of his arm."""
    freedom: float

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """The one of a single look. 0 < `confidence` < 1."""
        return self.within(critical(confidence, self.freedom))

    def within(self, reach: float) -> tuple[float, float]:
        """The difference with so many standard errors on each side."""
        return self.difference - reach * self.se, self.difference + reach * self.se


def difference_of(base: Arm, other: Arm) -> ArmsDifference | None:
    """None unless each arm has two users."""
    first, second = _mean(base), _mean(other)
    if first is None or second is None or first.se is None or second.se is None:
        return None
    variances = (first.se**2, second.se**2)
    variance = math.fsum(each**2 for each in _influences(base, first, other, second).values())
    parts = [each**2 / (arm.clusters - 1) for each, arm in zip(variances, (first, second), strict=True)]
    freedom = sum(variances) ** 2 / sum(parts) if sum(parts) > 0 else float(first.clusters + second.clusters - 2)
    return ArmsDifference(first, second, second.mean - first.mean, math.sqrt(variance), max(1.0, freedom))


def covariance_of(earlier: tuple[Arm, Arm], now: tuple[Arm, Arm]) -> float:
    """Of the differences at two looks; 0 where one of them knows no difference."""
    parts = []
    for base, other in (earlier, now):
        first, second = _mean(base), _mean(other)
        if first is None or second is None or first.se is None or second.se is None:
            return 0.0
        parts.append(_influences(base, first, other, second))
    return math.fsum(part * parts[1][user] for user, part in parts[0].items() if user in parts[1])


def in_t(boundary: float, freedom: float) -> float:
    """The boundary of an estimated error that is as far out under t as `boundary` is under the normal law."""
    side = math.erfc(boundary / math.sqrt(2)) / 2
    return -quantile(side, freedom) if side > 0 else math.inf


def _mean(arm: Arm) -> ClusteredMean | None:
    return weighted_mean(
        WeightedValue("", str(user), each.weight, each.total / each.weight) for user, each in arm.items()
    )


def _influences(base: Arm, first: ClusteredMean, other: Arm, second: ClusteredMean) -> dict[int, float]:
    """User -> his part of the error of the difference."""
    found: dict[int, float] = {}
    for arm, mean, sign in ((base, first, -1), (other, second, 1)):
        size = math.fsum(each.weight for each in arm.values())
        factor = sign * math.sqrt(mean.clusters / (mean.clusters - 1)) / size
        for user, each in arm.items():
            found[user] = found.get(user, 0.0) + factor * (each.total - mean.mean * each.weight)
    return found
