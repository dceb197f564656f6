"""The bound of non-inferiority and of equivalence: how low a mean of paired differences may lie, be falls ever so rare.

A t interval answers from the falls that were seen: where none was, its width is 0. This bound adds one situation that
nobody saw, at the worst end, -L, with L the largest fall that is taken to be possible. Situations g = 1..G have the
mean paired difference d_g and the size s_g (scenarios). With independent weights w from Exp(1) the lower end at 5% is
the 5% quantile t of

    (sum of w_g s_g d_g - w_0 s_0 L) / (sum of w_g s_g + w_0 s_0)

(Learned-Miller and Thomas 2019, "A New Confidence Interval for the Mean of a Bounded Random Variable", arXiv
1905.06208, for one size, where the coverage is a conjecture; related with proof: Phan, Thomas and Learned-Miller 2021,
arXiv 2106.03163). Where all falls have one size it is Clopper and Pearson's (1934). The upper end mirrors it.

The size s_0 is that of the situations where they have one. Where they differ, it is the one with which the end is exact
where nothing fell: falls may be where situations are large, but no more of them than there are large ones. With q_g the
chance of a fall in g, the worst mean that shows none in 5% of sets is the largest sum of s_g q_g L / sum of s_g under
product of (1 - q_g) = 0.05, which has q_g = max(0, 1 - m / s_g) with one m. s_0 is at most the largest size.

The quantile is computed, not drawn, so that no seed moves a gate: the mean lies below t where the sum of c_j w_j, with
c_g = s_g (d_g - t) and c_0 = -s_0 (L + t), is negative. Its moment generating function is the product of
1 / (1 - c_j s), and the probability is its integral over a path from below to above the real line, left of 0 and right
of the poles 1 / c_j < 0 (inversion as in Lugannani and Rice 1980). The path is a hyperbola through the saddle point, on
which the trapezoidal rule converges geometrically (Weideman and Trefethen 2007); the error of an end is below 1e-6 of
L. Neither the order of the situations nor ties matter.

numpy is imported when something is computed, so that scoring alone never loads it.
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import complex128, float64
    from numpy.typing import NDArray

LEVEL = 0.05
STEP = 0.15
"""Between the nodes of the rule."""
NODES = 47
"""The last one lies 500 times as far from the saddle point as the nearest pole."""
TILT = math.pi / 8
"""Of the hyperbola's arms from the vertical: halfway to where a normal integrand begins to grow."""
AT_ONCE = 16
"""Factors multiplied before a logarithm is taken: none can overflow, and few logarithms are needed."""
BLOCK = 200_000
"""Numbers of one table at a time, so that memory stays bounded."""
SMALLEST = 1e-300
DUST = 1e-12
"""A difference that is no larger, beside the largest, is none."""
EXACT = 1e-9
"""A quantile is found when log(share / level) is this small, or when it is known to this share of L."""
MOST_STEPS = 100


def lower_ends(
    differences: "NDArray[float64]", sizes: "NDArray[float64]", largest: "NDArray[float64]", level: float = LEVEL
) -> "NDArray[float64]":
    """The lower end of each row's mean: rows x G differences, G sizes, and each row's L > 0 in the same units.

    No difference lies below -L; G is at least 1. `level` lies above 0 and is at most 0.05.
    """
    import numpy as np

    unseen = unseen_size(sizes, level)
    low, high = -largest, differences @ sizes / sizes.sum()
    point, before, value_before = _normal_end(differences, sizes, largest, unseen), high, np.full(len(low), math.nan)
    for _ in range(MOST_STEPS):
        point = np.where((low < point) & (point < high), point, (low + high) / 2)
        open_ = np.flatnonzero((high - low > EXACT * largest) & ~(np.abs(value_before) <= EXACT))
        if not len(open_):
            break
        value = np.full(len(low), math.nan)
        share = share_below(differences[open_], sizes, largest[open_], point[open_], unseen)
        value[open_] = np.log(np.maximum(share, SMALLEST) / level)
        low, high = np.where(value <= 0, point, low), np.where(value > 0, point, high)
        with np.errstate(invalid="ignore", divide="ignore"):
            secant = point - value * (point - before) / (value - value_before)
        before, value_before = (np.where(np.isnan(value), *pair) for pair in ((before, point), (value_before, value)))
        point = secant
    return np.where(np.abs(value_before) <= EXACT, before, low)


def _normal_end(
    differences: "NDArray[float64]", sizes: "NDArray[float64]", largest: "NDArray[float64]", unseen: float
) -> "NDArray[float64]":
    """A first guess: where the end would lie were the weighted mean normal."""
    import numpy as np

    total = sizes.sum() + unseen
    mean = (differences @ sizes - largest * unseen) / total
    square = (differences - mean[:, None]) ** 2 @ sizes**2 + ((largest + mean) * unseen) ** 2
    found: NDArray[float64] = mean - 1.7 * np.sqrt(square) / total
    return found


def share_below(
    differences: "NDArray[float64]",
    sizes: "NDArray[float64]",
    largest: "NDArray[float64]",
    at: "NDArray[float64] | float",
    unseen: float,
) -> "NDArray[float64]":
    """The probability that the weighted mean of each row lies at or below `at`, from 0 to 1; arguments as above.

    `unseen` is s_0. A lower end lies at or above a value exactly where this share is at most its level there.
    """
    import numpy as np

    place = np.broadcast_to(np.asarray(at, dtype=float), (len(differences),))
    found = np.empty(len(differences))
    rows = max(1, BLOCK // (differences.shape[1] + AT_ONCE * NODES))
    for start in range(0, len(differences), rows):
        part = slice(start, start + rows)
        room = np.maximum(largest[part] + place[part], DUST * largest[part])
        coefficients = np.column_stack([-room * unseen, (differences[part] - place[part, None]) * sizes])
        found[part] = _share_negative(coefficients / np.abs(coefficients).max(axis=1, keepdims=True))
    return np.clip(found, 0.0, 1.0)


def unseen_size(sizes: "NDArray[float64]", level: float = LEVEL) -> float:
    """The size of the situation that nobody saw, in that of the others: s_0 above."""
    import numpy as np

    size, count = np.unique(sizes, return_counts=True)
    if len(size) == 1:
        return float(size[0])

    def cost(threshold: float) -> float:
        return float(count @ np.log(np.maximum(size / threshold, 1)))

    threshold = _root(lambda point: cost(point) + math.log(level), 0.0, float(size[-1]))
    worst = float(count * size @ np.maximum(0, 1 - threshold / size)) / float(count @ size)
    odds = size * worst / (1 - worst)
    return _root(lambda point: float(count @ np.log1p(odds / point)) + math.log(level), 0.0, float(size[-1]))


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Where a falling function crosses 0 between two points, or the upper one."""
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return high


def _share_negative(coefficients: "NDArray[float64]") -> "NDArray[float64]":
    """P(sum of c_j w_j < 0) for each row of c, whose largest size is 1 and which holds a negative number."""
    import numpy as np

    pole = 1 / coefficients.min(axis=1)
    saddle = _saddle(coefficients, pole)
    nodes = STEP * np.arange(NODES, dtype=np.float64)
    turn = _turns(coefficients, saddle, pole)
    path, slope = _path(nodes, saddle, pole, turn)
    values: NDArray[float64] = (np.exp(-_log_product(coefficients, path)) / -path * slope).imag
    values[:, 0] /= 2
    found: NDArray[float64] = values.sum(axis=1) * STEP / math.pi
    return found


def _turns(
    coefficients: "NDArray[float64]", saddle: "NDArray[float64]", pole: "NDArray[float64]"
) -> "NDArray[float64]":
    """1 for each row whose path turns to the left, -1 to the right: where the integrand grows less.

    Many small gains make it fall to the left, and many small falls to the right, whatever a few large ones do.
    """
    import numpy as np

    nodes = STEP * np.arange(8, NODES, 8, dtype=np.float64)
    grown = []
    for turn in (1.0, -1.0):
        path, slope = _path(nodes, saddle, pole, np.full(len(saddle), turn))
        grown.append((np.log(np.abs(slope / path)) - _log_product(coefficients, path).real).max(axis=1))
    return np.where(grown[0] <= grown[1], 1.0, -1.0)


def _path(
    nodes: "NDArray[float64]", saddle: "NDArray[float64]", pole: "NDArray[float64]", turn: "NDArray[float64]"
) -> tuple["NDArray[complex128]", "NDArray[complex128]"]:
    """Points of each row's hyperbola and their derivatives by the node."""
    import numpy as np

    inner, outer = np.where(turn > 0, saddle - pole, -saddle), np.where(turn > 0, -saddle, saddle - pole)
    scale = np.minimum(inner / (1 - math.sin(TILT)), outer / math.sin(TILT))[:, None]
    up, aside = 1j * math.cos(TILT), math.sin(TILT) * turn[:, None]
    path = saddle[:, None] + scale * (up * np.sinh(nodes) - aside * (np.cosh(nodes) - 1))
    return path, scale * (up * np.cosh(nodes) - aside * np.sinh(nodes))


def _saddle(coefficients: "NDArray[float64]", pole: "NDArray[float64]") -> "NDArray[float64]":
    """Between the pole and 0, where the integrand is smallest on the real line: near enough, by halving."""
    import numpy as np

    low, high = pole.copy(), np.zeros_like(pole)
    for _ in range(20):
        middle = (low + high) / 2
        rising = (coefficients / (1 - coefficients * middle[:, None])).sum(axis=1) > 1 / middle
        low, high = np.where(rising, low, middle), np.where(rising, middle, high)
    return (low + high) / 2


def _log_product(coefficients: "NDArray[float64]", path: "NDArray[complex128]") -> "NDArray[complex128]":
    """log of the product of 1 - c_j s at each node s, up to multiples of 2 pi i."""
    import numpy as np

    rows, count = coefficients.shape
    found = np.zeros_like(path)
    at_once = AT_ONCE * max(1, BLOCK // (path.size * AT_ONCE))
    for start in range(0, count, at_once):
        part = coefficients[:, start : start + at_once]
        groups = np.zeros((rows, -(-part.shape[1] // AT_ONCE) * AT_ONCE))
        groups[:, : part.shape[1]] = part
        factors = 1 - groups.reshape(rows, -1, AT_ONCE, 1) * path[:, None, None, :]
        found += np.log(factors.prod(axis=2)).sum(axis=1)
    return found


def situations_needed(margin: float, largest: float, level: float = LEVEL) -> int:
    """Situations of one size that show, without any fall, that none beyond `margin` < `largest` is there.

    ceil(ln level / ln(1 - margin / largest)): with fewer, the bound of differences that are all 0 lies below -margin.
    """
    return math.ceil(math.log(level) / math.log1p(-margin / largest) - 1e-9)
