"""The demands of a case on the recipes, and the answers that state them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from evaluation.records import Json, Turn

Overlap: TypeAlias = Literal["each", "any"]


@dataclass(frozen=True, slots=True)
class Constraints:
    """Demands on recipes. Empty or None: nothing was said of it."""

    available: tuple[str, ...] = ()
    """Ingredients that the user has."""
    min_overlap: int = 2
    """The number of these that a recipe must use; never more than there are."""
    overlap: Overlap = "each"
    """each: every option must; any: one must."""
    time_budget_minutes: int | float | None = None
    servings: int | float | None = None
    diet: tuple[str, ...] = ()
    """Names of the word lists' diets: vegetarian, gluten-free, halal, ..."""
    allergies: tuple[str, ...] = ()
    """Names of the word lists' allergens: peanut, sesame, ..."""
    forbidden: tuple[str, ...] = ()
    """Ingredients that may not be used, for whatever reason."""

    def with_more(self, said: Mapping[str, Json]) -> "Constraints":
        """With what a later message states: a single value replaces, a list is added to."""
        return replace(self, **{name: _joined(getattr(self, name), value) for name, value in said.items()})


@dataclass(frozen=True, slots=True)
class UserAnswer:
    """The user's words when the application asks."""

    say: str
    to: tuple[str, ...] = ()
    """Words of the question that it answers; empty for an answer that fits any question, given in order."""
    states: Mapping[str, Json] = field(default_factory=dict)
    """Constraints that hold once it has been said."""


def _joined(before: Json, said: Json) -> Json:
    if not isinstance(said, list | tuple):
        return said
    return (*before, *(entry for entry in said if entry not in before))


def stated(constraints: Constraints, answers: Iterable[UserAnswer], messages: Iterable[Turn]) -> Constraints:
    """The constraints that the application could know of: the case's own, and those of the answers that were given."""
    said = {turn.content for turn in messages if turn.role == "user"}
    for answer in answers:
        if answer.say in said:
            constraints = constraints.with_more(answer.states)
    return constraints
