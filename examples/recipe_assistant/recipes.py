"""Recipes as written down, and dishes: recipes prepared for one wish."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from examples.recipe_assistant.larder import Larder

OPTIONAL = "optional "
CHOICE = re.compile(r"\{([^{}]+)\}")
EXTRA = re.compile(r"\[([^|\[\]]+)\|([^\[\]]*)\]")
AMOUNT = re.compile(r"(\d+(?:\.\d+)?)(.*)")


@dataclass(frozen=True, slots=True)
class Part:
    """One place in the list of ingredients."""

    choices: tuple[str, ...]
    amount: str
    optional: bool


@dataclass(frozen=True, slots=True)
class Recipe:
    id: str
    title: str
    minutes: int
    servings: int
    parts: tuple[Part, ...]
    steps: tuple[str, ...]
    """{name} stands for the choice made in place of `name`; [name| text] is there only with the ingredient."""


@dataclass(frozen=True, slots=True)
class Dish:
    """A recipe with every choice made."""

    id: str
    title: str
    minutes: int
    servings: int
    amounts: Mapping[str, str]
    """Ingredient -> amount for the servings."""
    steps: tuple[str, ...]

    @property
    def ingredients(self) -> tuple[str, ...]:
        return tuple(self.amounts)


def read_recipes(document: Sequence[Mapping[str, Any]], larder: Larder) -> tuple[Recipe, ...]:
    """The recipes of the parsed data file. Raises ValueError for an ingredient that the larder does not know."""
    return tuple(_recipe(entry, larder) for entry in document)


def _recipe(entry: Mapping[str, Any], larder: Larder) -> Recipe:
    parts = []
    for key, amount in entry["ingredients"].items():
        choices = tuple(key.removeprefix(OPTIONAL).split(" / "))
        unknown = [name for name in choices if name not in larder.table]
        if unknown:
            raise ValueError(f"recipe {entry['id']!r} uses {unknown[0]!r}, which is not in the ingredient table")
        parts.append(Part(choices, str(amount), key.startswith(OPTIONAL)))
    return Recipe(entry["id"], entry["title"], entry["minutes"], entry["servings"], tuple(parts), tuple(entry["steps"]))


def prepare(
    recipe: Recipe, servings: int | None, allowed: Callable[[str], bool], closeness: Callable[[str], int]
) -> Dish | None:
    """The dish for so many servings, of what is allowed, or None when something it needs is not.

    Of several choices the one that is closest to what the user has is taken; an optional ingredient only when the user
    has it.
    """
    wanted = servings or recipe.servings
    amounts: dict[str, str] = {}
    chosen: dict[str, str] = {}
    for part in recipe.parts:
        choices = [name for name in part.choices if allowed(name) and name not in amounts]
        if part.optional:
            choices = [name for name in choices if closeness(name)]
        if not choices:
            if part.optional:
                continue
            return None
        name = max(choices, key=closeness)
        chosen[part.choices[0]] = name
        amounts[name] = scaled(part.amount, wanted / recipe.servings)
    title = _written(recipe.title, chosen)
    steps = tuple(_written(step, chosen) for step in recipe.steps)
    return Dish(recipe.id, title[0].upper() + title[1:], recipe.minutes, wanted, amounts, steps)


def _written(text: str, chosen: Mapping[str, str]) -> str:
    kept = EXTRA.sub(lambda found: found[2] if found[1] in chosen else "", text)
    return CHOICE.sub(lambda found: chosen[found[1]], kept)


def scaled(amount: str, factor: float) -> str:
    """An amount for more or fewer servings: "300 g" doubled is "600 g", "1 tin" halved is "0.5 tin"."""
    found = AMOUNT.fullmatch(amount)
    if not found:
        return amount
    value = float(found[1]) * factor
    rounded = 5 * round(value / 5) if value >= 20 else max(round(value * 2) / 2, 0.5)
    return f"{rounded:g}{found[2]}"
