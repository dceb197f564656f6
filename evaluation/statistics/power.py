"""The smallest difference that a comparison can find, and the effort that a smaller one takes.

The minimum detectable effect is the true difference that is found in 80 of 100 comparisons (Bloom 1995, "Minimum
Detectable Effects"; Miller 2024 for evaluations):

    MDE = (t(1 - level / 2, G - 1) + t(power, G - 1)) * SE
"""

import math

from evaluation.statistics.student_t import quantile

LEVEL = 0.05
POWER = 0.8
MOST_CLUSTERS = 1_000_000
MOST_REPEATS = 1_000
"""Beyond these a plan is no plan: the answer is None."""


def reach(clusters: int, level: float = LEVEL, power: float = POWER) -> float:
    """The minimum detectable effect in standard errors; `clusters` >= 2."""
    return quantile(1 - level / 2, clusters - 1) + quantile(power, clusters - 1)


def detectable(se: float, clusters: int, level: float = LEVEL, power: float = POWER) -> float:
    """The minimum detectable effect, in the units of `se`; 0 where nothing varies."""
    return reach(clusters, level, power) * se


def clusters_needed(
    effect: float, se: float, clusters: int, *, least: int = 2, level: float = LEVEL, power: float = POWER
) -> int | None:
    """Situations that make `effect` > 0 detectable, of the kind and size of those that gave `se`.

    SE is taken to shrink with the root of their number. At least `least` (>= 2); None beyond `MOST_CLUSTERS`.
    """

    def enough(number: int) -> bool:
        return detectable(se * math.sqrt(clusters / number), number, level, power) <= effect

    high = least
    while not enough(high):
        if high >= MOST_CLUSTERS:
            return None
        high = min(high * 2, MOST_CLUSTERS)
    low = max(least, high // 2)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return high


def repeats_needed(
    effect: float, fixed: float, per_repeat: float, clusters: int, *, level: float = LEVEL, power: float = POWER
) -> int | None:
    """Repeats that make `effect` > 0 detectable with the same scenarios; None when no number of repeats can.

    The squared standard error is `fixed` + `per_repeat` / repeats: what differs between scenarios, and what differs
    between repeats of one.
    """
    room = (effect / reach(clusters, level, power)) ** 2 - fixed
    if per_repeat <= 0:
        return 1 if room >= 0 else None
    if room <= 0:
        return None
    number = max(1, math.ceil(per_repeat / room - 1e-9))
    return number if number <= MOST_REPEATS else None
