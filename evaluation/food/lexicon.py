"""What the project knows of food: foods with what they hold, diets, allergies, and the small words around them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from evaluation.food.tokens import singulars, words

Tags: TypeAlias = frozenset[str]
Role: TypeAlias = Literal[
    "food",
    "modifier",
    "following",
    "negator",
    "omission",
    "free",
    "likened",
    "example",
    "shape",
    "flavour",
    "substitute",
    "separator",
    "alternative",
    "plain",
]
"""food: a food. modifier, following: it takes tags from the foods after it, or before it. negator, omission: what
follows is not there, at once or after some words. free, shape, flavour, substitute: said of the food before. likened:
the food that follows is only compared with. example: so it is, or it is an example of what is there. separator: another
ingredient begins. alternative: so it does, and what a negator reaches goes on. plain: says nothing of what the food
is."""

EQUIPMENT = "equipment"
"""What the tables list to keep its words from being read as food: a loaf tin, a wok."""
SHORTEST_PART = 4
"""Letters of a food's name from which it is looked for in a longer word."""


SHORTEST_STEM = 6
"""Letters of a plain word from which it is known with another ending."""
_ENDING = re.compile("(?:os|as|es|er|en|em|e|o|a|i|s)$")


@dataclass(frozen=True, slots=True)
class Food:
    """One food: the wider foods that it is, nearest first, with the tags of them all."""

    kinds: tuple[str, ...]
    tags: Tags
    """What it holds as it is usually sold or made."""
    may: Tags = frozenset()
    """What it often holds, so that nobody can tell from its name."""


@dataclass(frozen=True, slots=True)
class Diet:
    """Tags that a recipe may not hold, and tags that it may not hold together."""

    name: str
    forbids: Tags
    not_together: tuple[Tags, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """The meaning of a phrase of the lists."""

    role: Role
    food: str = ""
    removes: Tags = frozenset()
    may: tuple[tuple[str, Tags], ...] = ()
    """(a tag that was taken, what the thing may hold in its place)."""


PLAIN = Entry("plain")


@dataclass(frozen=True)
class Lexicon:
    """The tables, ready to be looked things up in."""

    foods: Mapping[str, Food]
    diets: Mapping[tuple[str, ...], Diet]
    """By the words of each of their names."""
    allergens: Mapping[tuple[str, ...], Tags]
    phrases: Mapping[tuple[str, ...], Entry]
    """All phrases by their words."""
    lengths: Mapping[str, tuple[int, ...]]
    """First word -> the numbers of words of the phrases that begin with it, the largest first."""
    headings: frozenset[str]
    """First words of a line that is a heading: "for the sauce"."""
    dish_parts: frozenset[str]
    """What such a line may name."""
    between: frozenset[str]
    """Words that may stand between a negator, or a comparison, and the food that it means."""
    purposes: frozenset[str]
    """Words after which a modifier says for whom, or for what, something is: "for vegans"."""
    conditions: frozenset[str]
    """Words after which, up to the next mark, modifiers hold for some or at times: "if you eat vegan"."""
    not_in_steps: frozenset[str]
    tags: Tags
    """Of all foods."""

    def longest_phrase(self, sequence: Sequence[str], start: int) -> tuple[int, Entry] | None:
        """The longest phrase that begins at a position, as (words, entry)."""
        for length in self.lengths.get(sequence[start], ()):
            entry = self.phrases.get(tuple(sequence[start : start + length]))
            if entry is not None:
                return length, entry
        return None

    def is_plain(self, word: str) -> bool:
        """True for a plain word with another ending: "gehackter", "picadas", "tritati"."""
        return stem(word) in self._plain_stems

    def says_nothing(self, word: str) -> bool:
        """True for a plain word, whatever its ending: it does not say what a food is."""
        return self.role_of(word) == "plain" or self.is_plain(word)

    @cached_property
    def _plain_stems(self) -> frozenset[str]:
        long = (name[0] for name, entry in self.phrases.items() if entry.role == "plain" and len(name) == 1)
        return frozenset(stem(word) for word in long if len(word) >= SHORTEST_STEM) - {""}

    @cached_property
    def single_words(self) -> Mapping[str, str]:
        """Names of foods that are one word, long enough to be looked for in longer words -> food."""
        return {
            name[0]: entry.food
            for name, entry in self.phrases.items()
            if entry.role == "food" and len(name) == 1 and len(name[0]) >= SHORTEST_PART and name[0].isalpha()
        }

    def share_a_kind(self, one: str, other: str) -> bool:
        """True where both are kinds of the same food: ham and rind of pork."""
        return not {one, *self.foods[one].kinds}.isdisjoint({other, *self.foods[other].kinds})

    def is_kind_of(self, food: str, wider: str) -> bool:
        return food == wider or wider in self.foods[food].kinds

    def are_related(self, one: str, other: str) -> bool:
        """True where one is the other, or a kind of it: cheddar and cheese, and not cheddar and feta."""
        return self.is_kind_of(one, other) or self.is_kind_of(other, one)

    def diet(self, name: str) -> Diet | None:
        return self.diets.get(words(name))

    @property
    def allergy_names(self) -> tuple[str, ...]:
        """The names of allergies, and of the foods that stand for one."""
        return tuple(dict.fromkeys((*map(" ".join, self.allergens), *self.foods)))

    def group(self, name: str) -> Tags | None:
        """The tags of a group of foods, and of all that is made of them; None for a name of no group.

        A group is a tag by its own name, in every language: dairy, pork, peanut, "Erdnüsse".
        """
        food = self.food_called(name)
        sought = {*singulars(" ".join(words(name))), *((food,) if food else ())}
        return frozenset(sought & self.tags) or None

    def allergen(self, name: str) -> Tags | None:
        """The tags that an allergy forbids; None for one that is not listed, and stands for a food if for anything."""
        listed = self.allergens.get(words(name))
        return listed or self.group(name) or self.allergens.get(words(self.food_called(name)))

    def role_of(self, word: str) -> Role | None:
        """That of a single word; None for one that no table lists."""
        entry = self.phrases.get((word,))
        return None if entry is None else entry.role

    def food_called(self, name: str) -> str:
        """The food that a name is, all of it; empty where it is none."""
        entry = self.phrases.get(words(name))
        return "" if entry is None else entry.food


def stem(word: str) -> str:
    """A word of four letters or more without the ending that its number and gender give it; empty for a shorter one."""
    found = _ENDING.sub("", word)
    return found if len(found) >= SHORTEST_PART else ""
