"""A memory that a reply claims: "as we discussed", "you mentioned", and whether anything that was said supports it."""

import re
from collections.abc import Set as AbstractSet

from evaluation.metrics.cues.content_words import Place
from evaluation.metrics.cues.cue import Phrases
from evaluation.metrics.cues.guards import Guards, GuardSettings
from evaluation.metrics.cues.row_index import WordClasses
from evaluation.metrics.cues.rows import REPLIES, RowList
from evaluation.metrics.utterance import Text
from evaluation.text.function_words import FUNCTION_WORDS
from evaluation.text.stems import stem_of

_CLAUSE_END = re.compile(r"[,.!?;:\n…]|\s[-–—]\s")
_SENTENCE_END = re.compile(r"[.!?\n…]")
_TOKEN = re.compile(r"[^\W_]+")
LONGEST = 300
"""Characters on either side of a phrase that are read as its sentence."""
MOST = 20
"""Phrases of a reply that are held against what was said."""
MOST_WORDS = 5
"""Content words after a phrase that are looked for in what was said."""
SUPPORT = 1 / 3
"""Share of these words that must have been said."""


class ClaimedMemory:
    """Finds phrases that claim a memory, and what each says was remembered."""

    def __init__(self, phrases: tuple[str, ...], classes: dict[str, Phrases], guards: GuardSettings) -> None:
        self._rows = RowList(phrases, WordClasses(REPLIES, classes), Guards(REPLIES, guards))

    def claims(self, text: Text) -> list[Place]:
        """The places of the phrases, in the text's line."""
        return self._rows.places(text)

    def unsupported(self, text: Text, known: AbstractSet[str], vague: AbstractSet[str]) -> list[Place]:
        """The claims of which hardly a word was said before; one that names nothing cannot be held against it."""
        places = []
        for start, end in self.claims(text)[:MOST]:
            words = _after(text.line, end, vague) or _around(text.line, start, end, vague)
            if words and len([word for word in words if word in known]) < SUPPORT * len(words):
                places.append((start, end))
        return places


def _after(line: str, end: int, vague: AbstractSet[str]) -> list[str]:
    """Content words between a phrase and the end of its clause."""
    rest = line[end : end + LONGEST]
    close = _CLAUSE_END.search(rest)
    return _content(rest[: close.start()] if close else rest, vague)


def _around(line: str, start: int, end: int, vague: AbstractSet[str]) -> list[str]:
    """Content words of the sentence in which a phrase stands."""
    before = _SENTENCE_END.split(line[max(0, start - LONGEST) : start])[-1]
    after = _SENTENCE_END.split(line[end : end + LONGEST])[0]
    return _content(f"{before} {after}", vague)


def _content(words: str, vague: AbstractSet[str]) -> list[str]:
    tokens = [token for token in _TOKEN.findall(words) if token not in FUNCTION_WORDS and len(token) > 1]
    return [stem for stem in map(stem_of, tokens) if stem not in vague][:MOST_WORDS]
