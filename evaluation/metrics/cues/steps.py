"""The steps of a row: what may come next in a coded text once a part of the row has been read.

A row is read one word at a time. What is left of it is a list of steps, of which the first that leads to its end
counts: the longer of two phrases, a word that may be absent, the wider gap. A step that reads a word gives the steps
behind it.
"""

from collections.abc import Iterable
from typing import TypeAlias

from evaluation.metrics.cues.coding import CLAUSE_ENDS

GAP, OPENS, CLOSES = "...", "^", "$"
MARKS = frozenset((GAP, OPENS, CLOSES))
"""What stands in a row beside words: a gap, the start and the end of a clause."""
END = " "
"""What stands behind the last character of a text."""
WIDEST = 3
"""Words over which a gap reaches."""


class CodedPhrases:
    """Phrases as coded, of which any may stand in a place."""

    __slots__ = ("_any_head", "heads", "longer", "singles")

    def __init__(self, phrases: Iterable[str]) -> None:
        self.singles = "".join([phrase for phrase in phrases if len(phrase) == 1])
        """Those of one word. A string, since few places of the memory are looked at to search a short one."""
        self.longer: dict[str, tuple[str, ...]] = {}
        """First character -> those of several words, the longer ones first."""
        for phrase in sorted([phrase for phrase in phrases if len(phrase) > 1], key=lambda each: (-len(each), each)):
            self.longer[phrase[0]] = (*self.longer.get(phrase[0], ()), phrase)
        self.heads = self.singles + "".join(self.longer)
        """The first characters of all."""
        self._any_head = frozenset(self.heads)
        """The same for a look at many places: a string of thousands is searched from its beginning for each."""

    def begin(self, line: str, at: int) -> bool:
        """True where one of them stands at a place before the end of a text."""
        code = line[at]
        if code not in self._any_head:
            return False
        return code in self.singles or line.startswith(self.longer[code], at)

    def within(self, line: str, start: int, end: int) -> bool:
        """True where one of them stands between two places."""
        said = line[start:end]
        if self._any_head.isdisjoint(said):
            return False
        heads = self.heads
        for at, code in enumerate(said, start):
            if code in heads and (code in self.singles or line.startswith(self.longer[code], at, end)):
                return True
        return False


class Step:
    """What may come next. Two steps are the same where they are one object."""

    __slots__ = ()
    heads: str | None = None
    """The characters that it can read; None where it is asked at any."""

    def read(self, _code: str) -> "Steps":
        """The steps behind a character; none where it does not match."""
        return ()


Steps: TypeAlias = tuple[Step, ...]
"""What may come next, in the order in which it is preferred."""


class _Ended(Step):
    """Nothing more has to come."""

    __slots__ = ()


ENDED = _Ended()


class Word(Step):
    """One of some phrases, and what comes behind it."""

    __slots__ = ("_kept", "_longer", "_singles", "_then", "heads")

    def __init__(self, phrases: CodedPhrases, then: Steps) -> None:
        self.heads: str = phrases.heads
        self._singles, self._longer, self._then = phrases.singles, phrases.longer, then
        self._kept: dict[str, Step] = {}

    def read(self, code: str) -> Steps:
        """The rest of each longer phrase that begins so, and then what comes behind a single word."""
        longer = tuple([self._rest(phrase[1:]) for phrase in self._longer.get(code, ())])
        return longer + self._then if code in self._singles else longer

    def _rest(self, said: str) -> Step:
        if said not in self._kept:
            self._kept[said] = _Rest(said[0], (self._rest(said[1:]),) if len(said) > 1 else self._then)
        return self._kept[said]


class _Rest(Step):
    """What is left of a phrase of several words."""

    __slots__ = ("_then", "heads")

    def __init__(self, code: str, then: Steps) -> None:
        self.heads: str = code
        self._then = then

    def read(self, code: str) -> Steps:
        return self._then if code == self.heads else ()


class Gap(Step):
    """Up to three words of which none is blocked, with commas between them, before what comes behind."""

    __slots__ = ("_behind_comma", "_behind_word", "_blocked")

    def __init__(self, blocked: str, then: Steps, words: int = WIDEST, comma: bool = True) -> None:
        self._blocked = blocked
        self._behind_comma: Steps = (Gap(blocked, then, words, comma=False), *then) if comma else ()
        self._behind_word: Steps = (Gap(blocked, then, words - 1), *then) if words else ()

    def read(self, code: str) -> Steps:
        """What comes behind one more word or comma: the gap goes on, or it is over."""
        if code == ",":
            return self._behind_comma
        return () if code in self._blocked else self._behind_word


class Opens(Step):
    """The start of a clause: the character before says whether it is one."""

    __slots__ = ("then",)

    def __init__(self, then: Steps) -> None:
        self.then = then


class Closes(Step):
    """The end of a clause: the character that comes next says whether it is one."""

    __slots__ = ("then",)

    def __init__(self, then: Steps) -> None:
        self.then = then


def opened(steps: Steps, at_clause: bool) -> Steps:
    """The steps with those behind the start of a clause in its place, at such a start, and none elsewhere."""
    found: list[Step] = []
    for step in steps:
        found += (opened(step.then, at_clause) if at_clause else ()) if isinstance(step, Opens) else (step,)
    return tuple(dict.fromkeys(found))


def advance(steps: Steps, code: str) -> tuple[Steps, bool]:
    """The steps behind a character, and whether the row ends before it. Steps behind an end are not preferred to it."""
    found: list[Step] = []
    for step in steps:
        if step is ENDED:
            return _behind(found, code), True
        if isinstance(step, Closes):
            if code in CLAUSE_ENDS or code == END:
                behind, ended = advance(step.then, code)
                found += behind
                if ended:
                    return _behind(found, code), True
        else:
            found += step.read(code)
    return _behind(found, code), False


def _behind(found: list[Step], code: str) -> Steps:
    return opened(tuple(found), code in CLAUSE_ENDS) if found else ()
