"""Sayings by their parts: a saying is made where one sentence holds a phrase of each of several classes.

The order of the parts and the words between them do not matter, so that wordings are seen for which nobody wrote a row.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple, TypeAlias

from pydantic import Field

from evaluation.metrics.cues.cue import Phrases, RuleSettings, Span
from evaluation.metrics.utterance import Text, fold_phrase, tokens_of
from evaluation.text.function_words import telling
from evaluation.text.remembered import Remembered

SHORT = 5
"""Words of a sentence that may belong to the one before it: "You'll win. Mark my words.\""""
Key: TypeAlias = str | tuple[str, str]
MOST_SENTENCES = 200
"""Sentences of a text that are looked at."""
_SENTENCE = re.compile(r"[^.!?;\u2026]+[.!?;\u2026]*")


class SayingSettings(RuleSettings):
    """The classes of which a sentence must hold a phrase each, and those of which it must hold none."""

    of: Phrases = Field(min_length=1)
    unless: Phrases = ()
    asked: bool = False
    """Whether a question says it too."""


class _Saying(NamedTuple):
    of: tuple[int, ...]
    """One bit for each of its classes."""
    needed: int
    """All of these bits."""
    unless: int
    asked: bool


class _Part(NamedTuple):
    """A phrase in a line, with the bits of the classes that hold it."""

    start: int
    end: int
    classes: int


class Sayings:
    """A list of sayings. Raises ValueError for one that names an unknown class, and for a phrase without a word."""

    def __init__(self, sayings: Sequence[SayingSettings], parts: Mapping[str, Sequence[str]]) -> None:
        for name in (name for saying in sayings for name in (*saying.of, *saying.unless)):
            if name not in parts:
                raise ValueError(f"names the class {name!r}, which is not among {', '.join(sorted(parts))}")
        for phrase in chain.from_iterable(parts.values()):
            if not any(map(str.isalnum, phrase)):
                raise ValueError(f"phrase {fold_phrase(phrase)!r} has no letter or digit")
        self._parts_given = parts
        self._bits = bits = {name: 1 << place for place, name in enumerate(parts)}
        self._sayings = [
            _Saying(
                tuple(bits[name] for name in saying.of),
                _all(bits[name] for name in saying.of),
                _all(bits[name] for name in saying.unless),
                saying.asked,
            )
            for saying in sayings
        ]
        self._possible = Remembered(self._sayings_of)

    @cached_property
    def _filed(self) -> Mapping[Key, Sequence[tuple[str, int]]]:
        """The phrases by their keys, filed when a text is first looked at: rubrics are read more often than used."""
        return _filed(self._parts_given, self._bits)

    @cached_property
    def _classes(self) -> Mapping[Key, int]:
        """Key -> the bits of the classes of its phrases."""
        return {key: _all([classes for _, classes in filed]) for key, filed in self._filed.items()}

    @cached_property
    def _keys(self) -> frozenset[Key]:
        return frozenset(self._classes)

    def spans(self, text: Text) -> Iterator[Span]:
        """From the first part of each saying to its last one, sentence by sentence."""
        tokens = text.tokens_in_order
        keys = self._keys.intersection(chain(tokens, pairwise(tokens)))
        # Most texts hold no phrase of one of the classes that a saying needs, and these words say so at once.
        said = 0
        for key in keys:
            said |= self._classes[key]
        if not self._possible[said]:
            return
        parts = self._parts(text.line, keys)
        possible = self._possible[_all([part.classes for part in parts])]
        for start, end in _sentences(text.line)[:MOST_SENTENCES] if possible else ():
            within = [part for part in parts if start <= part.start < end]
            held = _all([part.classes for part in within])
            asks = "?" in text.line[start:end]
            for saying in possible:
                if saying.needed & held == saying.needed and not saying.unless & held and (saying.asked or not asks):
                    firsts = [next(part for part in within if part.classes & each) for each in saying.of]
                    yield min(part.start for part in firsts), max(part.end for part in firsts)

    def _sayings_of(self, said: int) -> list[_Saying]:
        """The sayings of which phrases of all classes may be there."""
        return [saying for saying in self._sayings if saying.needed & said == saying.needed]

    def _parts(self, line: str, keys: Iterable[Key]) -> list[_Part]:
        """The phrases filed under these keys that the line holds, in order."""
        found = [
            _Part(start, start + len(phrase), classes)
            for key in keys
            for phrase, classes in self._filed[key]
            if phrase in line
            for start in _places(line, phrase)
        ]
        return sorted(found)


def _all(bits: Iterable[int]) -> int:
    total = 0
    for each in bits:
        total |= each
    return total


def _filed(parts: Mapping[str, Sequence[str]], bits: Mapping[str, int]) -> dict[Key, list[tuple[str, int]]]:
    """A token, or two that follow one another -> the phrases that hold them, each with the bits of its classes."""
    classes: dict[str, int] = {}
    for name, phrases in parts.items():
        for phrase in map(fold_phrase, phrases):
            classes[phrase] = classes.get(phrase, 0) | bits[name]
    filed: dict[Key, list[tuple[str, int]]] = {}
    for phrase, held in classes.items():
        tokens = tokens_of(phrase)
        key = max(pairwise(tokens), key=lambda pair: max(map(telling, pair)), default=tokens[0])
        filed.setdefault(key, []).append((phrase, held))
    return filed


def _places(line: str, phrase: str) -> Iterator[int]:
    """Where a phrase stands as whole words."""
    start = line.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        if not (line[max(0, start - 1) : start].isalnum() or line[end : end + 1].isalnum()):
            yield start
        start = line.find(phrase, end)


def _sentences(line: str) -> list[Span]:
    """The sentences of a line, and each short one with the one before it unless it is a question."""
    spans = [match.span() for match in _SENTENCE.finditer(line)]
    joined = [
        (start, end)
        for (start, _), (short, end) in pairwise(spans)
        if len(line[short:end].split()) <= SHORT and "?" not in line[short:end]
    ]
    return sorted(spans + joined)
