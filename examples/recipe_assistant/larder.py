"""The ingredients that the assistant knows: what they contain, what they are called, what can stand for what."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from examples.recipe_assistant.understanding.text import words

LANGUAGES = ("es", "de", "fr", "it", "pt")


@dataclass(frozen=True, slots=True)
class Ingredient:
    name: str
    contains: frozenset[str]
    """The things that a diet may forbid: meat, pork, fish, shellfish, dairy, egg, gluten, nut, peanut, soy, ..."""
    kind_of: str | None
    pantry: bool
    """Taken for granted: never asked for, never missing."""


@dataclass(frozen=True, slots=True)
class Larder:
    """All ingredients, and every name under which one may be mentioned."""

    table: Mapping[str, Ingredient]
    names: Mapping[tuple[str, ...], str]
    """The words of a name -> the ingredient."""
    longest: int
    """Words in the longest name."""

    def match(self, tokens: Sequence[str], start: int) -> tuple[str, int] | None:
        """(ingredient, end) of the longest name that begins at `start`."""
        for length in range(min(self.longest, len(tokens) - start), 0, -1):
            name = self.names.get(tuple(tokens[start : start + length]))
            if name is not None:
                return name, start + length
        return None

    def kinds(self, name: str) -> Iterator[str]:
        """The ingredient and the wider ones that it is a kind of: cheddar cheese, cheese."""
        current: str | None = name
        while current is not None:
            yield current
            current = self.table[current].kind_of

    def closeness(self, had: str, used: str) -> int:
        """The fitness of what somebody has for what a recipe uses: 2 the same, 1 a wider or narrower name, 0 not."""
        if had == used:
            return 2
        return int(had in self.kinds(used) or used in self.kinds(had))

    def contains(self, names: Sequence[str]) -> frozenset[str]:
        """All that the named ingredients contain."""
        return frozenset().union(*(self.table[name].contains for name in names))


def read_larder(document: Mapping[str, Mapping[str, Any]]) -> Larder:
    """The larder from the parsed ingredient table.

    Raises ValueError for two ingredients under one name and for an unknown wider name.
    """
    table: dict[str, Ingredient] = {}
    names: dict[tuple[str, ...], str] = {}
    for name, entry in document.items():
        table[name] = Ingredient(
            name, frozenset(entry.get("contains", ())), entry.get("kind_of"), entry.get("pantry", False)
        )
        for called in _names(name, entry):
            if names.setdefault(called, name) != name:
                raise ValueError(f"{' '.join(called)!r} names both {names[called]!r} and {name!r}")
    for one in table.values():
        if one.kind_of is not None and one.kind_of not in table:
            raise ValueError(f"{one.name!r} is a kind of {one.kind_of!r}, which is not in the table")
    return Larder(table, names, max(map(len, names)))


def _names(name: str, entry: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for english in (name, *entry.get("also", ())):
        yield from _singular_and_plural(words(english))
    for fixed in (*entry.get("exact", ()), *(each for language in LANGUAGES for each in entry.get(language, ()))):
        yield words(fixed)


def _singular_and_plural(name: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The name as it is, and with its last word in the other number.

    A form that does not exist in English harms nobody.
    """
    *first, last = name
    forms = {last, f"{last}s"}
    if last.endswith(("s", "x", "ch", "sh", "o")):
        forms.add(f"{last}es")
    if last.endswith("y"):
        forms.add(f"{last[:-1]}ies")
    if last.endswith("ies"):
        forms.add(f"{last[:-3]}y")
    if last.endswith("oes"):
        forms.add(last[:-2])
    if last.endswith("s") and not last.endswith("ss"):
        forms.add(last[:-1])
    for form in forms:
        yield (*first, form)
