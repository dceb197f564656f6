"""Spellings: a text in the words that rows know, however somebody writes or says them.

"ah dinnae ken" and "I don't know" are the same to a row when a list gives the one for the other.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping
from typing import NamedTuple

from evaluation.metrics.utterance import Text, fold_phrase, tokens_of

Span = tuple[int, int]
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


class Respelled(NamedTuple):
    """A text in other spellings, and where in its own line each piece of it stood."""

    text: Text
    starts: tuple[int, ...] = ()
    """Where in the new line each stretch begins."""
    origins: tuple[Span, ...] = ()
    """Start and end in the old line of each stretch."""
    before: "Respelled | None" = None
    """Where the old line was one in other spellings itself."""

    def origin(self, span: Span) -> Span:
        """The place in the line as it was written: a word that was replaced counts as a whole."""
        if self.starts:
            span = self._place(span[0])[0], self._place(span[1] - 1)[1]
        return self.before.origin(span) if self.before else span

    def _place(self, at: int) -> Span:
        index = bisect_right(self.starts, at) - 1
        start, end = self.origins[index]
        following = self.starts[index + 1] if index + 1 < len(self.starts) else len(self.text.line)
        if following - self.starts[index] != end - start:
            return start, end
        return start + at - self.starts[index], start + at - self.starts[index] + 1


class Spellings:
    """Words by which others are replaced; an empty one leaves its word out."""

    def __init__(self, words: Mapping[str, str]) -> None:
        self._words = {fold_phrase(written): fold_phrase(known) for written, known in words.items()}
        self._filed: dict[str, list[str]] = {}
        for written in self._words:
            self._filed.setdefault(max(tokens_of(written), key=len, default=""), []).append(written)
        self._tokens = frozenset(self._filed)

    def of(self, text: Text) -> Respelled:
        """The text with its words replaced; the text itself where none of them occurs."""
        line = text.line
        if text.tokens.isdisjoint(self._tokens):
            return Respelled(text)
        if not any(written in line for token in text.tokens & self._tokens for written in self._filed[token]):
            return Respelled(text)
        pieces, starts, origins, done, length = [""], [0], [(0, 0)], 0, 0
        for match in _WORD.finditer(line):
            known = self._words.get(match.group())
            if known is None:
                continue
            start, end = match.span()
            if not known:
                end += line.startswith(" ", end)
            for piece, place in ((line[done:start], (done, start)), (known, (start, end))):
                pieces.append(piece)
                starts.append(length)
                origins.append(place)
                length += len(piece)
            done = end
        pieces.append(line[done:])
        starts.append(length)
        origins.append((done, len(line)))
        return Respelled(Text("".join(pieces), text.where), tuple(starts), tuple(origins))
