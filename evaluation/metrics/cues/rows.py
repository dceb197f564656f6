"""Rows of words that a text may say.

In a row `a|b` stands for either, where `a_c` is two words; a word with `?` may be absent; `...` lets up to three words
lie between that say no contrary; `^` and `$` stand for the start and the end of a clause; `<name>` stands for each word
or phrase of the class of that name. A hyphen is a blank. A contraction is also found written out, and without its
apostrophe. A comma parts two words of a row unless `...` stands between them; the end of a sentence always does.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from types import MappingProxyType
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, Field, ValidationInfo

from evaluation.metrics.cues.coding import words_of
from evaluation.metrics.cues.cue import Detect, Findings, Phrase, Phrases, Span
from evaluation.metrics.cues.guards import Guards, GuardSettings, SpeechSettings
from evaluation.metrics.cues.row_index import Reading, RowIndex, WordClasses
from evaluation.metrics.cues.steps import MARKS
from evaluation.metrics.utterance import Text, Utterance
from evaluation.text.remembered import KEPT

REPLIES, MESSAGES = RowIndex(), RowIndex()
"""All rows that responses, and all that messages of users are looked at for."""
NO_CLASSES: Mapping[str, Sequence[str]] = MappingProxyType({})


def check_row(row: str, classes: Mapping[str, Sequence[str]]) -> None:
    """Raises ValueError for a row with an empty choice, an unknown class, or no word that must occur."""
    for name in _classes_in(row):
        if name not in classes:
            raise ValueError(f"row {row!r} names the class <{name}>, which is not among {', '.join(classes)}")


@lru_cache(maxsize=KEPT)
def _classes_in(row: str) -> tuple[str, ...]:
    """The classes that a row names. Settings that several cues share are checked with each of them."""
    if row.replace(" ", "").isalnum():  # most rows are words alone, and say so at once
        return ()
    words = [word for word in row.split() if word not in MARKS]
    named = []
    for choice in chain.from_iterable([word.removesuffix("?").split("|") for word in words]):
        if choice[:1] == "<" and choice[-1] == ">":
            named.append(choice[1:-1])
        elif not (choice.isalnum() or any(map(str.isalnum, choice))):
            raise ValueError(f"row {row!r} has an empty choice; write words as a|b")
    if all(word[-1] == "?" for word in words):
        raise ValueError(f"row {row!r} has no word that must occur")
    return tuple(named)


def _row_reads(row: str, info: ValidationInfo) -> str:
    """Names a wrong row at its own place in the rubric."""
    if _classes_in(row):
        check_row(row, info.data.get("classes", NO_CLASSES))
    return row


Rows: TypeAlias = Annotated[tuple[Annotated[Phrase, AfterValidator(_row_reads)], ...], Field(strict=False)]
"""A list of rows of words. The setting `classes`, where there is one, stands before it."""


class RowSettings(SpeechSettings):
    """Classes of words for rows, and what takes a match of a row back."""

    classes: dict[str, Phrases] = Field(default_factory=dict)
    """Name -> words and phrases, for <name> in a row."""
    leads: Phrases = ()
    """Words with which a sentence may begin before a row that counts at its start only."""


class PatternSettings(GuardSettings):
    """Rows of words, the classes that they name, and what around a match takes it back."""

    classes: dict[str, Phrases] = Field(default_factory=dict)
    patterns: Rows = ()


class RowList:
    """A list of rows, looked for together with all others of its index. Raises ValueError as `check_row` does."""

    def __init__(self, rows: Sequence[str], classes: WordClasses, guards: Guards | None = None) -> None:
        self.index = classes.index
        self._guards = guards
        if not classes.given.keys() >= set(chain.from_iterable(map(_classes_in, rows))):
            for row in rows:
                check_row(row, classes.given)
        self.index.learn(rows)
        self.index.add(self, rows, classes)

    def spans(self, reading: Reading) -> list[Span]:
        """The places, in pieces and in order, that nothing around them takes back."""
        found = reading.found.get(self)
        return [] if found is None else self._meant(reading, found)

    def _meant(self, reading: Reading, spans: list[Span]) -> list[Span]:
        if self._guards is None:
            return spans
        take_back = self._guards.take_back
        return [span for span in spans if not take_back(reading, *span)]

    def places(self, text: Text) -> list[Span]:
        """The same as places in the text's line; of those that begin together the longest goes first."""
        reading = self.index.read(text)
        if self not in reading.found:
            return []
        places = [reading.place(span) for span in self.spans(reading)]
        if len(places) > 1:
            places.sort(key=lambda place: (place[0], -place[1]))
        return places


class Openings(RowList):
    """Rows that count at the start of a sentence only: behind nothing but leads and commas."""

    def __init__(self, rows: Sequence[str], classes: WordClasses, guards: Guards, leads: Sequence[str]) -> None:
        super().__init__(rows, classes, guards)
        self.index.learn(leads)
        self._leads = leads

    @cached_property
    def _before(self) -> frozenset[str]:
        return frozenset(self.index.codes(word for lead in self._leads for word in words_of(lead)) + ',"')

    def spans(self, reading: Reading) -> list[Span]:
        """The places at the start of a sentence that nothing around them takes back."""
        found = reading.found.get(self)
        if found is None:
            return []
        # Most stand elsewhere in their sentence, which is seen sooner than what takes one back.
        return self._meant(reading, [span for span in found if self._before.issuperset(reading.before(span[0]))])


class RowCue:
    """A cue that is absent where the reply says no row of some lists: then nobody need ask it."""

    __slots__ = ("_detect", "lists")

    def __init__(self, lists: Iterable[RowList], detect: Detect) -> None:
        self.lists: frozenset[object] = frozenset(lists)
        self._detect = detect

    def __call__(self, utterance: Utterance) -> Findings:
        """What it finds."""
        return () if self.lists.isdisjoint(REPLIES.read(utterance.response).found) else self._detect(utterance)
