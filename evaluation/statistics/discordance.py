"""The power of a paired comparison of values that are 0 or 1, and the fall that it finds.

For scores the detectable difference follows from the standard error (`power.detectable`). For checks it does not: near
the ends of the scale a fall brings its own variance. Of n pairs a share c gains and a share b = c + d falls where the
true fall is d, so that the difference has the variance b + c - d^2, and b + c is at least d (Miettinen 1968, "The
matched pairs design in the case of all-or-none responses"; Connor 1987, "Sample size for testing differences in
proportions for the paired-sample design"). Without any difference in the data the standard error is 0, and yet a fall
must reach six pairs before a sign-flip test can find it.

What is noise stays noise in what still passes: of pairs that differ by chance in a share `noise`, half each way, and a
rate p of passes before the fall, c = (noise / 2) (1 - d / p). That is exact for independent draws.

Up to `EXACT_UP_TO` pairs the power is the sum over all numbers of falls and gains of their trinomial probability where
both tests call the difference; beyond, it is normal: d sqrt(n) = t sqrt(b + c) + z sqrt(b + c - d^2).
numpy is imported when something is computed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from evaluation.statistics.paired import PairedEstimate, ScenarioPair
from evaluation.statistics.power import LEVEL, POWER, smallest
from evaluation.statistics.student_t import critical, quantile

if TYPE_CHECKING:
    from numpy import bool_, float64
    from numpy.typing import NDArray

EXACT_UP_TO = 400
HALVINGS = 30


def detectable_fall(pairs: int, clusters: int, rate: float, noise: float, level: float = LEVEL) -> float | None:
    """The fall from `rate` that is found in 80 of 100 comparisons; None where even one to 0 is not.

    `pairs` are as many independent ones as the data amount to, `clusters` >= 2 those that the tests turn over; `rate`
    and `noise` (the share of pairs that differ by chance) lie in 0..1.
    """
    if rate <= 0 or power_at(rate, pairs, clusters, rate, noise, level) < POWER:
        return None
    low, high = 0.0, rate
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if power_at(middle, pairs, clusters, rate, noise, level) >= POWER else (middle, high)
    return high


def pairs_needed(fall: float, rate: float, noise: float, *, least: int, level: float = LEVEL) -> int | None:
    """Independent pairs, each a situation of its own, that find `fall` > 0; None beyond a million, or above `rate`."""
    if fall > rate:
        return None

    def enough(number: int) -> bool:
        return power_at(fall, number, number, rate, noise, level) >= POWER

    return smallest(enough, least)


def power_at(fall: float, pairs: int, clusters: int, rate: float, noise: float, level: float = LEVEL) -> float:
    """The probability that both tests call a true fall from `rate`, as a fall; arguments as above."""
    gains = min(noise / 2 * (1 - fall / rate), (1 - fall) / 2)
    falls = gains + fall
    if pairs > EXACT_UP_TO:
        spread = math.sqrt(max(falls + gains - fall**2, 1e-12))
        reach = fall * math.sqrt(pairs) - critical(1 - level, clusters - 1) * math.sqrt(falls + gains)
        return 0.5 * math.erfc(-reach / spread / math.sqrt(2))
    import numpy as np

    called = _called(pairs, clusters, level)
    numbers = np.arange(pairs + 1)
    logs = np.array([math.lgamma(number + 1) for number in range(pairs + 1)])
    fallen, gained = numbers[:, None], numbers[None, :]
    rest = pairs - fallen - gained
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = [
            np.where(count > 0, count * np.log(chance), 0.0)
            for count, chance in ((fallen, falls), (gained, gains), (rest, max(0.0, 1 - falls - gains)))
        ]
    kept = called & (rest >= 0)
    ways = logs[pairs] - logs[fallen] - logs[gained] - logs[np.maximum(rest, 0)]
    return float(np.exp((ways + sum(terms))[kept]).sum())


@dataclass(frozen=True, slots=True)
class CheckDesign:
    """A paired comparison of checks, as far as its power depends on it."""

    pairs: int
    """Independent pairs of single outcomes that the data amount to."""
    clusters: int
    rate: float
    """Of passes in the base; of failures where these are more: what can move, moves that way."""
    noise: float
    """Share of the pairs that differ by chance."""

    @classmethod
    def of(cls, pairs: Sequence[ScenarioPair], found: PairedEstimate, *, called: bool) -> "CheckDesign | None":
        """From the data of a comparison; None without a standard error. `called` where it is surely a difference."""
        if found.se is None or found.mean_a is None or found.difference is None:
            return None
        cells = [cell for pair in pairs if pair.difference is not None for cell in pair.cells or (pair.difference,)]
        differing = math.fsum(cell * cell for cell in cells) / len(cells)
        number = float(found.clusters)
        if found.se > 0:
            number = min(len(cells), (differing - found.difference**2) / found.se**2 + 1)
        noise = max(0.0, differing - abs(found.difference)) if called else differing
        return cls(max(2, round(number)), found.clusters, max(found.mean_a, 1 - found.mean_a), noise)

    def detectable(self, level: float = LEVEL) -> float | None:
        """The difference that is found in 80 of 100 comparisons; None where the scale leaves no room for it."""
        return detectable_fall(self.pairs, self.clusters, self.rate, self.noise, level)

    def clusters_needed(self, effect: float, *, least: int, level: float = LEVEL) -> int | None:
        """Situations of this kind that find `effect` > 0."""
        number = pairs_needed(effect, self.rate, self.noise, least=least, level=level)
        return None if number is None else max(least, math.ceil(number * self.clusters / self.pairs))


@lru_cache(maxsize=64)
def _called(pairs: int, clusters: int, level: float) -> "NDArray[bool_]":
    """For each number of falls and of gains: whether both tests call it a fall."""
    import numpy as np

    numbers = np.arange(pairs + 1)
    fallen, gained = numbers[:, None], numbers[None, :]
    mean = (fallen - gained) / pairs
    square = np.maximum((fallen + gained) / pairs - mean**2, 0) / (pairs - 1)
    by_t = mean > quantile(1 - level / 2, clusters - 1) * np.sqrt(square)
    by_signs = 2 * _sign_tails(pairs)[np.minimum(fallen + gained, pairs), fallen] <= level
    found: NDArray[bool_] = by_t & by_signs & (fallen > gained)
    return found


def _sign_tails(most: int) -> "NDArray[float64]":
    """Row m, column f: the chance that of m pairs that differ at least f fall, when either way is as likely."""
    import numpy as np

    logs = np.array([math.lgamma(number + 1) for number in range(most + 1)])
    differing, fallen = np.arange(most + 1)[:, None], np.arange(most + 1)[None, :]
    terms = np.exp(logs[differing] - logs[fallen] - logs[np.maximum(differing - fallen, 0)] - differing * math.log(2))
    tails: NDArray[float64] = np.cumsum(np.where(fallen <= differing, terms, 0.0)[:, ::-1], axis=1)[:, ::-1]
    return tails
