"""A mean with its clustered standard error, and the interval that follows from the two.

The interval is mean +- t(0.975) * SE where values have no scale, as words and seconds. On a scale a symmetric
interval misleads: it leaves the scale, and shrinks to a point where all values are alike, so that falls too rare to
have been seen stay outside it. There the mean, as a share p of the scale, has Wilson's interval (1927) with the same t
and with the number of independent trials of 0 or 1 that its clustered standard error amounts to:

    n = p (1 - p) / SE^2, SE as a share of the scale; G where SE is 0 but for rounding (Korn and Graubard 1998)

Values between the ends vary less than trials of 0 or 1, so that n may exceed their number. A share of passes is made of
such trials: there n is at most the number of values.
"""

import math
from dataclasses import dataclass

from evaluation.statistics.student_t import critical

ROUNDING = 1e-9
"""A standard error below this share of the scale is that of equal values."""


@dataclass(frozen=True, slots=True)
class ClusteredMean:
    """An equal-weight mean over scenarios (or of paired differences over scenarios), with its standard error."""

    mean: float
    se: float | None
    clusters: int
    scenarios: int
    freedom: float | None = None
    """Degrees of freedom of `se` where values are weighted; None for G - 1."""

    @property
    def degrees(self) -> float:
        """Degrees of freedom of `se`."""
        return self.clusters - 1 if self.freedom is None else self.freedom

    def interval(self, confidence: float = 0.95) -> tuple[float, float] | None:
        """mean +- t(degrees) * se, for values without a scale; None with one cluster. 0 < `confidence` < 1."""
        if self.se is None:
            return None
        reach = critical(confidence, self.degrees) * self.se
        return (self.mean - reach, self.mean + reach)

    def interval_within(
        self, low: float, high: float, confidence: float = 0.95, most: float = math.inf
    ) -> tuple[float, float] | None:
        """Wilson's interval of a mean of values from `low` to `high`, which it never leaves; None with one cluster.

        `most` is the largest number of independent trials that the values can amount to.
        """
        if self.se is None:
            return None
        share = min(1.0, max(0.0, (self.mean - low) / (high - low)))
        variance, error = share * (1 - share), self.se / (high - low)
        trials = min(most, variance / error**2) if variance > 0 and error >= ROUNDING else self.degrees + 1.0
        weight = critical(confidence, self.degrees) ** 2 / trials
        centre = (share + weight / 2) / (1 + weight)
        reach = math.sqrt(weight * variance + weight**2 / 4) / (1 + weight)
        ends = (low + (centre - reach) * (high - low), low + (centre + reach) * (high - low))
        return (max(low, min(ends[0], self.mean)), min(high, max(ends[1], self.mean)))
