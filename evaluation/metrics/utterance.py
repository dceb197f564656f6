"""The texts that cues read, folded once and shared by all metrics.

Folding is one character to one character, so that an offset into a folded text is an offset into the original.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING

from evaluation.metrics.clauses import question_spans
from evaluation.records import Finding, Turn, Where

if TYPE_CHECKING:
    from evaluation.metrics.text.prose import Prose

WHITE_SPACE = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""Every character at which str.split() splits."""
APOSTROPHES = "\u2018\u2019\u201b\u02bc\u2032\uff07"
"""Characters that people and models write for a straight apostrophe."""
EDGE = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
"""ASCII punctuation and symbols: what is taken off both ends of a word before it is compared."""

_FOLDED = str.maketrans({**dict.fromkeys(WHITE_SPACE, " "), **dict.fromkeys(APOSTROPHES, "'")})
_BLANKS = re.compile(r" {2,}")
_TOKEN = re.compile(r"[^\W_]+")


def fold(text: str) -> str:
    """The text in lower case with straight apostrophes and each white-space character as a blank; same length.

    The capital dotted I is the only character whose lower case is longer than itself; it becomes a plain i.
    """
    if text.isascii():
        # Printable ASCII has no white space but the blank and no apostrophe but the straight one.
        return text.lower() if text.isprintable() else text.lower().translate(_FOLDED)
    return text.replace("İ", "i").lower().translate(_FOLDED)


def fold_phrase(phrase: str) -> str:
    """A phrase of a list in the form in which `Text.line` would hold it."""
    return " ".join(fold(phrase).split())


def bare_word(word: str) -> str:
    """A word without the punctuation around it; empty when it is nothing else."""
    word = word.strip(EDGE)
    if word.isascii() or word.isalnum():
        return word
    start, end = 0, len(word)
    while start < end and not is_word_character(word[start]):
        start += 1
    while end > start and not is_word_character(word[end - 1]):
        end -= 1
    return word[start:end]


def is_word_character(character: str) -> bool:
    """True for letters, digits and the marks that combine with them."""
    return character.isalnum() or (character > "\x7f" and unicodedata.category(character)[0] == "M")


def tokens_of(line: str) -> list[str]:
    """The runs of letters and digits in a folded text, in order ("don't" gives "don", "t")."""
    return _TOKEN.findall(line)


class Text:
    """One text and its folded forms; what few cues need is worked out when first asked for and then kept."""

    __slots__ = ("_parts", "_prose", "_questions", "_runs", "_tokens", "_words", "folded", "line", "original", "where")

    def __init__(self, original: str, where: Where) -> None:
        self.original = original
        self.where: Where = where
        self.folded = fold(original)
        """Same length as the original."""
        self.line = _BLANKS.sub(" ", self.folded) if "  " in self.folded else self.folded
        """The folded text with every run of white space as one blank: what phrases are looked for in."""
        self._runs: tuple[list[int], list[int]] | None = None
        self._words: frozenset[str] | None = None
        self._tokens: frozenset[str] | None = None
        self._parts: list[str] | None = None
        self._questions: tuple[tuple[int, int], ...] | None = None
        self._prose: Prose | None = None

    @property
    def parts(self) -> list[str]:
        """The pieces between white space, folded, in order."""
        if self._parts is None:
            self._parts = self.folded.split()
        return self._parts

    @property
    def words(self) -> frozenset[str]:
        """Words at white space, folded, without surrounding punctuation."""
        if self._words is None:
            ascii_only = self.folded.isascii()
            words = {word.strip(EDGE) for word in self.parts} if ascii_only else set(map(bare_word, self.parts))
            words.discard("")
            self._words = frozenset(words)
        return self._words

    @property
    def tokens(self) -> frozenset[str]:
        """Runs of letters and digits, folded."""
        if self._tokens is None:
            self._tokens = frozenset(_TOKEN.findall(self.folded))
        return self._tokens

    @property
    def word_count(self) -> int:
        """Words as str.split() counts them."""
        return len(self.parts)

    @property
    def questions(self) -> tuple[tuple[int, int], ...]:
        """Places of the questions in the original."""
        if self._questions is None:
            self._questions = question_spans(self.original)
        return self._questions

    @property
    def prose(self) -> "Prose":
        """Words, sentences, paragraphs, lists and headings, code left out: what formulas count."""
        if self._prose is None:
            from evaluation.metrics.text.prose import Prose, without_code  # for formulas alone: cues start sooner

            text = without_code(self.original)
            self._prose = Prose(self.original, text, self.folded if text is self.original else fold(text))
        return self._prose

    def origin(self, offset: int) -> int:
        """The place in the original of a place in `line`."""
        if len(self.line) == len(self.folded):
            return offset
        if self._runs is None:
            self._runs = _collapsed_runs(self.folded)
        places, removed = self._runs
        runs_before = bisect_left(places, offset)
        return offset + (removed[runs_before - 1] if runs_before else 0)

    def found(self, cue: str, start: int, end: int) -> Finding:
        """A finding of the original text at these places in `line`."""
        if len(self.line) != len(self.folded):
            start, end = self.origin(start), self.origin(end - 1) + 1
        return Finding(cue, self.where, start, end, self.original[start:end])

    def measured(self, cue: str, statement: str) -> Finding:
        """A finding about the whole text: a short statement of what was measured."""
        return Finding(cue, self.where, 0, 0, statement)


def _collapsed_runs(folded: str) -> tuple[list[int], list[int]]:
    """Places in the line where a run of blanks became one, and the number of characters that went up to there."""
    places: list[int] = []
    removed: list[int] = []
    gone = 0
    for run in _BLANKS.finditer(folded):
        places.append(run.start() - gone)
        gone += run.end() - run.start() - 1
        removed.append(gone)
    return places, removed


class Utterance:
    """One exchange as the cues see it: what the user said, what came back, what came before, what was flagged."""

    __slots__ = ("context", "moderation", "response", "user_input")

    def __init__(
        self, user_input: str, response: str, context: Sequence[Turn] = (), moderation: Sequence[str] = ()
    ) -> None:
        self.user_input = Text(user_input, "user_input")
        self.response = Text(response, "response")
        self.context = context
        self.moderation = moderation
        """Categories for which a moderation endpoint flagged the response."""
