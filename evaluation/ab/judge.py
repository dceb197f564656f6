"""What a look says, after all looks before it.

Better or worse: the interval that holds at all looks together leaves out 0. Equivalent: it lies within the margin on
both sides. A split that is broken, or scores that are missing in one arm, take any verdict away: then nothing is tested
and nothing is spent. The first verdict that ends a test stands; what comes after it is described and tests nothing.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from evaluation.ab.look import ENDING, Look, Reading, VerdictName, last_tested
from evaluation.ab.plan import LEAST_USERS, Plan
from evaluation.statistics import confidence_sequence
from evaluation.statistics.spending import kept, next_boundary, spent_by
from evaluation.statistics.two_arms import ArmsDifference, in_t

LAST = 1.0 - 1e-9
"""A share of the horizon from which on all has passed."""


def ended(looks: Sequence[Look]) -> Look | None:
    """The look that ended the test."""
    return next((look for look in looks if look.verdict in ENDING), None)


def judge_look(plan: Plan, reading: Reading, earlier: Sequence[Look], taken_at: str) -> Look | None:
    """The next look of a test that has not ended; None where it would be the last one once more, at the same data."""
    passed = max([plan.share(reading.until, sum(reading.users)), *(look.passed for look in earlier)])
    last = earlier[-1] if earlier else None
    if last is not None and last.data == reading.digest and (passed < LAST or last.passed >= LAST):
        return None
    look = Look(
        number=len(earlier) + 1,
        taken_at=taken_at,
        until=reading.until,
        data=reading.digest,
        users=reading.users,
        verdict="open",
        passed=passed,
        spent=max([0.0, *(look.spent for look in earlier)]),
    )
    if reading.split_broken:
        return replace(look, verdict="split_broken")
    if reading.scores_missing:
        return replace(look, verdict="scores_missing")
    if reading.found is None or min(reading.users) < LEAST_USERS:
        return replace(look, verdict="too_few" if passed >= LAST else "early")
    return _test(plan, reading, reading.found, look, earlier)


def _test(plan: Plan, reading: Reading, found: ArmsDifference, look: Look, earlier: Sequence[Look]) -> Look:
    means = (found.base.mean, found.other.mean)
    look = replace(look, means=means, difference=found.difference)
    if not found.se > 0:
        return replace(look, verdict="alike")
    if reading.shared is not None and (before := last_tested(earlier)) is not None and before.se is not None:
        correlation = min(reading.shared / (before.se * found.se), found.se / before.se)
        look = replace(look, correlation=kept(correlation))
    boundary, spent = _boundary(plan, look, earlier)
    reach = in_t(boundary, found.freedom) if boundary < math.inf else math.inf
    interval = found.within(reach) if reach < math.inf else None
    return replace(
        look,
        verdict=_verdict(plan, interval, final=look.passed >= LAST),
        se=found.se,
        boundary=boundary if boundary < math.inf else None,
        interval=interval,
        spent=spent,
    )


def _boundary(plan: Plan, look: Look, earlier: Sequence[Look]) -> tuple[float, float]:
    """How far out the look tests, in standard errors, and what is spent of the error rate with it."""
    if plan.tightest_at is not None:
        return confidence_sequence.reach(sum(look.users), plan.tightest_at, plan.alpha), 0.0
    tested = [each.as_earlier for each in earlier if each.tested]
    spent = max(look.spent, spent_by(look.passed, plan.alpha))
    boundary = next_boundary(tested, look.correlation, spent - look.spent)
    return boundary, spent if boundary < math.inf else look.spent


def _verdict(plan: Plan, interval: tuple[float, float] | None, *, final: bool) -> VerdictName:
    if interval is not None:
        low, high = interval
        if low > 0 or high < 0:
            return "better" if (low > 0) != plan.lower_is_better else "worse"
        if -plan.margin <= low and high <= plan.margin:
            return "equivalent"
    return "undecided" if final else "open"
