"""What changed between two prompt versions: message by message, line by line, word by word, and in the config."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain, groupby, zip_longest
from typing import Literal, TypeAlias

from evaluation.prompts import PromptVersion
from evaluation.records import Json, Turn

LineKind: TypeAlias = Literal["same", "removed", "added"]

_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_PLAIN_WORD = re.compile(r"\w+")
MOST_LINES = 2_000
"""Lines of a message up to which lines are matched exactly; beyond, frequent lines are no landmarks."""
MOST_WORDS = 600
"""Words of two lines up to which they are held against each other word by word."""
MOST_PAIRS = 400
"""Pairs of lines up to which the most alike are looked for; beyond, a line is held against the one in its place."""
LEAST_ALIKE = 0.3
"""Share of two lines' words that is the same from which the rest is marked word by word; below, both stand whole."""
CONTEXT = 3
"""Unchanged lines that are shown on either side of a change."""
LEAST_AWAY = 2
"""Lines away from every change that are worth leaving out."""
SIGNS: Mapping[LineKind, str] = {"same": " ", "removed": "-", "added": "+"}
"""How a line begins in a unified diff."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a line; `changed` where the other version has other words there."""

    text: str
    changed: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the base (removed), of the candidate (added), or of both."""

    kind: LineKind
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class ChangedMessage:
    """One message of the templates, with all of its lines in order."""

    role: str
    lines: tuple[Line, ...]

    @property
    def is_changed(self) -> bool:
        """True where any line differs."""
        return any(line.kind != "same" for line in self.lines)

    def stretches(self) -> Iterator[tuple[bool, tuple[Line, ...]]]:
        """(unchanged, lines): stretches of lines that are alike in that, in order."""
        start = 0
        for end in range(1, len(self.lines) + 1):
            if end == len(self.lines) or (self.lines[end].kind == "same") != (self.lines[start].kind == "same"):
                yield self.lines[start].kind == "same", self.lines[start:end]
                start = end

    def parts(self) -> Iterator[tuple[bool, tuple[Line, ...]]]:
        """(away from every change, lines): a reader needs only the others, which hold `CONTEXT` around each change."""
        stretches = list(self.stretches())
        for place, (unchanged, lines) in enumerate(stretches):
            start = CONTEXT if place else 0
            end = len(lines) - (CONTEXT if place < len(stretches) - 1 else 0)
            if not unchanged or end - start < LEAST_AWAY:
                yield False, lines
                continue
            around = ((False, lines[:start]), (True, lines[start:end]), (False, lines[end:]))
            yield from (part for part in around if part[1])


@dataclass(frozen=True, slots=True)
class ChangedSetting:
    """A key of the configuration, dotted, with its values as JSON; None where a version lacks it."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class PromptChange:
    """Two prompt versions held against each other."""

    messages: tuple[ChangedMessage, ...]
    config: tuple[ChangedSetting, ...]

    def count(self, kind: LineKind) -> int:
        """Lines of this kind, over all messages."""
        return sum(line.kind == kind for message in self.messages for line in message.lines)

    @property
    def is_empty(self) -> bool:
        """True where both versions send the same."""
        return not self.config and not self.count("added") and not self.count("removed")

    def listing(self) -> Iterator[str]:
        """The changed messages as a unified diff reads, with what surrounds each change; every line is one string."""
        for message in self.messages:
            if message.is_changed:
                yield f"@@ {message.role} @@"
                for away, lines in message.parts():
                    if away:
                        yield f"@@ {len(lines)} unchanged lines @@"
                    else:
                        yield from (f"{SIGNS[line.kind]}{line.text}" for line in lines)

    def to_json(self) -> dict[str, Json]:
        """Counts, the listing, and the settings that differ."""
        return {
            "lines_added": self.count("added"),
            "lines_removed": self.count("removed"),
            "diff": list(self.listing()),
            "config": [{"name": each.name, "base": each.before, "candidate": each.after} for each in self.config],
        }


def find_change(before: PromptVersion, after: PromptVersion) -> PromptChange:
    """What the candidate's template and configuration say otherwise than the base's."""
    return PromptChange(
        tuple(_messages(before.messages, after.messages)), tuple(_settings(before.config, after.config))
    )


def _messages(before: Sequence[Turn], after: Sequence[Turn]) -> Iterator[ChangedMessage]:
    """Messages that stay find each other first; those between them are held against each other in their order."""
    codes = SequenceMatcher(None, list(map(_key, before)), list(map(_key, after)), autojunk=False).get_opcodes()
    for _, start, end, other_start, other_end in codes:
        yield from _replaced_messages(before[start:end], after[other_start:other_end])


def _key(message: Turn) -> tuple[str, str]:
    return message.role, message.content


def _replaced_messages(before: Sequence[Turn], after: Sequence[Turn]) -> Iterator[ChangedMessage]:
    """Message beside message; two of different roles are one removed and one added."""
    for one, other in zip_longest(before, after):
        if one is not None and other is not None and one.role == other.role:
            yield ChangedMessage(one.role, tuple(_lines(one.content.split("\n"), other.content.split("\n"))))
            continue
        if one is not None:
            yield ChangedMessage(one.role, tuple(_whole("removed", one.content.split("\n"))))
        if other is not None:
            yield ChangedMessage(other.role, tuple(_whole("added", other.content.split("\n"))))


def _lines(before: Sequence[str], after: Sequence[str]) -> Iterator[Line]:
    matcher = SequenceMatcher(None, before, after, autojunk=len(before) + len(after) > MOST_LINES)
    for kind, start, end, other_start, other_end in matcher.get_opcodes():
        if kind == "equal":
            yield from _whole("same", before[start:end])
        else:
            yield from _replaced(before[start:end], after[other_start:other_end])


def _replaced(before: Sequence[str], after: Sequence[str]) -> Iterator[Line]:
    """The lines removed, then those added; two that are alike are marked word by word."""
    removed, added = list(_whole("removed", before)), list(_whole("added", after))
    for place, other in _counterparts(before, after):
        one, two = _marked(before[place], after[other])
        removed[place], added[other] = Line("removed", one), Line("added", two)
    yield from removed
    yield from added


def _counterparts(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int]]:
    """(place, place) of lines that are alike, in the order of both."""
    near = len(before) * len(after) > MOST_PAIRS
    first = 0
    for place, line in enumerate(before):
        others = range(max(first, place), min(len(after), place + 1)) if near else range(first, len(after))
        alike, other = max(((_likeness(line, after[each]), -each) for each in others), default=(0.0, 0))
        if alike >= LEAST_ALIKE:
            yield place, -other
            first = 1 - other


def _likeness(before: str, after: str) -> float:
    """The share of two lines' words that is the same; 0 where there are too many, or none.

    Blanks and signs do not count: any two lines have those in common.
    """
    one, other = _PLAIN_WORD.findall(before), _PLAIN_WORD.findall(after)
    if not (one and other) or len(one) + len(other) > MOST_WORDS:
        return 0.0
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _marked(before: str, after: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Both lines in pieces."""
    one, other = _WORD.findall(before), _WORD.findall(after)
    codes = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    return (
        tuple(_pieces((kind, one[start:end]) for kind, start, end, _, _ in codes)),
        tuple(_pieces((kind, other[start:end]) for kind, _, _, start, end in codes)),
    )


def _pieces(stretches: Iterable[tuple[str, Sequence[str]]]) -> Iterator[Piece]:
    """One piece for neighbours that are both changed, or both not."""
    held = (stretch for stretch in stretches if stretch[1])
    for changed, group in groupby(held, key=lambda stretch: stretch[0] != "equal"):
        yield Piece("".join(word for _, words in group for word in words), changed)


def _whole(kind: LineKind, lines: Sequence[str]) -> Iterator[Line]:
    return (Line(kind, (Piece(line),)) for line in lines)


def _settings(before: Mapping[str, Json], after: Mapping[str, Json]) -> Iterator[ChangedSetting]:
    old, new = dict(settings_of(before)), dict(settings_of(after))
    for name in dict.fromkeys(chain(old, new)):
        if old.get(name) != new.get(name):
            yield ChangedSetting(name, old.get(name), new.get(name))


def settings_of(config: Mapping[str, Json], above: str = "") -> Iterator[tuple[str, str]]:
    """(dotted name, value as JSON) of everything that is no mapping; an empty mapping is a value."""
    for key, value in config.items():
        name = f"{above}{key}"
        if isinstance(value, Mapping) and value:
            yield from settings_of(value, f"{name}.")
        else:
            yield name, json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
