"""The steps of a row: small functions that match its words, one behind the other, in a coded text.

Each is handed the text, padded with `END`, and a place, and gives the place behind the whole rest of the row; 0 where
it does not match. What comes first is tried first: the longer of two phrases, a word that may be absent, the wider gap.
Regular expressions would do the same, but to compile one takes longer than to score a hundred replies.
"""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from evaluation.metrics.cues.coding import CLAUSE_ENDS

Match: TypeAlias = Callable[[str, int], int]
GAP = "..."
MARKS = frozenset((GAP, "^", "$"))
"""What stands in a row beside words: a gap, the start and the end of a clause."""
END = " "
"""What stands behind the last character of a text."""
WIDEST = 3
"""Words over which a gap reaches."""


class CodedPhrases:
    """Phrases as coded, of which any may stand in a place."""

    __slots__ = ("heads", "longer", "singles")

    def __init__(self, phrases: Iterable[str]) -> None:
        self.singles = "".join([phrase for phrase in phrases if len(phrase) == 1])
        """Those of one word. A string, since few places of the memory are looked at to search a short one."""
        self.longer: dict[str, list[str]] = {}
        """First character -> those of several words, the longer ones first."""
        for phrase in sorted([phrase for phrase in phrases if len(phrase) > 1], key=lambda each: (-len(each), each)):
            self.longer.setdefault(phrase[0], []).append(phrase)
        self.heads = self.singles + "".join(self.longer)
        """The first characters of all."""

    def step(self, then: Match) -> Match:
        """Matches one of them, and what comes behind it."""
        singles, longer = self.singles, self.longer
        if not longer:
            return lambda line, at: then(line, at + 1) if line[at] in singles else 0

        def one_of(line: str, at: int) -> int:
            for phrase in longer.get(line[at], ()):
                if line.startswith(phrase, at) and (end := then(line, at + len(phrase))):
                    return end
            return then(line, at + 1) if line[at] in singles else 0

        return one_of

    def begin(self, line: str, at: int) -> bool:
        """True where one of them stands at a place before the end of a text."""
        code = line[at]
        return code in self.singles or any(line.startswith(phrase, at) for phrase in self.longer.get(code, ()))

    def within(self, line: str, start: int, end: int) -> bool:
        """True where one of them stands between two places."""
        heads = self.heads
        for at in range(start, end):
            code = line[at]
            if code in heads:
                if code in self.singles:
                    return True
                if any(line.startswith(phrase, at, end) for phrase in self.longer[code]):
                    return True
        return False


def ended(_line: str, at: int) -> int:
    """Behind the last word of a row."""
    return at


def optional(step: Match, then: Match) -> Match:
    """Matches a step that goes on to `then`, or `then` alone."""
    return lambda line, at: step(line, at) or then(line, at)


def mark(name: str, then: Match) -> Match:
    """Matches the start or the end of a clause."""
    if name == "^":
        return lambda line, at: then(line, at) if not at or line[at - 1] in CLAUSE_ENDS else 0
    return lambda line, at: then(line, at) if line[at] in CLAUSE_ENDS or line[at] == END else 0


def gap(blocked: str, heads: str | None, then: Match) -> Match:
    """Matches up to three words of which none is blocked, with commas between them.

    `heads` are the characters with which `then` can begin; None where it may be any.
    """

    def after_gap(line: str, at: int) -> int:
        ends = [at]
        if line[at] == ",":
            at += 1
            ends.append(at)
        for _ in range(WIDEST):
            if line[at] in blocked:
                break
            at += 1
            ends.append(at)
            if line[at] == ",":
                at += 1
                ends.append(at)
        for at in reversed(ends):
            if (heads is None or line[at] in heads) and (end := then(line, at)):
                return end
        return 0

    return after_gap
