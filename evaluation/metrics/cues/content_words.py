"""What a text is about: its content words under their stems, its names, and where they stand.

Places are those of the original text, which are those of the folded one too.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from evaluation.metrics.cues.cue import Findings
from evaluation.metrics.utterance import Text, fold_phrase, tokens_of
from evaluation.records import finding_of
from evaluation.text.remembered import Remembered
from evaluation.text.stems import CONTENT_STEMS, stem_of

Place: TypeAlias = tuple[int, int]
LEAST_LISTED, MOST_CONTENT = 6, 0.85
"""Content words, and their share of all different words, from which on a text is words in a row and no sentence."""
SHOWN = 3
"""Words that are shown as evidence; more would fill the explanation."""
FEW = 20
"""Words that are looked for one by one."""
_TOKEN = re.compile(r"[^\W_]+")
_NAME = re.compile(r" ([^\W\d_a-z][^\W\d_]+)")
_ASCII_NAME = re.compile(r" ([A-Z][A-Za-z]+)")
"""A word after a blank that may begin with a capital; the second finds the same in ASCII, and sooner."""
_OPENING = frozenset(' \t\n.!?…:"“”(*>-')
"""Characters before a blank after which a sentence or a line begins, or may begin."""


def content_of(text: Text) -> Mapping[str, str]:
    """Stem -> the first word of that stem, for the content words of a text; found once for all cues."""
    found: dict[str, str] | None = text.remembered.get(content_of)
    if found is None:
        tokens = text.tokens_in_order[::-1]
        found = dict(zip(map(_STEMS.__getitem__, tokens), tokens, strict=True))
        found.pop("", None)
        text.remembered[content_of] = found
    return found


def are_in_a_row(text: Text) -> bool:
    """Whether words stand in a row with hardly a function word among them: they name things and say nothing.

    One item a line is no row: it is a list that is laid out, as whoever asked for a list expects it.
    """
    said = len(content_of(text))
    return said >= LEAST_LISTED and said > MOST_CONTENT * len(text.tokens) and "\n" not in text.original.strip()


def _stem_of_content(token: str) -> str:
    """The stem of a content word; nothing for a function word, and for a letter by itself."""
    return CONTENT_STEMS[token] if len(token) > 1 or token.isdigit() else ""


_STEMS = Remembered(_stem_of_content)


def stems_of(words: Iterable[str]) -> frozenset[str]:
    """The stems of the words of a list, to be taken from or looked for among those of a text."""
    return frozenset(stem_of(token) for word in words for token in tokens_of(fold_phrase(word)))


def stems_when_needed(words: Sequence[str]) -> Callable[[], frozenset[str]]:
    """The stems of a list, worked out when the first exchange is scored: the stemmer takes time to load."""
    return lru_cache(maxsize=1)(lambda: stems_of(words))


def names_in(text: Text) -> list[Place]:
    """Words that are written with a capital within a sentence; no list knows the names of all cultures."""
    original = text.original
    pattern = _ASCII_NAME if original.isascii() else _NAME
    return [
        (start, end)
        for start, end in [match.span(1) for match in pattern.finditer(original, 1)]
        if original[start - 2] not in _OPENING and original[start].isupper() and original[start + 1].islower()
    ]


def place_of(text: Text, token: str) -> Place:
    """Where one of the tokens of a text first stands as a word of its own."""
    folded = text.folded
    start = folded.find(token)
    while start >= 0:
        end = start + len(token)
        if not ((start and folded[start - 1].isalnum()) or folded[end : end + 1].isalnum()):
            return start, end
        start = folded.find(token, start + 1)
    raise ValueError(f"no word {token!r} in the text")


def places_of_words(text: Text, words: Sequence[str]) -> list[Place]:
    """Where each of these tokens of a text first stands as a word of its own."""
    if len(words) <= FEW:
        return [place_of(text, word) for word in words]
    firsts = _first_places(text)
    return [firsts[word] for word in words]


def _first_places(text: Text) -> Mapping[str, Place]:
    """Token -> where it first stands: to look for many, a long text is read once and not once for each."""
    found: dict[str, Place] | None = text.remembered.get(_first_places)
    if found is None:
        found = {}
        for match in _TOKEN.finditer(text.folded):
            found.setdefault(match[0], match.span())
        text.remembered[_first_places] = found
    return found


def findings_at(cue: str, text: Text, places: Iterable[Place], strength: float) -> Findings:
    """A finding for each of the first places, in the order of the text."""
    original, where = text.original, text.where
    shown = sorted(set(places))[:SHOWN]
    return tuple([finding_of((cue, where, start, end, original[start:end], strength)) for start, end in shown])
