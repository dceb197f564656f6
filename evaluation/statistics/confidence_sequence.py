"""An interval that holds at all looks together, however many there are and whenever they end.

The asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2021, "Time-uniform central limit
theory and asymptotic confidence sequences", arXiv 2103.06476, section 2; for two arms section 3 without covariates): of
n independent users, each counted once, with SE the standard error of the difference of their means at this look,

    difference +- SE sqrt((2 (n r^2 + 1) / (n r^2)) log(sqrt(n r^2 + 1) / alpha))

It is narrowest, beside what it could be, where n is about m, with r^2 = (-2 log alpha + log(1 - 2 log alpha)) / m. The
law is one for many users: a look takes some hundreds.
"""

import math

from evaluation.statistics.power import smallest


def reach(users: int, tightest_at: int, alpha: float) -> float:
    """Half of the width in standard errors; `users` are those of both arms, at least 1."""
    spread = users * _spread(tightest_at, alpha)
    return math.sqrt(2 * (spread + 1) / spread * math.log(math.sqrt(spread + 1) / alpha))


def users_until(half_width: float, se: float, users: int, tightest_at: int, alpha: float) -> int | None:
    """Users in all until the interval reaches no further than `half_width` > 0 on each side; None beyond a million.

    SE is taken to shrink with the root of their number, from `se` of `users`.
    """

    def enough(number: int) -> bool:
        return reach(number, tightest_at, alpha) * se * math.sqrt(users / number) <= half_width

    return smallest(enough, users)


def _spread(tightest_at: int, alpha: float) -> float:
    """r^2: the variance of the mixture over which the bound is taken, by user."""
    return (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / tightest_at
