"""Swaps of words that should change no score: spellings, contractions, paraphrases, names, pronouns, dialects."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pydantic import Field

from evaluation.mutations.base import Base, Text
from evaluation.mutations.changes import plain_reply
from evaluation.records import Turn
from evaluation.text.forms import Form, SourceText

Whose: TypeAlias = Literal["reply", "user", "both"]


class SwapGroup(Form):
    """Swaps of one kind, and whose words they change."""

    group: Text
    whose: Whose = Field(alias="in")
    swaps: dict[Text, str] = Field(min_length=1)

    def pattern(self) -> re.Pattern[str]:
        """Finds each word or phrase that is swapped, the longest first, at word boundaries."""
        return re.compile("|".join(map(_bounded, sorted(self.swaps, key=len, reverse=True))), re.IGNORECASE)

    def swap(self, text: str) -> str:
        """The text with every word or phrase swapped."""
        table = {word.lower(): other for word, other in self.swaps.items()}

        def other(found: re.Match[str]) -> str:
            words = table[found[0].lower()]
            return words[:1].upper() + words[1:] if found[0][:1].isupper() else words

        return self.pattern().sub(other, text)


def _bounded(words: str) -> str:
    """A pattern for the words; an end that is a letter ends a word, and a name ends before "'s" too."""
    before = r"(?<!\w)" if words[:1].isalnum() else ""
    after = r"(?![\w'])" if words[-1:].isalnum() else ""
    if after and words[0].isupper():
        after = r"(?!\w|'(?!s\b))"
    return f"{before}{re.escape(words)}{after}"


class Swaps(Form):
    """What must stay still, and what must be fair."""

    still: tuple[SwapGroup, ...] = Field(strict=False, min_length=1)
    fair: tuple[SwapGroup, ...] = Field(strict=False, min_length=1)


@dataclass(frozen=True, slots=True)
class Spoken:
    """An exchange as it is scored."""

    user: str
    reply: str
    context: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Swapped:
    """A base before and after the swaps of a group."""

    group: str
    base: Base
    before: Spoken
    after: Spoken


def parse_swaps(text: str, place: str) -> Swaps:
    """The groups of a file. Raises ParseError for whatever is no such file."""
    return SourceText(text, place).read(Swaps, "still: and fair:")


def make_swaps(groups: Sequence[SwapGroup], bases: Sequence[Base]) -> Iterator[Swapped]:
    """Every group on every base in which it changes something."""
    for group in groups:
        for base in bases:
            before = Spoken(base.user, plain_reply(base), base.turns())
            after = Spoken(
                before.user if group.whose == "reply" else group.swap(before.user),
                before.reply if group.whose == "user" else group.swap(before.reply),
                tuple(
                    turn if not _changes(group.whose, turn) else Turn(turn.role, group.swap(turn.content))
                    for turn in before.context
                ),
            )
            if after != before:
                yield Swapped(group.group, base, before, after)


def _changes(whose: Whose, turn: Turn) -> bool:
    return whose == "both" or (whose == "user" and turn.role == "user")
