"""Texts in which each word is one character: what rows of words are matched on."""

import re
from collections.abc import Iterable

from evaluation.metrics.cues.contractions import forms_of
from evaluation.metrics.cues.cue import Span
from evaluation.metrics.utterance import Text, fold
from evaluation.records import Finding
from evaluation.text.remembered import RememberedWords

LONGEST_SENTENCE = 60
"""Pieces on either side of a match that are read as its sentence."""
_FIRST_CODE, _LAST_CODE = 0x1000, 0xD7FF
"""Characters for words. A line holds nothing else but marks, and sets of characters below 0x10000 are fast."""
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
_BREAKS, _ENDS = ",.?!", ".?!"
_END = re.compile("[.?!]")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*|,")


def words_of(phrase: str) -> tuple[str, ...]:
    """The words of a phrase, folded, and its commas; a hyphen is a blank, and so is every other mark."""
    if phrase.isascii() and phrase.isalpha():  # most are one word, and say so at once
        return (phrase.lower(),)
    return tuple(_WORD.findall(fold(phrase)))


class Vocabulary(dict[str, str]):
    """Word -> its character, for the words of rows and lists alone: it grows with no text."""

    def __init__(self) -> None:
        super().__init__(MARKS)
        self._codes = RememberedWords(self._code)

    def learn(self, phrases: Iterable[str]) -> None:
        """Gives each word of the phrases a character. Raises ValueError where there are too many."""
        for word in dict.fromkeys(words_of("\n".join(phrases))):
            for form in forms_of(word) if "'" in word else (word,):
                self.setdefault(form, chr(_FIRST_CODE + len(self)))
        if _FIRST_CODE + len(self) > _LAST_CODE:
            raise ValueError("rows and classes hold more than 50,000 different words")
        self._codes.clear()

    def codes(self, words: Iterable[str]) -> str:
        """Words that were learnt, in their characters."""
        return "".join(map(self.__getitem__, words))

    def codes_in(self, text: Text) -> list[str]:
        """A text in its characters, each the one object that stands for its word: so they are found without a look."""
        return list(map(self._codes.__getitem__, text.pieces))

    def _code(self, piece: str) -> str:
        """Of a word with an apostrophe that no row knows, the word before it: "mother's" is "mother"."""
        return self.get(piece) or self.get(piece.partition("'")[0]) or _OTHER


class Coded:
    """A text as rows see it. Places are those of pieces: words and punctuation marks."""

    def __init__(self, text: Text, line: str) -> None:
        self.text = text
        self.line = line

    def place(self, span: Span) -> Span:
        """Start and end in the text's `line`."""
        return self.text.piece_place(span[0])[0], self.text.piece_place(span[1] - 1)[1]

    def span(self, place: Span) -> Span:
        """The pieces that stand at a place in the text's `line`."""
        return self.text.pieces_before(place[0] + 1) - 1, self.text.pieces_before(place[1])

    def finding(self, cue: str, span: Span, strength: float = 1.0) -> Finding:
        """A finding of the text at the place of some pieces."""
        return self.text.finding(cue, *self.place(span), strength)

    def sentence(self, at: int) -> Span:
        """Where the sentence around a piece begins and ends, its mark included, read over a bounded stretch."""
        line = self.line
        end = _END.search(line, at, at + LONGEST_SENTENCE)
        return self._sentence_start(at), end.end() if end else min(len(line), at + LONGEST_SENTENCE)

    def _sentence_start(self, at: int) -> int:
        line, floor = self.line, max(0, at - LONGEST_SENTENCE)
        return max(floor, 1 + max([line.rfind(mark, floor, at) for mark in _ENDS]))

    def before(self, at: int) -> str:
        """What stands before a piece in its sentence, as coded."""
        return self.line[self._sentence_start(at) : at]

    def clause_start(self, at: int, reach: int) -> int:
        """Where the clause of a piece begins, so many words before it at the most; it goes on in quotation marks."""
        line, floor = self.line, max(0, at - reach)
        while at > floor and line[at - 1] not in _BREAKS:
            at -= 1
        return at

    def is_quoted(self, start: int) -> bool:
        """True behind an opening quotation mark, where the whole text does not stand in quotation marks."""
        return start > 0 and self.line[start - 1] == '"' and not (start == 1 and self.line[-1] == '"')
