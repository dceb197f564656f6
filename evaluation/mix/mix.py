"""A mix: how often users say what a set of scenarios holds, by category and by situation."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class SituationShare:
    """How often one situation is met."""

    share: float
    """Of all responses; at least 0."""
    responses: int | None = None
    """Responses that showed it; None where somebody said the share without counting."""


@dataclass(frozen=True, slots=True)
class CategoryShare:
    """How often what users say belongs to a category, as far as a scenario is like it."""

    share: float
    """Of all responses; at least 0."""
    ci95: Interval | None = None
    responses: int | None = None
    situations: Mapping[str, SituationShare] = field(default_factory=dict)
    """Situation -> how often; those that no response was like are not there."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a mix comes from; all of it may be unknown of one that somebody wrote."""

    sample: str = ""
    """Id of the sample of production."""
    what: str = ""
    """In words, of which prompt and environment."""
    since: str = ""
    until: str = ""
    written: str = ""
    """When it was worked out; ISO 8601, UTC."""


UNKNOWN = Origin()


@dataclass(frozen=True, slots=True)
class Mix:
    """Shares of what users say. They are taken relative to one another, and need not add up to 1."""

    suite: str
    """Whose scenarios the situations are of."""
    categories: Mapping[str, CategoryShare]
    uncovered: float = 0.0
    """Share of responses to something that is like no scenario: nobody knows how good they are from a run."""
    uncovered_ci95: Interval | None = None
    responses: int | None = None
    """That were looked at."""
    users: int | None = None
    independent: float | None = None
    """As many responses of users who never return, all drawn alike, say as much of the shares; None: taken as exact."""
    origin: Origin = UNKNOWN

    @property
    def covered(self) -> float:
        """The share of all categories together, in the unit of the shares."""
        return sum(category.share for category in self.categories.values())

    @property
    def uncovered_share(self) -> float:
        """Of everything that users say; from 0 to 1."""
        whole = self.covered + self.uncovered
        return self.uncovered / whole if whole else 0.0
