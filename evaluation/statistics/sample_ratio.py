"""Whether an assignment keeps the split that was planned: a mismatch says that the arms are not alike to begin with.

The number of users in one arm is binomial where each is assigned by itself (Fabijan et al. 2019, "Diagnosing Sample
Ratio Mismatch in Online Controlled Experiments"). Up to `EXACT_UP_TO` users the p-value is exact: the probability of
all numbers that are no likelier than the one seen. Beyond, it is that of the chi-square test with one degree of
freedom.
"""

import math
from collections.abc import Sequence

EXACT_UP_TO = 10_000
ALARM = 0.001
"""A split with a smaller p-value is broken."""
SAME = 1e-7
"""Probabilities this close, as a share, count as equal."""


def split_p(base: int, other: int, share: float) -> float:
    """Two-sided p-value of so many users in each arm, where `share` (above 0, below 1) of all belong to the base."""
    users = base + other
    if not users:
        return 1.0
    if users > EXACT_UP_TO:
        return math.erfc(abs(base - users * share) / math.sqrt(2 * users * share * (1 - share)))
    logs = [_log_chance(number, users, share) for number in range(users + 1)]
    limit = logs[base] + SAME
    return min(1.0, math.fsum(math.exp(each) for each in logs if each <= limit))


def split_p_by_week(weeks: Sequence[tuple[int, int]], share: float) -> float:
    """The p-value of a split that may be broken in all weeks together, or in one of them.

    A split that changed on the way may be the planned one in sum. Of the weeks the smallest p-value counts, times their
    number (Bonferroni); a broken split is so found falsely at most twice as often as by one test.
    """
    whole = split_p(sum(base for base, _ in weeks), sum(other for _, other in weeks), share)
    return min([whole, *(len(weeks) * split_p(*week, share) for week in weeks)])


def _log_chance(number: int, users: int, share: float) -> float:
    ways = math.lgamma(users + 1) - math.lgamma(number + 1) - math.lgamma(users - number + 1)
    return ways + number * math.log(share) + (users - number) * math.log1p(-share)
