"""How much longer a test takes that has said nothing yet, at the rate of users and of information that was seen."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from evaluation.ab.look import Look, Reading
from evaluation.ab.plan import LEAST_USERS, Plan
from evaluation.statistics.confidence_sequence import users_until
from evaluation.statistics.power import POWER
from evaluation.statistics.spending import next_boundary

FAR_DAYS = 3_650.0
"""What takes longer is said to take no end."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is ahead. None where the data cannot say it."""

    to: str
    """What takes so long: "first look", "horizon" or "margin"."""
    days: float | None
    users: int | None
    """Of both arms, at the rate so far."""
    detectable: float | None = None
    """The difference that is found by the horizon in 80 of 100 tests like this one."""
    days_for_margin: float | None = None
    """Days beyond the horizon that finding the margin would take; 0 where the horizon is long enough."""


def look_ahead(plan: Plan, reading: Reading, look: Look, earlier: Sequence[Look]) -> Outlook | None:
    """Of a look that has found nothing yet; None for any other."""
    elapsed = plan.elapsed_days(reading.until)
    if plan.window is not None:
        elapsed = max(0.0, elapsed - plan.window)  # nobody counts before
    if look.verdict == "early":
        return _until_first(reading, elapsed)
    if look.verdict != "open" or reading.found is None or look.se is None or elapsed <= 0:
        return None
    if plan.tightest_at is None:
        return _until_horizon(plan, look, earlier, elapsed)
    return _until_margin(plan, look, plan.tightest_at, elapsed)


def _until_first(reading: Reading, elapsed: float) -> Outlook:
    """Until both arms have the users of a first look, the slower one at its rate."""
    fewest = min(reading.users)
    if not fewest or elapsed <= 0:
        return Outlook("first look", None, None)
    days = (LEAST_USERS - fewest) * elapsed / fewest
    return Outlook("first look", _within_reach(days), math.ceil(sum(reading.users) * days / elapsed))


def _until_horizon(plan: Plan, look: Look, earlier: Sequence[Look], elapsed: float) -> Outlook:
    """To the end of the horizon, with the information growing as it has so far."""
    assert plan.horizon is not None and look.se is not None
    total = plan.elapsed_days(plan.horizon)
    rate = sum(look.users) / elapsed
    if plan.users is not None:
        total = min(total, elapsed + max(0, plan.users - sum(look.users)) / rate)
    information = look.se**-2 * total / elapsed
    tested = [each.as_earlier for each in (*earlier, look) if each.tested]
    boundary = next_boundary(tested, math.sqrt(elapsed / total), plan.alpha - look.spent)
    reach = boundary + NormalDist().inv_cdf(POWER)
    needed = elapsed * (reach / plan.margin) ** 2 * look.se**2
    return Outlook(
        "horizon",
        total - elapsed,
        math.ceil(rate * (total - elapsed)),
        detectable=reach / math.sqrt(information),
        days_for_margin=_within_reach(max(0.0, needed - total)),
    )


def _until_margin(plan: Plan, look: Look, tightest_at: int, elapsed: float) -> Outlook:
    """Until the interval is as narrow as the margin: then it says one thing or another."""
    assert look.se is not None
    users = sum(look.users)
    in_all = users_until(plan.margin, look.se, users, tightest_at, plan.alpha)
    if in_all is None:
        return Outlook("margin", None, None)
    return Outlook("margin", _within_reach((in_all - users) * elapsed / users), in_all - users)


def _within_reach(days: float) -> float | None:
    return days if days <= FAR_DAYS else None
