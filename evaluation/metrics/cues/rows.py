"""Rows of words that a text may say, found fast where there are many of them with large classes.

A row is written as in `patterns`: `a|b` stands for either, a word with `?` may be absent, `...` lets up to three words
lie between, `<name>` stands for each word or phrase of a class. Each word that rows know gets one character. A text
becomes a short string of such characters, a row a short pattern over them, tried only where a word begins that the row
can begin with. A hyphen is a blank; a comma ends a row except within `...`; the end of a sentence always does.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from pydantic import Field

from evaluation.metrics.cues.coding import MARKS, VOCABULARY, Coded
from evaluation.metrics.cues.patterns import GuardSettings, Phrases, Span
from evaluation.metrics.utterance import Text, fold_phrase, pieces_of

GAP = "..."
LONGEST_CLAUSE = 12
"""Words before a match in which a guard is looked for."""
KEPT = 20_000
"""Pairs of codes whose rows are remembered."""
_VERBS = (
    "are",
    "could",
    "did",
    "do",
    "does",
    "had",
    "has",
    "have",
    "is",
    "must",
    "need",
    "should",
    "was",
    "were",
    "would",
)
_PERSONS = ("he", "i", "it", "she", "that", "they", "we", "who", "you")
_TENSES = (("d", "would"), ("ll", "will"), ("ve", "have"))
_NEGATIONS = ("not", "never", "cannot", "can't", "won't", *(f"{verb}n't" for verb in _VERBS))
"""Words over which a gap does not reach: with them a row says the contrary."""
_CLASS = re.compile(r"<([a-z_]+)>")
Sequences: TypeAlias = list[tuple[str, ...]]
"""The phrases that may stand for one word of a row, each as its words."""


class RowSettings(GuardSettings):
    """Classes of words for rows, and what takes a match of a row back."""

    classes: dict[str, Phrases] = Field(default={})
    """Name -> words and phrases, for <name> in a row."""
    asking: Phrases = ()
    """Words before a match that make it, in a question, something that is asked and not said."""
    apologies: Phrases = ()
    """Words behind a match, a comma between them or not, that make it an apology or a refusal."""
    leads: Phrases = ()
    """Words with which a sentence may begin before a row that counts at its start only."""


@dataclass(frozen=True, slots=True)
class _Element:
    """One word of a row as coded."""

    pattern: str
    optional: bool
    starts: frozenset[tuple[str, str]] | None
    """First and second code of each of its phrases, the second empty for a single word; None where any word may do."""


def _gap() -> _Element:
    """Up to three words, none of them a negation."""
    negations = "".join(map(VOCABULARY.code, _NEGATIONS))
    return _Element(f'(?:[^.?!,"{negations}],?){{0,3}}', True, None)


def _any_of(sequences: Iterable[tuple[str, ...]]) -> str:
    """A pattern for any of these phrases, longer ones first."""
    coded = {"".join(map(VOCABULARY.code, words)) for words in sequences}
    singles = "".join(sorted(each for each in coded if len(each) == 1))
    longer = sorted((each for each in coded if len(each) > 1), key=lambda each: (-len(each), each))
    return "(?:" + "|".join([*longer, *([f"[{singles}]"] if singles else [])]) + ")"


class _Lazy:
    """A pattern that is compiled when first needed."""

    __slots__ = ("_source", "match", "search")

    def __init__(self, source: str) -> None:
        self._source = source
        self.match: Callable[[str, int], re.Match[str] | None] = self._first_match
        self.search: Callable[[str, int, int], re.Match[str] | None] = self._first_search

    def _compile(self) -> re.Pattern[str]:
        pattern = re.compile(self._source)
        self.match, self.search = pattern.match, pattern.search
        return pattern

    def _first_match(self, line: str, start: int) -> re.Match[str] | None:
        return self._compile().match(line, start)

    def _first_search(self, line: str, start: int, end: int) -> re.Match[str] | None:
        return self._compile().search(line, start, end)


class _Entry(NamedTuple):
    """One of the rows of a list."""

    name: str
    """That of the list."""
    row: _Lazy
    last: frozenset[str]
    """The codes of which a text holds one where its last word that must occur is there."""


def _heads(elements: Sequence[_Element]) -> frozenset[str] | None:
    """The codes with which these words can begin; None where it may be any, or none."""
    heads: set[str] = set()
    for element in elements:
        if element.starts is None:
            return None
        heads.update(first for first, _ in element.starts)
        if not element.optional:
            return frozenset(heads)
    return None


class _Fork:
    """The rows that can begin with one code, by the code that comes next."""

    __slots__ = ("_added", "_by_next", "_rest")

    def __init__(self) -> None:
        self._added: list[tuple[_Entry, frozenset[str] | None]] = []
        self._by_next: dict[str, tuple[_Entry, ...]] = {}
        self._rest: tuple[_Entry, ...] | None = None
        """The rows after whose first word any may come."""

    def add(self, entry: _Entry, following: frozenset[str] | None) -> None:
        self._added.append((entry, following))

    def rows(self, following: str) -> tuple[_Entry, ...]:
        if self._rest is None:
            self._sort()
        return self._by_next.get(following, self._rest or ())

    def _sort(self) -> None:
        """Files the rows when one is first needed: most codes never begin anything."""
        rest = tuple(dict.fromkeys(entry for entry, following in self._added if following is None))
        by_next: dict[str, dict[_Entry, None]] = {}
        for entry, following in self._added:
            for code in following or ():
                by_next.setdefault(code, dict.fromkeys(rest))[entry] = None
        self._by_next = {code: tuple(entries) for code, entries in by_next.items()}
        self._rest = rest


class _Beginning(dict[str, tuple[_Entry, ...]]):
    """Pair of codes -> the rows that can begin with them, found out when a text first holds the pair."""

    def __init__(self, forks: Mapping[str, _Fork]) -> None:
        super().__init__()
        self._forks = forks

    def __missing__(self, pair: str) -> tuple[_Entry, ...]:
        if len(self) >= KEPT:
            self.clear()
        fork = self._forks.get(pair[0])
        found = self[pair] = fork.rows(pair[1:]) if fork is not None else ()
        return found


class RowBook:
    """Lists of rows that share classes, each list by its name, and guards, but for those that are unguarded.

    Raises ValueError for a row with an empty choice, an unknown class, or no word that must occur. Rows are coded when
    a text is first looked at, for a rubric is read more often than one of its cues is used.
    """

    def __init__(
        self,
        settings: RowSettings,
        lists: Mapping[str, Sequence[str]],
        reach: int = LONGEST_CLAUSE,
        unguarded: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        names = frozenset(settings.classes)
        for row in (row for rows in (*lists.values(), *unguarded.values()) for row in rows):
            _check_row(row, names)
        self._code = partial(_CodedRows, settings, lists, reach, unguarded)
        self._rows: _CodedRows | None = None

    def spans(self, text: Text) -> tuple[Coded, dict[str, list[Span]]]:
        """The text as coded, and of each list with any the places that nothing around them takes back, in order."""
        if self._rows is None:
            self._rows = self._code()
        return self._rows.spans(text)

    def opens(self, coded: Coded, start: int) -> bool:
        """True when nothing but leads and commas stands before a place in its sentence."""
        return self._rows is not None and self._rows.opens(coded, start)


@lru_cache(maxsize=4096)
def _check_row(row: str, classes: frozenset[str]) -> None:
    words = [word for word in fold_phrase(row).split() if word != GAP]
    if all(word.endswith("?") for word in words):
        raise ValueError(f"row {row!r} has no word that must occur")
    for choice in (choice for word in words for choice in word.removesuffix("?").split("|")):
        named = _CLASS.fullmatch(choice)
        if named is None and not _words(choice):
            raise ValueError(f"row {row!r} has an empty choice; write words as a|b")
        if named is not None and named[1] not in classes:
            raise ValueError(f"row {row!r} names the class {choice}, which is not among {', '.join(sorted(classes))}")


class _CodedRows:
    """Lists of rows as coded; they were checked."""

    def __init__(
        self,
        settings: RowSettings,
        lists: Mapping[str, Sequence[str]],
        reach: int,
        unguarded: Mapping[str, Sequence[str]],
    ) -> None:
        self._reach = reach
        self._unguarded = frozenset(unguarded)
        self._classes = {
            name: [words for member in members for words in _spellings(member)]
            for name, members in settings.classes.items()
        }
        self._before = self._phrases(settings.unless_before)
        self._own = self._phrases(settings.own_words)
        self._after = self._phrases(settings.unless_after)
        self._asking = self._phrases(settings.asking)
        self._apologies = self._phrases(settings.apologies)
        self._leads = frozenset(map(VOCABULARY.code, (word for lead in settings.leads for word in _words(lead))))
        self._forks: dict[str, _Fork] = {}
        self._beginning = _Beginning(self._forks)
        for name, rows in (*lists.items(), *unguarded.items()):
            for row in rows:
                self._file(name, row)

    def spans(self, text: Text) -> tuple[Coded, dict[str, list[Span]]]:
        coded = VOCABULARY.coded(text)
        line, codes = coded.line, coded.codes
        found: dict[str, list[Span]] = {}
        for start, entries in enumerate(map(self._beginning.__getitem__, coded.pairs)):
            for name, row, last in entries:
                if codes.isdisjoint(last):
                    continue
                match = row.match(line, start)
                if match is None:
                    continue
                if name in self._unguarded or not self._takes_back(coded, start, match.end()):
                    found.setdefault(name, []).append((start, match.end()))
        return coded, found

    def opens(self, coded: Coded, start: int) -> bool:
        before = coded.line[coded.sentence(start)[0] : start]
        return all(code in self._leads or code in ',"' for code in before)

    def _takes_back(self, coded: Coded, start: int, end: int) -> bool:
        line = coded.line
        if coded.is_quoted(start):
            return True
        if self._after is not None and self._after.match(line, end + line.startswith('"', end)):
            return True
        if self._apologies is not None and self._apologies.match(line, end + line.startswith(",", end)):
            return True
        clause = coded.clause_start(start, self._reach)
        if clause == start:
            return False
        if self._before is not None and self._before.search(line, clause, start):
            return self._own is None or not self._own.search(line, clause, start)
        if self._asking is not None and self._asking.search(line, clause, start):
            return line[coded.sentence(start)[1] - 1] == "?"
        return False

    def _phrases(self, phrases: Sequence[str]) -> _Lazy | None:
        return _Lazy(_any_of(words for each in phrases for words in _spellings(each))) if phrases else None

    def _file(self, name: str, row: str) -> None:
        elements = self._elements(row)
        optional = [element.optional for element in elements]
        last = next(each.starts for each in reversed(elements) if not each.optional and each.starts is not None)
        lazy = _Lazy("".join(element.pattern for element in elements))
        entry = _Entry(name, lazy, frozenset(first for first, _ in last))
        for at, element in enumerate(elements[: optional.index(False) + 1]):
            following = _heads(elements[at + 1 :])
            for first, second in element.starts or ():
                fork = self._forks.setdefault(first, _Fork())
                fork.add(entry, frozenset((second,)) if second else following)

    def _elements(self, row: str) -> "list[_Element]":
        elements = []
        for word in fold_phrase(row).split():
            if word == GAP:
                elements.append(_gap())
                continue
            choices = word.removesuffix("?").split("|")
            sequences = [sequence for choice in choices for sequence in self._choice(choice)]
            optional = word.endswith("?")
            coded = ["".join(map(VOCABULARY.code, words[:2])) for words in sequences]
            starts = frozenset((each[0], each[1:]) for each in coded)
            elements.append(_Element(_any_of(sequences) + "?" * optional, optional, starts))
        return elements

    def _choice(self, choice: str) -> Sequences:
        named = _CLASS.fullmatch(choice)
        return _spellings(choice) if named is None else self._classes[named[1]]


def _words(phrase: str) -> tuple[str, ...]:
    """The words of a phrase. Raises ValueError where it has none."""
    return tuple(piece for piece in pieces_of(fold_phrase(phrase)) if piece not in MARKS)


_LONG_FORMS = {
    "can't": "cannot",
    "won't": "will not",
    "i'm": "i am",
    "let's": "let us",
    **{f"{verb}n't": f"{verb} not" for verb in _VERBS},
    **{f"{who}'s": f"{who} is" for who in ("he", "here", "how", "it", "she", "that", "there", "what", "where", "who")},
    **{f"{who}'re": f"{who} are" for who in ("they", "we", "what", "who", "you")},
    **{f"{who}'{short}": f"{who} {long}" for who in _PERSONS for short, long in _TENSES},
}
"""A contraction -> what it stands for."""
_OTHER_WORDS = frozenset(("hell", "hed", "hes", "ill", "id", "shed", "shell", "wed", "well", "were", "whore"))
"""What a contraction would be without its apostrophe, but is another word."""


def _spellings(phrase: str) -> Sequences:
    """The words of a phrase, with its contractions written out as well, and without their apostrophes."""
    words = _words(phrase)
    if "'" not in phrase:
        return [words]
    long = _words(" ".join(_LONG_FORMS.get(word, word) for word in words))
    bare = tuple(word if word.replace("'", "") in _OTHER_WORDS else word.replace("'", "") for word in words)
    return list(dict.fromkeys((words, long, bare)))
