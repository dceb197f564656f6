"""Each diet and what it forbids, in terms of what ingredients contain."""

from collections.abc import Iterable

NO_ANIMAL = frozenset({"meat", "fish", "shellfish", "rennet", "gelatine"})

FORBIDS = {
    "vegetarian": NO_ANIMAL,
    "vegan": NO_ANIMAL | {"dairy", "egg", "honey"},
    "pescatarian": frozenset({"meat", "gelatine"}),
    "gluten-free": frozenset({"gluten"}),
    "dairy-free": frozenset({"dairy"}),
    "egg-free": frozenset({"egg"}),
    "nut-free": frozenset({"nut", "peanut"}),
    "peanut-free": frozenset({"peanut"}),
    "soy-free": frozenset({"soy"}),
    "sesame-free": frozenset({"sesame"}),
    "fish-free": frozenset({"fish"}),
    "mustard-free": frozenset({"mustard"}),
    "shellfish-free": frozenset({"shellfish"}),
    "meat-free": frozenset({"meat"}),
    "pork-free": frozenset({"pork"}),
    "alcohol-free": frozenset({"alcohol"}),
    "halal": frozenset({"pork", "alcohol", "gelatine"}),
    "kosher": frozenset({"pork", "shellfish", "gelatine"}),
}
"""Diet -> what it forbids. Nobody can see from a recipe how an animal was slaughtered: halal and kosher are basics."""


def forbidden(diets: Iterable[str]) -> frozenset[str]:
    """All that the diets forbid of a single ingredient."""
    return frozenset().union(*(FORBIDS[diet] for diet in diets))


def allows(diet: str, contains: frozenset[str]) -> bool:
    """True where a dish that contains all this keeps to the diet; kosher also keeps meat and dairy apart."""
    if diet == "kosher" and {"meat", "dairy"} <= contains:
        return False
    return not FORBIDS[diet] & contains


def diets_of(contains: frozenset[str]) -> tuple[str, ...]:
    """The diets that a dish with these contents keeps to."""
    return tuple(diet for diet in FORBIDS if allows(diet, contains))
