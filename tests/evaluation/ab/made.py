"""Plans, tallies and readings for the tests of A/B tests."""

import random
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from evaluation.ab.look import Look, Reading, read_tally
from evaluation.ab.plan import DAY_S, Plan, Version
from evaluation.ab.tally import Generation, Tally
from evaluation.moments import moment

START = "2026-11-16T00:00:00.000Z"
"""A Monday."""
PLAN = Plan(
    name="v2-vs-v3",
    created_at=START,
    prompt="penpal-companion",
    base=Version("v2", 2),
    candidate=Version("v3", 3),
    measure="rules.overall_quality",
    lower_is_better=False,
    unit="user",
    split=(50.0, 50.0),
    margin=0.02,
    alpha=0.05,
    start=START,
    horizon="2026-12-16T00:00:00.000Z",
    users=None,
    window=None,
)
SEQUENCE = replace(PLAN, horizon=None, window=7)


def day(number: float) -> str:
    """A moment so many days after the start."""
    at = moment(START).timestamp() + number * DAY_S
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def generation(unit: str, arm: int, on: float, value: float | None = None, **fields: Any) -> Generation:
    """Of one user, so many days after the start."""
    at = moment(START).timestamp() + on * DAY_S
    return Generation(
        **{"unit": unit, "cluster": unit, "arm": arm, "at": at, "failed": False, "value": value, **fields}
    )


def tally_of(generations: Iterable[Generation], cut: str | None = None) -> Tally:
    """`cut` is the end of an earlier look."""
    tally = Tally() if cut is None else Tally(moment(cut).timestamp())
    for each in generations:
        tally.take(each)
    return tally


def reading(
    users: tuple[int, int] = (300, 300),
    effect: float = 0.0,
    *,
    until: float = 15.0,
    spread: float = 0.1,
    plan: Plan = PLAN,
    before: Look | None = None,
) -> Reading:
    """So many users of each arm with one score each, whose means differ by exactly `effect`.

    They come on the first day; after a look `before`, evenly over all days.
    """
    luck = random.Random(1)
    rows = []
    for arm, number in enumerate(users):
        values = [luck.gauss(0, spread) for _ in range(number)]
        middle = sum(values) / max(1, number)
        for at, each in enumerate(values):
            on = 0.5 if before is None else until * (at + 0.5) / number
            rows.append(generation(f"{arm}-{at}", arm, on, 0.7 + arm * effect + each - middle))
    tally = tally_of(rows, None if before is None else before.until)
    return read_tally(plan, tally, day(until), {}, before)
