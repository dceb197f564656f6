"""The index of all rows: which of them can begin with two neighbouring words of a text, so that it is read once.

A row is a short pattern over a text's characters, one for each word. It is filed under the words with which it can
begin, and coded when a text first holds one of these. It is tried where a text holds two words with which it can begin
and, somewhere, a word for the rarest of its others.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import add
from typing import NamedTuple, TypeAlias

from evaluation.metrics.cues.coding import KEPT, Coded, Vocabulary, words_of
from evaluation.metrics.cues.contractions import VERBS, spellings
from evaluation.metrics.cues.cue import Span
from evaluation.metrics.utterance import Text
from evaluation.text.function_words import FUNCTION_WORDS

GAP = "..."
_NEGATIONS = ("not", "never", "cannot", "can't", "won't", *(f"{verb}n't" for verb in VERBS))
"""Words over which a gap does not reach: with them a row says the contrary."""
Words: TypeAlias = tuple[str, ...]
_END = " "
"""What stands behind the last character of a text."""
MARKS = {GAP: "", "^": r'(?<![^.?!,"])', "$": r'(?![^.?!,"])'}
"""What stands in a row beside words: a gap, the start and the end of a clause."""


class Element(NamedTuple):
    """One word of a row, or a mark, as coded."""

    pattern: str
    starts: frozenset[str] = frozenset()
    """The first two characters of each phrase that may stand there, the only one of a single word."""
    heads: frozenset[str] = frozenset()
    """The first of them."""
    optional: bool = True
    is_open: bool = False
    """True where any word may stand there."""


class Row:
    """One row of a list."""

    __slots__ = ("_classes", "_elements", "_words", "match", "needed", "rows")

    def __init__(self, rows: object, row: str, classes: "WordClasses") -> None:
        self.rows = rows
        """The list in which it stands."""
        self._classes = classes
        self._words = row.split()
        self._elements: list[Element] = []
        self.needed: frozenset[str] = frozenset()
        """Characters of which a text must hold one."""
        self.match: Callable[[str, int], re.Match[str] | None] = self._first_match
        """Matches the row in a coded text, from a place."""

    def first_words(self) -> Iterable[str]:
        """All words with which it can begin."""
        for word in self._words:
            yield from self._classes.first_words(word)
            if not self._classes.is_optional(word):
                return

    def code(self) -> None:
        """Codes it, before it can be tried."""
        self._elements = list(map(self._classes.element, self._words))
        required = [element.heads for element in self._elements if not element.optional]
        self.needed = min(required, key=self._classes.index.commonness)

    @property
    def is_coded(self) -> bool:
        return bool(self._elements)

    def followers(self, first: str) -> frozenset[str] | None:
        """The characters that can come second behind this first one; None where any can."""
        found: set[str] = set()
        for place, element in enumerate(self._elements):
            for start in element.starts if first in element.heads else ():
                if start[0] == first:
                    following = frozenset(start[1]) if len(start) > 1 else _heads(self._elements[place + 1 :])
                    if following is None:
                        return None
                    found |= following
            if not element.optional:
                break
        return frozenset(found)

    def _first_match(self, line: str, start: int) -> re.Match[str] | None:
        """Compiled when it is first tried: most rows never are."""
        self.match = re.compile("".join([element.pattern for element in self._elements])).match
        return self.match(line, start)


def _heads(elements: Sequence[Element]) -> frozenset[str] | None:
    """The characters with which these words can begin; None where it may be any, or none."""
    heads: set[str] = set()
    for element in elements:
        if element.is_open:
            return None
        heads |= element.heads
        if not element.optional:
            return frozenset(heads)
    return None


class WordClasses:
    """The classes that rows name, each coded once for all rows."""

    def __init__(self, index: "RowIndex", classes: Mapping[str, Sequence[str]]) -> None:
        self.index = index
        self.given = classes
        """Name -> its words and phrases."""
        self._elements: dict[str, Element] = {}
        self._spelled: dict[str, list[Words]] = {}
        for members in classes.values():
            index.learn(members)

    def is_optional(self, word: str) -> bool:
        """True for a word that may be absent and for a mark."""
        return word.endswith("?") or word in MARKS

    def first_words(self, word: str) -> frozenset[str]:
        """Those of each phrase for which a word of a row stands."""
        return frozenset([words[0] for words in self._spellings(word)])

    def element(self, word: str) -> Element:
        """A word of a row as coded."""
        found = self._elements.get(word)
        if found is None:
            found = self.index.mark(word) if word in MARKS else self.index.element(self._spellings(word))
            if word.endswith("?"):
                found = found._replace(pattern=f"{found.pattern}?", optional=True)
            self._elements[word] = found
        return found

    def _spellings(self, word: str) -> Iterable[Words]:
        """The phrases for which a word of a row stands, in all their spellings."""
        choices = () if word in MARKS else word.removesuffix("?").split("|")
        return [words for choice in choices for words in self._choice(choice)]

    def _choice(self, choice: str) -> list[Words]:
        found = self._spelled.get(choice)
        if found is None:
            phrases = self.given[choice[1:-1]] if choice.startswith("<") else (choice,)
            found = self._spelled[choice] = [words for phrase in phrases for words in spellings(words_of(phrase))]
        return found


class Reading(Coded):
    """A coded text and the rows that it says."""

    def __init__(self, text: Text, line: str, edition: int) -> None:
        super().__init__(text, line)
        self.edition = edition
        self.found: dict[object, list[Span]] = {}
        """List of rows -> the places of its rows, in order; nothing for one of which no row is there."""


class RowIndex:
    """All rows that texts of one kind are looked at for: replies, or messages of users."""

    def __init__(self) -> None:
        self._vocabulary = Vocabulary()
        self._unlearnt = list(_NEGATIONS)
        self._function_words: frozenset[str] = frozenset()
        self._waiting: list[Row] = []
        self._forks: dict[str, _Fork] = {}
        self._beginning = _Beginning(self._forks)
        self._edition = 0

    def learn(self, phrases: Iterable[str]) -> None:
        """Phrases of which a text keeps each word apart."""
        self._unlearnt.extend(phrases)

    def add(self, rows: Iterable[Row]) -> None:
        """Rows are filed when a text is first read, for a rubric is read more often than one of its cues is used."""
        self._waiting.extend(rows)

    def read(self, text: Text) -> Reading:
        """The text as coded, and what it says; read once, unless rows were added since."""
        if self._waiting or self._unlearnt:
            self._file()
        reading: Reading | None = text.readings.get(self)
        if reading is None or reading.edition != self._edition:
            reading = text.readings[self] = self._read(text)
        return reading

    def _read(self, text: Text) -> Reading:
        line = self._vocabulary.line(text)
        reading = Reading(text, line, self._edition)
        absent, found = frozenset(line).isdisjoint, reading.found
        for start, rows in enumerate(map(self._beginning.__getitem__, map(add, line, line[1:] + _END))):
            for row in rows:
                if not absent(row.needed) and (match := row.match(line, start)):
                    found.setdefault(row.rows, []).append((start, match.end()))
        return reading

    def _file(self) -> None:
        self._vocabulary.learn(self._unlearnt)
        self._function_words = frozenset([self._vocabulary.get(word, "") for word in FUNCTION_WORDS])
        for row in self._waiting:
            for code in map(self._vocabulary.__getitem__, row.first_words()):
                fork = self._forks.get(code)
                if fork is None:
                    fork = self._forks[code] = _Fork(code)
                fork.add(row)
        self._beginning.clear()
        self._unlearnt.clear()
        self._waiting.clear()
        self._edition += 1

    def codes(self, words: Iterable[str]) -> str:
        """Words that were learnt, in their characters."""
        return self._vocabulary.codes(words)

    def element(self, phrases: Iterable[Words]) -> Element:
        """A pattern for any of these phrases, the longer ones first."""
        coded = set(map(self.codes, phrases))
        singles = "".join(sorted([each for each in coded if len(each) == 1]))
        longer = sorted([each for each in coded if len(each) > 1], key=lambda each: (-len(each), each))
        starts, heads = frozenset([each[:2] for each in coded]), frozenset([each[0] for each in coded])
        pattern = "|".join([*longer, f"[{singles}]"] if singles else longer)
        # Whether any can begin there is asked first: most can not, and each alternative would be tried.
        ahead = f"(?=[{''.join(sorted(heads))}])" if len(longer) > 2 else ""
        return Element(f"(?:{ahead}(?:{pattern}))", starts, heads, optional=False)

    def mark(self, mark: str) -> Element:
        """What stands in a row beside words."""
        if mark == GAP:
            none = f'[^.?!,"{self.codes(_NEGATIONS)}]'
            return Element(f",?(?:{none},?){{0,3}}", is_open=True)
        return Element(MARKS[mark])

    def commonness(self, heads: frozenset[str]) -> tuple[int, int]:
        """Of two sets of words, which is more likely to have one in a text."""
        return len(heads & self._function_words), len(heads)


class _Fork:
    """The rows that can begin with one word, by the word that comes next."""

    __slots__ = ("_added", "_by_next", "_first", "_rest")

    def __init__(self, first: str) -> None:
        self._first = first
        self._added: list[Row] = []
        self._by_next: dict[str, tuple[Row, ...]] | None = None
        self._rest: tuple[Row, ...] = ()
        """The rows after whose first word any may come."""

    def add(self, row: Row) -> None:
        self._added.append(row)
        self._by_next = None

    def rows(self, following: str) -> tuple[Row, ...]:
        if self._by_next is None:
            self._by_next = self._sorted()
        return self._by_next.get(following, self._rest)

    def _sorted(self) -> dict[str, tuple[Row, ...]]:
        """Files the rows when one is first needed: most words never begin anything."""
        for row in self._added:
            if not row.is_coded:
                row.code()
        followers = {row: row.followers(self._first) for row in self._added}
        self._rest = tuple([row for row, following in followers.items() if following is None])
        by_next: dict[str, list[Row]] = {}
        for row, following in followers.items():
            for code in following or ():
                by_next.setdefault(code, list(self._rest)).append(row)
        return {code: tuple(rows) for code, rows in by_next.items()}


class _Beginning(dict[str, tuple[Row, ...]]):
    """Pair of words -> the rows that can begin with them, found out when a text first holds the pair."""

    def __init__(self, forks: Mapping[str, _Fork]) -> None:
        super().__init__()
        self._forks = forks

    def __missing__(self, pair: str) -> tuple[Row, ...]:
        if len(self) >= KEPT:
            self.clear()
        fork = self._forks.get(pair[0])
        found = self[pair] = fork.rows(pair[1]) if fork is not None else ()
        return found
