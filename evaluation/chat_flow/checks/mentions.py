"""Finds the foods that a text names, and the tags that it takes back: "flour (gluten-free)", "pasta without egg"."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from evaluation.chat_flow.checks.lexicon import Entry, Lexicon, Tags
from evaluation.chat_flow.checks.tokens import BREAKS, PAUSES, tokens


@dataclass(frozen=True, slots=True)
class Mention:
    """One food in a text."""

    food: str
    phrase: str
    """The words that name it, caseless and without accents."""
    tags: Tags
    """The tags that it brings into the dish, after those that the text takes back."""


@dataclass(slots=True)
class _Part:
    """A stretch without comma, bracket or separator."""

    foods: list[tuple[str, str]] = field(default_factory=list)
    """(food, phrase)"""
    named_last: bool = False
    """True where the last word read belongs to a food."""
    removed: set[str] = field(default_factory=set)
    negated: bool = False

    @property
    def says_something(self) -> bool:
        return bool(self.foods or self.removed or self.negated)


def mentions(text: str, lexicon: Lexicon) -> tuple[Mention, ...]:
    """The foods that the text says are there, in order. Linear in the length of the text.

    The longest phrase wins. A modifier reaches the foods of its part; in a part of its own, as in brackets or after a
    comma, those of the whole stretch up to the next separator. What follows a negator is left out.
    """
    found: list[Mention] = []
    for parts in _stretches(text, lexicon):
        everywhere: set[str] = set()
        for part in parts:
            if not part.foods:
                everywhere |= part.removed
        for part in parts:
            gone = part.removed | everywhere
            for food, phrase in part.foods:
                tags = lexicon.foods[food].tags
                found.append(Mention(food, phrase, tags - gone if gone else tags))
    return tuple(found)


def _stretches(text: str, lexicon: Lexicon) -> Iterator[list[_Part]]:
    """The parts between separators."""
    sequence = tokens(text)
    parts = [_Part()]
    at = 0
    while at < len(sequence):
        token = sequence[at]
        phrase = None if token in PAUSES or token in BREAKS else lexicon.longest_phrase(sequence, at)
        if token in BREAKS or (phrase is not None and phrase[1].role == "separator"):
            yield parts
            parts = [_Part()]
        elif token in PAUSES:
            if parts[-1].says_something:
                parts.append(_Part())
        elif phrase is None:
            parts[-1].named_last = False
        else:
            _take(parts[-1], phrase[1], " ".join(sequence[at : at + phrase[0]]))
        at += 1 if phrase is None else phrase[0]
    yield parts


def _take(part: _Part, entry: Entry, phrase: str) -> None:
    if entry.role == "comparison" and part.named_last:
        part.foods.pop()
    part.named_last = entry.role == "food" and not part.negated
    if part.named_last:
        part.foods.append((entry.food, phrase))
    elif entry.role == "modifier":
        part.removed |= entry.removes
    elif entry.role == "negator":
        part.negated = True
