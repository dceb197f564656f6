"""Texts in which each word is one character: what rows are matched on.

All rows share one vocabulary, so that a text is written in its characters once, whatever the number of cues.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from evaluation.metrics.cues.patterns import Span
from evaluation.metrics.utterance import Text, pieces_of
from evaluation.records import Finding

LONGEST_SENTENCE = 60
"""Pieces on either side of a match that are read as its sentence."""
KEPT = 20_000
"""Words as they are written whose characters are remembered."""
_FIRST_CODE, _LAST_CODE = 0xF0000, 0xFFFFD
"""Characters for private use: no text that was folded into pieces holds one as a word."""
_OTHER = "o"
MARKS = {
    **dict.fromkeys(",;:\u2013\u2014()-", ","),
    **dict.fromkeys(".\u2026\u3002", "."),
    **dict.fromkeys("?\uff1f", "?"),
    **dict.fromkeys("!\uff01", "!"),
    **dict.fromkeys("\"\u201c\u201d'", '"'),
}
"""Punctuation marks as coded: the end of a clause, of a sentence, or a quotation mark."""
CLAUSE_ENDS = ',.?!"'
_ENDS = ".?!"
_END = re.compile("[.?!]")


class Vocabulary:
    """One character for each word that rows know."""

    def __init__(self) -> None:
        self._of: dict[str, str] = dict(MARKS)
        self._part = lru_cache(maxsize=KEPT)(self._written)

    def code(self, word: str) -> str:
        """The character of a word, which is now known."""
        found = self._of.get(word)
        if found is None:
            number = _FIRST_CODE + len(self._of)
            if number > _LAST_CODE:
                raise ValueError("rows and classes hold more than 65,000 different words")
            found = self._of[word] = chr(number)
            self._part.cache_clear()
        return found

    def coded(self, text: Text) -> "Coded":
        """The text in its characters, written once unless words became known since."""
        coded = text.coded
        if coded is None or coded.known != len(self._of):
            coded = text.coded = Coded(text, self._line(text), len(self._of))
        return coded

    def _line(self, text: Text) -> str:
        line = text.line
        if line.startswith("-") or line.endswith("-"):  # a dash is a mark between blanks alone
            return self._characters(text.pieces)
        return "".join(map(self._part, text.parts))

    def _written(self, part: str) -> str:
        """What stands between blanks, in its characters; the marks that end a word depend on nothing beyond it."""
        return self._characters(pieces_of(part) if part != "-" else ["-"])

    def _characters(self, pieces: Iterable[str]) -> str:
        of = self._of.get
        return "".join([of(piece, _OTHER) for piece in pieces])


VOCABULARY = Vocabulary()
"""That of all rows. It holds the words of lists alone, and so it grows with no text."""


class Coded:
    """A text as rows see it. Places are those of pieces."""

    __slots__ = ("codes", "known", "line", "pairs", "text")

    def __init__(self, text: Text, line: str, known: int) -> None:
        self.text = text
        self.line = line
        self.known = known
        """Words that the vocabulary held."""
        self.pairs = [line[start : start + 2] for start in range(len(line))]
        """Each character with the one behind it, which the last one lacks."""
        self.codes = frozenset(line)

    def finding(self, cue: str, span: Span, strength: float = 1.0) -> Finding:
        places = self.text.piece_places
        return self.text.finding(cue, places[span[0]][0], places[span[1] - 1][1], strength)

    def sentence(self, at: int) -> Span:
        """Where the sentence around a piece begins and ends, its mark included, read over a bounded stretch."""
        line, floor = self.line, max(0, at - LONGEST_SENTENCE)
        start = max(floor, 1 + max(line.rfind(mark, floor, at) for mark in _ENDS))
        end = _END.search(line, at, at + LONGEST_SENTENCE)
        return start, end.end() if end else min(len(line), at + LONGEST_SENTENCE)

    def clause_start(self, at: int, reach: int) -> int:
        """Where the clause of a piece begins, so many words before it at the most."""
        floor = max(0, at - reach)
        while at > floor and self.line[at - 1] not in CLAUSE_ENDS:
            at -= 1
        return at

    def is_quoted(self, start: int) -> bool:
        """True behind an opening quotation mark, where the whole text does not stand in quotation marks."""
        return start > 0 and self.line[start - 1] == '"' and not (start == 1 and self.line[-1] == '"')
