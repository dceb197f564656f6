"""Words, pairs of words and signs, each with a weight that was fitted to written examples.

What a text says adds up as log-odds: how likely it is one of the examples of one side and not of the other. A word
counts in any of its forms, and once however often it is said. The tables are written by `make fit-words`
(docs/decisions/0094), and nobody edits them by hand.
"""

import math
from collections.abc import Collection, ItemsView, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import chain, compress, islice, repeat
from operator import add
from typing import Annotated, NamedTuple, TypeAlias

from pydantic import Field

from evaluation.metrics.cues.contractions import VERBS
from evaluation.metrics.cues.cue import Span
from evaluation.metrics.utterance import Text
from evaluation.text.forms import Form, SourceText
from evaluation.text.function_words import FUNCTION_WORDS
from evaluation.text.remembered import RememberedWords
from evaluation.text.stems import stem_of

PAIR = "_"
"""Between the two words of a pair, in a table and as said."""
FEW = 24
"""Words and pairs of words below which a text holds little to go by: some sixteen words."""
NUMBER = "0"
"""Stands for every number."""
DENIED = "!"
"""Before a word or pair that is denied."""
REACH = 4
"""Words behind a denial that it denies, in its clause."""
DENIALS = frozenset(
    ("not", "never", "no", "nobody", "nothing", "nor", "neither", "without", "cannot", "can't", "avoid", "stop")
) | {f"{verb}n't" for verb in VERBS}
_CLAUSE_ENDS = frozenset(',.;:!?"()\u2013\u2014\u2026') | {"but", "and", "so", "because", "or"}


class _Counted(NamedTuple):
    """What a piece of a text is to these tables."""

    stem: str
    """Nothing for a mark."""
    opening: str
    """How a pair of words begins in which it is the first."""
    word: str
    """The stem where it counts by itself."""
    ends_clause: bool
    denies: bool


def _counted(piece: str) -> _Counted:
    ends, denies = piece in _CLAUSE_ENDS, piece in DENIALS
    first = piece[:1]
    if not first.isalnum():
        return _Counted("", "", "", ends, denies)
    stem = NUMBER if first.isdigit() else stem_of(piece)
    counts = first.isdigit() or piece not in FUNCTION_WORDS
    return _Counted(stem, stem + PAIR, stem if counts else "", ends, denies)


_COUNTED = RememberedWords(_counted)


Said: TypeAlias = tuple[str, int, int]
"""A word or a pair as it counts, with its first and its last piece."""


class WeightTable(Form):
    """A table as its file writes it: amounts, each with the words that have it."""

    base: float
    """Log-odds of a text that says nothing of the table."""
    enough: float = Field(gt=0, lt=1)
    """The probability from which on a text counts as one of that side."""
    words: dict[Annotated[float, Field(strict=False)], str]
    """Amount -> words and pairs of words with a blank between; a pair is written `a_b`."""
    signs: dict[str, float]
    """Name of a sign -> amount."""
    examples: str
    """Digest of the examples to which it was fitted."""


class Weights:
    """What saying each word, pair and sign adds to the log-odds."""

    def __init__(self, base: float, enough: float, words: Mapping[str, float], signs: Mapping[str, float]) -> None:
        self.base, self.enough = base, enough
        self.words, self.signs = words, signs

    def log_odds(self, words: Collection[str], signs: Collection[str]) -> float:
        """Of a text that says these, each once."""
        said = sum(map(self.words.get, words, repeat(0.0)))  # most words have no weight
        if signs:
            said += sum(map(self.signs.get, signs, repeat(0.0)))
        return self.base + said * damping(len(words) + len(signs))

    def probability(self, words: Collection[str], signs: Collection[str]) -> float:
        """How likely such a text is one of the side that the weights speak for, 0 to 1."""
        return 1 / (1 + math.exp(-max(self.log_odds(words, signs), -50.0)))


def damping(said: int) -> float:
    """What so many words, pairs and signs count each: the longer the text, the less, by the fourth root of them.

    A text of a few words counts as one of FEW, since it holds little to go by.
    """
    return 1 / math.sqrt(math.sqrt(max(said, FEW)))


def choose_heaviest(weighed: Iterable[tuple[float, int, int]], most: int) -> list[Span]:
    """Of what is said, each with its weight, the heaviest that share no place and weigh something, in order."""
    chosen: list[Span] = []
    for amount, first, last in sorted(weighed, key=lambda each: (-each[0], each[1:])):
        if amount <= 0 or len(chosen) == most:
            break
        if not any(start < last and first < end for start, end in chosen):
            chosen.append((first, last))
    return sorted(chosen)


def weigh_telling(
    weights: Mapping[str, float], said: Iterable[Said], pieces: Sequence[str]
) -> list[tuple[float, int, int]]:
    """What weighs for its side and holds a word that counts by itself: a pair of function words shows nothing."""
    return [
        (amount, first, last)
        for name, first, last in said
        if (amount := weights.get(name, 0.0)) > 0 and _shows(pieces, first, last)
    ]


def _shows(pieces: Sequence[str], first: int, last: int) -> bool:
    return bool(_COUNTED[pieces[first]].word or _COUNTED[pieces[last - 1]].word)  # between a pair stand marks alone


def telling_words(weights: Mapping[str, float], text: Text, most: int) -> list[Span]:
    """The words of a reply that speak loudest for the side of some weights, as places in its line."""
    pieces = text.pieces
    said = [(amount, *span) for name, span in meant_in(text).items() if (amount := weights.get(name, 0.0)) > 0]
    telling = [each for each in said if _shows(pieces, each[1], each[2])]
    return [
        (text.piece_place(first)[0], text.piece_place(last - 1)[1]) for first, last in choose_heaviest(telling, most)
    ]


def words_said(pieces: Iterable[str]) -> list[Said]:
    """Each word of a text in its stem, and each pair of words in a row.

    A function word counts in pairs alone: by itself it says who writes, and not what.
    """
    return _words(pieces, "")


def words_meant(pieces: Iterable[str]) -> list[Said]:
    """The same, where a word that is denied is another word: "don't call a doctor" says `!doctor`.

    Denied is what stands up to REACH words behind a denial in the same clause.
    """
    return _words(pieces, DENIED)


class Meant(Mapping[str, Span]):
    """The words and pairs of a reply, each with the pieces where it is said first, which are looked for when needed."""

    __slots__ = ("_pieces", "names")

    def __init__(self, pieces: Sequence[str]) -> None:
        self._pieces = pieces
        self.names: Collection[str] = _names(pieces)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, name: str) -> Span:
        return self._spans()[name]

    def items(self) -> ItemsView[str, Span]:
        """Each with its pieces."""
        return self._spans().items()

    def _spans(self) -> dict[str, Span]:
        return {name: (first, last) for name, first, last in reversed(words_meant(self._pieces))}


def meant_in(text: Text) -> Meant:
    """What a reply says; it is read once, whoever asks."""
    found: Meant | None = text.remembered.get(meant_in)
    if found is None:
        found = text.remembered[meant_in] = Meant(text.pieces)
    return found


def _names(pieces: Iterable[str]) -> Collection[str]:
    """The words and pairs that `words_meant` finds, each once; all at a time, which takes a fifth of the time."""
    counted = list(map(_COUNTED.__getitem__, pieces))
    if not counted:
        return ()
    stems, openings, words, ends, denies = zip(*counted, strict=True)
    said: Iterator[str] = filter(None, words)
    firsts: Iterator[str] = filter(None, openings)
    seconds = islice(filter(None, stems), 1, None)
    if True in denies:
        marks = _marks(ends, denies)
        said = map(add, compress(marks, words), said)
        firsts = map(add, islice(compress(marks, stems), 1, None), firsts)
    return dict.fromkeys(chain(said, map(add, firsts, seconds)))


def _marks(ends: Sequence[bool], denies: Sequence[bool]) -> list[str]:
    """DENIED for each piece that is, and nothing for the others."""
    marks = [""] * len(ends)
    for denial in compress(range(len(ends)), denies):
        for at in range(denial + 1, min(denial + 1 + REACH, len(ends))):
            if ends[at]:
                break
            marks[at] = DENIED
    return marks


def _words(pieces: Iterable[str], denied: str) -> list[Said]:
    """The words and pairs, with `denied` before each that is."""
    said: list[Said] = []
    before, place, left, end = "", 0, 0, 0
    for stem, opening, word, ends_clause, denies in map(_COUNTED.__getitem__, pieces):
        at, end = end, end + 1
        if left:
            left = 0 if ends_clause else left - 1
        if stem:
            mark = denied if left else ""
            if word:
                said.append((mark + word, at, end))
            if before:
                said.append((mark + before + stem, place, end))
            before, place = opening, at
        if denies:
            left = REACH + 1
    return said


def read_weights(text: str, place: str) -> Weights:
    """The table of a file. Raises ParseError for what is none."""
    table = SourceText(text, place).read(WeightTable, "'base:'")
    words = {word: amount for amount, written in table.words.items() for word in written.split()}
    return Weights(table.base, table.enough, words, table.signs)


@cache
def shipped_weights(name: str) -> Weights:
    """A shipped table by its name: `danger` and `wish` are of messages, the others of replies."""
    file = f"{name}_words.yaml"
    text = (files("evaluation.metrics.cues") / file).read_text(encoding="utf-8")
    return read_weights(text, f"evaluation/metrics/cues/{file}")
