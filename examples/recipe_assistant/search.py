"""Finds the dishes that suit a wish."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from examples.recipe_assistant.cookbook import Cookbook
from examples.recipe_assistant.diets import allows, forbidden
from examples.recipe_assistant.larder import Larder
from examples.recipe_assistant.recipes import Dish, Recipe, prepare
from examples.recipe_assistant.wishes import Wishes

MOST_OPTIONS = 3
MOST_MISSING = 5
ENOUGH = 2
"""Ingredients of the user that a dish uses, when the user has so many."""
PRICE_OF_MISSING = 0.4
"""The cost of one missing ingredient in the rank, in ingredients used."""


@dataclass(frozen=True, slots=True)
class Found:
    """A dish and how well it suits."""

    dish: Dish
    used: tuple[str, ...]
    """Ingredients of the user that it uses, those of the pantry left out."""
    missing: tuple[str, ...]
    """The ingredients that the user would have to buy."""
    rank: float


def options_for(wishes: Wishes, book: Cookbook) -> tuple[Found, ...]:
    """At most three dishes within the time, of what the user may eat, the best first."""
    fitting = [one for one in dishes(wishes, book) if wishes.minutes is None or one.dish.minutes <= wishes.minutes]
    return tuple(fitting_best(fitting, wishes, book.larder)[:MOST_OPTIONS])


def fitting_best(found: Sequence[Found], wishes: Wishes, larder: Larder) -> list[Found]:
    """Those that use enough of what the user has, or the few that use one thing when none uses more."""
    main = main_ingredients(wishes, larder)
    if not main:
        return list(found) if wishes.anything else []
    for enough in range(min(ENOUGH, len(main)), 0, -1):
        chosen = [one for one in found if len(one.used) >= enough]
        if chosen:
            return chosen
    return []


def main_ingredients(wishes: Wishes, larder: Larder) -> tuple[str, ...]:
    """The ingredients of the user that are not in every kitchen and may be used, if only as a kind of it that is
    allowed: pasta without gluten for who has pasta."""
    usable = {kind for name in larder.table if is_allowed(name, wishes, larder) for kind in larder.kinds(name)}
    return tuple(name for name in wishes.have if name in usable and not larder.table[name].pantry)


def is_allowed(name: str, wishes: Wishes, larder: Larder) -> bool:
    """True where an ingredient may be in a dish for this user."""
    excluded = wishes.without | wishes.allergies
    if any(kind in excluded for kind in larder.kinds(name)):
        return False
    return not larder.table[name].contains & forbidden(wishes.diets)


@dataclass(frozen=True, slots=True)
class _Kitchen:
    """The verdict of a wish on each ingredient, worked out once for all recipes."""

    main: tuple[str, ...]
    allowed: frozenset[str]
    allowed_without_dairy: frozenset[str]
    closeness: Mapping[str, int]
    """Ingredient -> how well what the user has serves for it."""


def dishes(wishes: Wishes, book: Cookbook) -> list[Found]:
    """Every dish that the user may eat, however long it takes and whatever it uses, the best first."""
    larder = book.larder
    allowed = frozenset(name for name in larder.table if is_allowed(name, wishes, larder))
    kitchen = _Kitchen(
        main_ingredients(wishes, larder),
        allowed,
        frozenset(name for name in allowed if "dairy" not in larder.table[name].contains),
        {name: max((larder.closeness(had, name) for had in wishes.have), default=0) for name in larder.table},
    )
    found = [one for recipe in book.recipes if (one := _found(recipe, wishes, kitchen, larder))]
    return sorted(found, key=lambda one: (-one.rank, one.dish.minutes, one.dish.id))


def _found(recipe: Recipe, wishes: Wishes, kitchen: _Kitchen, larder: Larder) -> Found | None:
    dish = _dish(recipe, wishes, kitchen, larder)
    if dish is None:
        return None
    used = tuple(had for had in kitchen.main if any(larder.closeness(had, name) for name in dish.ingredients))
    exact = sum(name in kitchen.main for name in dish.ingredients)
    missing = tuple(name for name in dish.ingredients if not larder.table[name].pantry and not kitchen.closeness[name])
    if len(missing) > MOST_MISSING and not wishes.anything:
        return None
    return Found(dish, used, missing, len(used) + 0.1 * exact - PRICE_OF_MISSING * len(missing))


def _dish(recipe: Recipe, wishes: Wishes, kitchen: _Kitchen, larder: Larder) -> Dish | None:
    """The recipe made of what the user may eat; where meat and dairy must not meet, a second time without dairy."""
    for allowed in (kitchen.allowed, kitchen.allowed_without_dairy):
        dish = prepare(recipe, wishes.servings, allowed.__contains__, kitchen.closeness.__getitem__)
        if dish is None or all(allows(diet, larder.contains(dish.ingredients)) for diet in wishes.diets):
            return dish
    return None
