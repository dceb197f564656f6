"""The index of all rows: which of them can begin with two neighbouring words of a text, so that it is read once.

A row is a chain of small functions over a text's characters, one for each word. It is filed under the words with which
it can begin, and coded when a text first holds one of these. It is tried where a text holds two words with which it can
begin and, somewhere, a word for the rarest of its others.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from operator import add
from typing import NamedTuple, TypeAlias

from evaluation.metrics.cues.coding import CLAUSE_ENDS, KEPT, Coded, Vocabulary, words_of
from evaluation.metrics.cues.contractions import VERBS, spellings
from evaluation.metrics.cues.cue import Span
from evaluation.metrics.cues.steps import END, GAP, MARKS, CodedPhrases, Match, ended, gap, mark, optional
from evaluation.metrics.utterance import Text
from evaluation.text.function_words import FUNCTION_WORDS

_NEGATIONS = ("not", "never", "cannot", "can't", "won't", *(f"{verb}n't" for verb in VERBS))
"""Words over which a gap does not reach: with them a row says the contrary."""
Words: TypeAlias = tuple[str, ...]


class Behind(NamedTuple):
    """A row in a text that holds two words with which it begins."""

    third: str | None
    """The characters that can come next; None where any can."""
    needed: frozenset[str] | None
    """Characters of which the text must hold one; None where nothing else is needed."""
    step: Match
    """Matches the rest of the row."""
    at: int
    """Words behind the first one at which the rest begins."""
    rows: object


Begun: TypeAlias = tuple[Behind, ...] | dict[str, Sequence[Behind]]
"""The rows that begin with two words; where there are many, by the word that comes third."""
ANY = ""
"""Any other word, among those that come third."""
MANY = 6
"""Rows that begin with the same two words from which on they are filed by the third."""


class Row:
    """One row of a list."""

    __slots__ = ("_classes", "_row", "_steps", "_words", "needed", "rows")

    def __init__(self, rows: object, row: str, classes: "WordClasses") -> None:
        self.rows = rows
        """The list in which it stands."""
        self._classes = classes
        self._row = row
        self._words: Sequence[str] = ()
        self._steps: Sequence[Match] = ()
        self.needed: frozenset[str] | None = None
        """Characters of which a text must hold one; None where its beginning says it all."""

    def first_words(self) -> Iterable[str]:
        """All words with which it can begin."""
        for word in self._row.split():
            yield from self._classes.first_words(word)
            if not self._classes.is_optional(word):
                return

    def code(self) -> None:
        """Codes it, before it can be tried; once."""
        if self._steps:
            return
        self._words = self._row.split()
        classes = self._classes
        steps: list[Match] = [ended]
        for place in range(len(self._words) - 1, -1, -1):
            heads = self.follow("", place + 1)
            steps.append(classes.step(self._words[place], None if heads is None else "".join(heads), steps[-1]))
        self._steps = steps[::-1]
        # What stands before a gap, or among the first two words, is known to be there when a row is tried.
        words = self._words[self._words.index(GAP) :] if GAP in self._words else self._required(self._words)[2:]
        needed = [frozenset(classes.phrases(word).heads) for word in self._required(words)]
        self.needed = min(needed, key=classes.index.commonness, default=None)

    def _required(self, words: Sequence[str]) -> Sequence[str]:
        return [word for word in words if not self._classes.is_optional(word)]

    def behind(self, pair: str) -> Behind:
        """What is left of it behind the two words with which it begins."""
        third = self.follow(pair)
        at = len(list(takewhile(bool, map(self._stands_alone, self._words, pair))))
        if at == 2 and third is not None and self._stands_alone(self._words[2]):
            at = 3
        heads = None if third is None else third[0] if len(third) == 1 else "".join(third)
        return Behind(heads, self.needed if third is None else None, self._steps[at], at, self.rows)

    def _stands_alone(self, word: str, code: str = "") -> bool:
        """True for a word that must stand there and is one character, where the text holds this one or any."""
        phrases = self._classes.phrases(word)
        return not (self._classes.is_optional(word) or (phrases.longer if not code else code in phrases.longer))

    def follow(self, said: str, place: int = 0) -> list[str] | None:
        """The characters that can come behind the first ones; None where any can. A few too many do no harm."""
        if place == len(self._words) or self._words[place] == GAP:
            return None
        word = self._words[place]
        phrases = self._classes.phrases(word)
        found: list[str] = []
        behind: list[list[str] | None] = [found]
        if not said:
            found.append(phrases.heads)
        else:
            if said[0] in phrases.singles:
                behind.append(self.follow(said[1:], place + 1))
            for phrase in phrases.longer.get(said[0], ()):
                if said.startswith(phrase):
                    behind.append(self.follow(said[len(phrase) :], place + 1))
                elif phrase.startswith(said):
                    found.append(phrase[len(said)])
        if self._classes.is_optional(word):
            behind.append(self.follow(said, place + 1))
        return None if None in behind else [each for some in behind for each in some or () if each]


class WordClasses:
    """The classes that rows name, each coded once for all rows."""

    def __init__(self, index: "RowIndex", classes: Mapping[str, Sequence[str]]) -> None:
        self.index = index
        self.given = classes
        """Name -> its words and phrases."""
        self._phrases: dict[str, CodedPhrases] = {}
        self._spelled: dict[str, list[Words]] = {}
        for members in classes.values():
            index.learn(members)

    def is_optional(self, word: str) -> bool:
        """True for a word that may be absent and for a mark."""
        return word.endswith("?") or word in MARKS

    def first_words(self, word: str) -> frozenset[str]:
        """Those of each phrase for which a word of a row stands."""
        return frozenset([words[0] for words in self._spellings(word)])

    def phrases(self, word: str) -> CodedPhrases:
        """The phrases for which a word of a row stands, as coded; none for a mark."""
        found = self._phrases.get(word)
        if found is None:
            found = self._phrases[word] = self.index.code(self._spellings(word))
        return found

    def step(self, word: str, heads: str | None, then: Match) -> Match:
        """Matches a word of a row, and what comes behind it, which begins with one of `heads`, or any where None."""
        if word == GAP:
            return gap(self.index.blocked, heads, then)
        if word in MARKS:
            return mark(word, then)
        step = self.phrases(word).step(then)
        return optional(step, then) if word.endswith("?") else step

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
        self._waiting: list[tuple[object, Sequence[str], WordClasses]] = []
        self._filed: dict[str, list[Row]] = {}
        self._beginning = _Beginning(self._filed)
        self._edition = 0

    def learn(self, phrases: Iterable[str]) -> None:
        """Phrases of which a text keeps each word apart."""
        self._unlearnt.extend(phrases)

    def add(self, rows: object, listed: Sequence[str], classes: WordClasses) -> None:
        """Rows are filed when a text is first read, for a rubric is read more often than one of its cues is used."""
        self._waiting.append((rows, listed, classes))

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
        absent, found, padded = frozenset(line).isdisjoint, reading.found, line + END + END
        beginning = self._beginning
        for start, pair in enumerate(map(add, line, padded[1:])):
            begun = beginning[pair]
            tried = begun if isinstance(begun, tuple) else begun.get(padded[start + 2], begun[ANY])
            for third, needed, step, at, rows in tried:
                if third is None:
                    if needed is not None and absent(needed):
                        continue
                elif padded[start + 2] not in third:
                    continue
                if end := step(padded, start + at):
                    found.setdefault(rows, []).append((start, end))
        return reading

    def _file(self) -> None:
        self._vocabulary.learn(self._unlearnt)
        self._function_words = frozenset([self._vocabulary.get(word, "") for word in FUNCTION_WORDS])
        code_of, filed = self._vocabulary.__getitem__, self._filed
        for row in (Row(rows, row, classes) for rows, listed, classes in self._waiting for row in listed):
            for code in map(code_of, row.first_words()):
                if code not in filed:
                    filed[code] = []
                filed[code].append(row)
        self._beginning.clear()
        self._unlearnt.clear()
        self._waiting.clear()
        self._edition += 1

    def codes(self, words: Iterable[str]) -> str:
        """Words that were learnt, in their characters."""
        return self._vocabulary.codes(words)

    def code(self, phrases: Iterable[Words]) -> CodedPhrases:
        """Phrases of words that were learnt."""
        return CodedPhrases(set(map(self.codes, phrases)))

    @cached_property
    def blocked(self) -> str:
        """What a gap does not reach over."""
        return CLAUSE_ENDS + END + self.codes(_NEGATIONS)

    def commonness(self, heads: frozenset[str]) -> tuple[int, int]:
        """Of two sets of words, which is more likely to have one in a text."""
        return len(heads & self._function_words), len(heads)


class _Beginning(dict[str, Begun]):
    """Pair of words -> the rows that can begin with them, found out when a text first holds the pair."""

    def __init__(self, filed: Mapping[str, Sequence[Row]]) -> None:
        super().__init__()
        self._filed = filed
        self._forks: dict[str, tuple[Mapping[str, Sequence[Row]], Sequence[Row]]] = {}
        """First word -> the rows by the word that comes next, and those after whose first word any may come."""

    def clear(self) -> None:
        """Rows were added."""
        super().clear()
        self._forks.clear()

    def __missing__(self, pair: str) -> Begun:
        if len(self) >= KEPT:
            super().clear()
        first, following = pair[0], pair[1]
        if first not in self._filed:
            return self.setdefault(pair, ())
        if first not in self._forks:
            self._forks[first] = self._sorted(first)
        by_next, rest = self._forks[first]
        begun = tuple([row.behind(pair) for row in by_next.get(following, rest)])
        return self.setdefault(pair, begun if len(begun) < MANY else _by_third(begun))

    def _sorted(self, first: str) -> tuple[Mapping[str, Sequence[Row]], Sequence[Row]]:
        """The rows by their second word, coded when one is first needed: most words never begin anything."""
        by_next: dict[str, list[Row]] = {}
        rest: list[Row] = []
        for row in self._filed[first]:
            row.code()
            if row.follow(first) is None:
                rest.append(row)
        for row in self._filed[first]:
            for code in dict.fromkeys("".join(row.follow(first) or ())):
                by_next.setdefault(code, list(rest)).append(row)
        return by_next, rest


def _by_third(begun: Sequence[Behind]) -> dict[str, Sequence[Behind]]:
    found: dict[str, list[Behind]] = {ANY: []}
    for row in begun:
        for code in found if row.third is None else dict.fromkeys(row.third):
            found.setdefault(code, list(found[ANY])).append(row)
    return {**found}
