"""Words, pairs of words and signs, each with a weight that was fitted to written examples.

What a text says adds up as log-odds: how likely it is one of the examples of one side and not of the other. A word
counts in any of its forms, and once however often it is said. The tables are written by `make fit-words`
(docs/decisions/0094), and nobody edits them by hand.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import repeat
from typing import Annotated, NamedTuple, TypeAlias

from pydantic import Field

from evaluation.metrics.cues.contractions import VERBS
from evaluation.metrics.cues.cue import Findings, Span
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
SHOWN = 3
"""Words that are named as evidence of what is read from all words of a text."""
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
    counts: bool
    """Whether it counts by itself."""
    ends_clause: bool
    denies: bool


def _counted(piece: str) -> _Counted:
    ends, denies = piece in _CLAUSE_ENDS, piece in DENIALS
    first = piece[:1]
    if not first.isalnum():
        return _Counted("", "", False, ends, denies)
    stem = NUMBER if first.isdigit() else stem_of(piece)
    return _Counted(stem, stem + PAIR, first.isdigit() or piece not in FUNCTION_WORDS, ends, denies)


_COUNTED = RememberedWords(_counted)


Said: TypeAlias = tuple[str, int, int]
"""A word or a pair as it counts, with its first and its last piece."""


class WeightTable(Form):
    """A table as its file writes it: amounts, each with the words that have it."""

    base: float
    """Log-odds of a text that says nothing of the table."""
    longer: float
    """What each FEW words, pairs and signs beyond the first FEW add, so that a long text is not found by chance."""
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

    def __init__(
        self, base: float, longer: float, enough: float, words: Mapping[str, float], signs: Mapping[str, float]
    ) -> None:
        self.base, self.longer, self.enough = base, longer, enough
        self.words, self.signs = words, signs

    def log_odds(self, words: Collection[str], signs: Collection[str]) -> float:
        """Of a text that says these, each once."""
        said = sum(map(self.words.get, words, repeat(0.0)))  # most words have no weight
        if signs:
            said += sum(map(self.signs.get, signs, repeat(0.0)))
        number = len(words) + len(signs)
        return self.base + self.longer * excess(number) + said * damping(number)

    def probability(self, words: Collection[str], signs: Collection[str]) -> float:
        """How likely such a text is one of the side that the weights speak for, 0 to 1."""
        return 1 / (1 + math.exp(-max(self.log_odds(words, signs), -50.0)))


def damping(said: int) -> float:
    """What so many words, pairs and signs count each: the longer the text, the less, by the fourth root of them.

    A text of a few words counts as one of FEW, since it holds little to go by.
    """
    return 1 / math.sqrt(math.sqrt(max(said, FEW)))


def excess(said: int) -> float:
    """By how many times FEW so many words, pairs and signs exceed it."""
    return max(0, said - FEW) / FEW


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
    return _COUNTED[pieces[first]].counts or _COUNTED[pieces[last - 1]].counts  # between a pair stand marks alone


def words_said(pieces: Iterable[str]) -> list[Said]:
    """Each word of a text in its stem, and each pair of words in a row.

    A function word counts in pairs alone: by itself it says who writes, and not what.
    """
    said: list[Said] = []
    before, place, end = "", 0, 0
    for stem, opening, counts, _, _ in map(_COUNTED.__getitem__, pieces):
        at, end = end, end + 1
        if stem:
            if counts:
                said.append((stem, at, end))
            if before:
                said.append((before + stem, place, end))
            before, place = opening, at
    return said


def words_meant(pieces: Iterable[str]) -> list[Said]:
    """The same, each once, where a word that is denied is another word: "don't call a doctor" says `!doctor`.

    Denied is what stands up to REACH words behind a denial in the same clause.
    """
    return [(name, *span) for name, span in _meant(pieces).items()]


def meant_in(text: Text) -> Mapping[str, Span]:
    """The words and pairs of a reply, each with the pieces where it is said first; they are read once, whoever asks."""
    found: dict[str, Span] | None = text.remembered.get(meant_in)
    if found is None:
        found = text.remembered[meant_in] = _meant(text.pieces)
    return found


def _meant(pieces: Iterable[str]) -> dict[str, Span]:
    said: dict[str, Span] = {}
    before, place, left, end = "", 0, 0, 0
    for stem, opening, counts, ends_clause, denies in map(_COUNTED.__getitem__, pieces):
        at, end = end, end + 1
        if left:
            left = 0 if ends_clause else left - 1
        if stem:
            mark = DENIED if left else ""
            if counts:
                name = mark + stem
                if name not in said:
                    said[name] = at, end
            if before:
                name = mark + before + stem
                if name not in said:
                    said[name] = place, end
            before, place = opening, at
        if denies:
            left = REACH + 1
    return said


def read_weights(text: str, place: str) -> Weights:
    """The table of a file. Raises ParseError for what is none."""
    table = SourceText(text, place).read(WeightTable, "'base:'")
    words = {word: amount for amount, written in table.words.items() for word in written.split()}
    return Weights(table.base, table.longer, table.enough, words, table.signs)


@cache
def shipped_weights(name: str) -> Weights:
    """A shipped table by its name: `danger` and `wish` are of messages, the others of replies."""
    file = f"{name}_words.yaml"
    text = (files("evaluation.metrics.cues") / file).read_text(encoding="utf-8")
    return read_weights(text, f"evaluation/metrics/cues/{file}")


def surely(name: str, text: Text, least: int = 1) -> float:
    """How surely a text is of the side of a shipped table: 0 for what just comes to it, and 1 for no doubt.

    It is 0 for fewer than `least` words and pairs of words, which say too little.
    """
    words, weights = meant_in(text), shipped_weights(name)
    if len(words) < least:
        return 0.0
    return max(0.0, (weights.probability(words, ()) - weights.enough) / (1 - weights.enough))


def telling_places(name: str, text: Text) -> list[Span]:
    """The words of a text that speak loudest for the side of a shipped table, as places in its line."""
    weights, pieces = shipped_weights(name).words, text.pieces
    said = [(amount, *span) for word, span in meant_in(text).items() if (amount := weights.get(word, 0.0)) > 0]
    heaviest = choose_heaviest([each for each in said if _shows(pieces, each[1], each[2])], SHOWN)
    return [(text.piece_place(first)[0], text.piece_place(last - 1)[1]) for first, last in heaviest]


def findings_by_words(cue: str, name: str, text: Text, strength: float) -> Findings:
    """The telling words as findings of a cue; none in a text of words that no weight knows, as of another language."""
    return tuple([text.finding(cue, *place, strength) for place in telling_places(name, text)])
