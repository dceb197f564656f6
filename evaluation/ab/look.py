"""What a look sees, and what is kept of it: later looks go on from what earlier ones have spent."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from evaluation.ab.plan import COST, Plan
from evaluation.ab.tally import SumsOfArms, Tally, Totals
from evaluation.moments import moment
from evaluation.records import Json
from evaluation.runspec import digest
from evaluation.statistics.sample_ratio import ALARM, split_p, split_p_by_week
from evaluation.statistics.spending import EarlierLook
from evaluation.statistics.two_arms import ArmsDifference, covariance_of, difference_of

VerdictName = Literal[
    "better", "worse", "equivalent", "undecided", "open", "early", "too_few", "split_broken", "scores_missing", "alike"
]
"""The first four end a test; `undecided` is what is left at its horizon, `alike` are scores that do not vary."""
ENDING: tuple[VerdictName, ...] = ("better", "worse", "equivalent", "undecided", "too_few")


MOST_OF_A_SAMPLE = 0.9
"""Share of a version's responses from which on all were meant to be scored."""


@dataclass(frozen=True, slots=True)
class Guardrail:
    """Something beside the measure: a plain comparison of this look."""

    name: str
    found: ArmsDifference
    ci95: tuple[float, float]
    """Of a single look: it knows nothing of others."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a look sees."""

    until: str
    """The first moment that it does not see."""
    arms: tuple[Totals, Totals]
    """Base and candidate."""
    split_p: float
    """Of the split of units, in all and week by week."""
    scored_p: float
    """Of the same test over units that have a score: a small one where scores are missing in one arm."""
    found: ArmsDifference | None
    shared: float | None
    """Covariance of the difference with that of the last look that tested; None where none has."""
    waiting: int
    """Units whose window has not passed; 0 of a test with a horizon."""
    evenness: float
    """How evenly the values weigh: 1 where all generations have one."""
    guardrails: tuple[Guardrail, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Reason -> generations and scores that are in no figure."""

    @property
    def users(self) -> tuple[int, int]:
        """Users with a score, in base and candidate."""
        return (0, 0) if self.found is None else (self.found.base.clusters, self.found.other.clusters)

    @property
    def split_broken(self) -> bool:
        return self.split_p < ALARM

    @property
    def scores_missing(self) -> bool:
        return not self.split_broken and self.scored_p < ALARM

    @property
    def digest(self) -> str:
        """Of the data: equal for two looks at the same."""
        figures = None if self.found is None else (self.found.difference, self.found.se, self.users)
        return digest([[asdict(arm) for arm in self.arms], figures])[:16]


@dataclass(frozen=True, slots=True)
class Look:
    """One look as it is kept."""

    number: int
    taken_at: str
    until: str
    data: str
    """Digest of what was seen."""
    users: tuple[int, int]
    verdict: VerdictName
    passed: float
    """Share of the horizon, 0 to 1; 0 of a test without one."""
    means: tuple[float, float] | None = None
    difference: float | None = None
    se: float | None = None
    boundary: float | None = None
    """In standard errors of a known error; None where nothing was tested, or nothing could be crossed yet."""
    interval: tuple[float, float] | None = None
    """The one that holds at all looks together."""
    correlation: float = 0.0
    """Of the difference with that of the last look that tested before; 0 of a test without a horizon."""
    spent: float = 0.0
    """Of the error rate, by this look and all before it; 0 of a test without a horizon."""

    @property
    def tested(self) -> bool:
        return self.se is not None

    @property
    def as_earlier(self) -> EarlierLook:
        return EarlierLook(math.inf if self.boundary is None else self.boundary, self.correlation)

    def to_json(self) -> dict[str, Json]:
        return {"schema_version": 1, **asdict(self)}

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> "Look":
        """Raises KeyError, TypeError or ValueError for anything that is no look."""
        fields = {name: found[name] for name in cls.__slots__}
        for name in ("users", "means", "interval"):
            fields[name] = None if fields[name] is None else tuple(fields[name])
        look = cls(**fields)
        for number in (look.se, look.boundary):
            if number is not None and not number > 0:
                raise ValueError(f"{number!r} is not above 0")
        for share in (look.passed, look.spent, look.correlation):
            if not 0 <= share <= 1:
                raise ValueError(f"{share!r} is not from 0 to 1")
        moment(look.until)
        return look


def last_tested(looks: Sequence[Look]) -> Look | None:
    """The last look so far that tested something."""
    return next((look for look in reversed(looks) if look.tested), None)


def _scored_p(plan: Plan, arms: tuple[Totals, Totals]) -> float:
    """Of the split of units that have a score.

    1 where a sample was scored, which may be larger of one version: weights make up for that. They cannot where each
    user weighs the same.
    """
    is_sample = max(arm.scored / arm.frame if arm.frame else 0.0 for arm in arms) < MOST_OF_A_SAMPLE
    if is_sample and plan.window is None:
        return 1.0
    return split_p(arms[0].scored_units, arms[1].scored_units, plan.base_share)


def read_tally(plan: Plan, tally: Tally, until: str, left_out: Mapping[str, int], before: Look | None) -> Reading:
    """The figures of all that was counted. `before` is the last look that tested; the tally was cut at its end."""
    arms = tally.arms()
    sums: SumsOfArms
    shared = None
    if plan.window is None:
        sums, waiting = tally.by_response(), 0
        shared = None if before is None else covariance_of(tally.by_response(before_cut=True), sums)
    else:
        sums, waiting = tally.by_user(plan.window, moment(until).timestamp())
    rails = [] if plan.measure == COST else [("cost in USD", tally.costs())]
    rails.append(("share of errors", tally.failures()))
    return Reading(
        until=until,
        arms=arms,
        split_p=split_p_by_week(tally.splits(), plan.base_share),
        scored_p=_scored_p(plan, arms),
        found=difference_of(*sums),
        shared=shared,
        waiting=waiting,
        evenness=tally.evenness(),
        guardrails=tuple(
            Guardrail(name, found, found.interval())
            for name, each in rails
            if (found := difference_of(*each)) is not None
        ),
        left_out=left_out,
    )
