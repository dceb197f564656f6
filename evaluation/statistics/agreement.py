"""Agreement of several observers on the same units, beyond what chance alone would give. No sum is quadratic in n."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

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
    squares = math.fsum(value * value for value in (*first, *second)) * count
    chance = squares - 2 * math.fsum(first) * math.fsum(second)
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
    observed = math.fsum(2 * len(unit) * _squares(unit) / (len(unit) - 1) for unit in units)
    expected = 2 * total * _squares(everything) / (total - 1)
    return 1 - observed / expected


def _squares(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values)


def _midranks(counts: Mapping[float, int]) -> dict[float, float]:
    below = 0
    places = {}
    for value in sorted(counts):
        places[value] = below + counts[value] / 2
        below += counts[value]
    return places
