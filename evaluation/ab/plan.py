"""What a test was planned to be: pinned before its first look, and the same for all looks after it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any, Literal

from evaluation.moments import moment
from evaluation.records import Json

SPENDING = "O'Brien and Fleming's, by Lan and DeMets"
LEAST_USERS = 100
"""Users an arm that a first look takes: of fewer, an error that is clustered by user is not known well."""
WINDOW, TIGHTEST_AT = 7, 2_000
COST, LATENCY = "cost", "latency"
LOWER_IS_BETTER = (COST, LATENCY)
"""Measures that every generation has, in USD and in seconds; of all other names scores are read."""
DAY_S = 86_400.0

Unit = Literal["user", "session"]


@dataclass(frozen=True, slots=True)
class Version:
    """One arm."""

    reference: str
    """As it was named: v3, or a label."""
    version: int

    @property
    def title(self) -> str:
        return f"v{self.version}"


@dataclass(frozen=True, slots=True)
class Plan:
    """One test."""

    name: str
    created_at: str
    """ISO 8601, UTC, as all times."""
    prompt: str
    base: Version
    candidate: Version
    measure: str
    """Name of a score, or cost or latency."""
    lower_is_better: bool
    unit: Unit
    """What is assigned an arm."""
    split: tuple[float, float]
    """Of base and candidate; above 0, of any sum."""
    margin: float
    """The largest difference that does not matter; above 0."""
    alpha: float
    """The error rate over all looks."""
    start: str
    horizon: str | None
    """The end, where one was stated: then the error rate is spent until it."""
    users: int | None
    """Of both arms. With a horizon those that are planned: the share of them is its clock. Without one those at which
    the interval is to be narrowest."""
    window: int | None
    """Days of each user that count, of a test without a horizon; None of one with it."""
    environments: tuple[str, ...] = ()

    @property
    def spending(self) -> bool:
        """True where an error rate is spent over a horizon; False of a confidence sequence."""
        return self.horizon is not None

    @property
    def tightest_at(self) -> int | None:
        """Users at which the confidence sequence is narrowest; None of a test with a horizon."""
        return None if self.spending else self.users or TIGHTEST_AT

    @property
    def base_share(self) -> float:
        return self.split[0] / sum(self.split)

    def reads_until(self, now: str) -> str:
        """The first moment that a look does not see: now, at most the horizon."""
        return now if self.horizon is None else min((now, self.horizon), key=moment)

    def elapsed_days(self, until: str) -> float:
        return max(0.0, (moment(until) - moment(self.start)) / timedelta(days=1))

    def share(self, until: str, users: int) -> float:
        """How much of the horizon has passed, 0 to 1; 1 at its end, whatever number of users came."""
        if self.horizon is None:
            return 0.0
        passed = self.elapsed_days(until) / self.elapsed_days(self.horizon)
        if self.users is not None and passed < 1:
            passed = users / self.users
        return min(1.0, passed)

    def to_json(self) -> dict[str, Json]:
        spending = {"spending": SPENDING if self.spending else None, "least_users": LEAST_USERS}
        return {"schema_version": 1, "kind": "ab", **asdict(self), **spending}

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> "Plan":
        """Raises ValueError, KeyError or TypeError for anything that is no plan."""
        if found.get("kind") != "ab":
            raise ValueError("it is no plan of an A/B test")
        fields = {name: found[name] for name in cls.__slots__}
        fields |= {name: Version(**found[name]) for name in ("base", "candidate")}
        fields |= {name: tuple(found[name]) for name in ("split", "environments")}
        plan = cls(**fields)
        for text in (plan.start, plan.horizon or plan.start):
            moment(text)
        for number in (plan.margin, plan.alpha, *plan.split, plan.users or 1, plan.window or 1):
            if not number > 0:
                raise ValueError(f"{number!r} is not above 0")
        if plan.unit not in ("user", "session") or len(plan.split) != 2:
            raise ValueError(f"unit {plan.unit!r}, split {plan.split!r}")
        return plan
