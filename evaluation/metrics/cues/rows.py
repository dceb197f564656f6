"""Rows of words that a text may say, found fast where there are many of them with large classes.

A row is written as in `patterns`: `a|b` stands for either, a word with `?` may be absent, `...` lets up to three words
lie between, `<name>` stands for each word or phrase of a class. Each word that rows know gets one character. A text
becomes a short string of such characters, a row a short pattern over them, tried only where a word begins that the row
can begin with. A hyphen is a blank; a comma ends a row except within `...`; the end of a sentence always does.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from types import MappingProxyType
from typing import TypeAlias

from pydantic import Field

from evaluation.metrics.cues.patterns import GuardSettings, Phrases, Span
from evaluation.metrics.utterance import Text, fold_phrase, pieces_of
from evaluation.records import Finding

GAP = "..."
LONGEST_CLAUSE = 12
"""Words before a match in which a guard is looked for."""
LONGEST_SENTENCE = 60
"""Pieces on either side of a match that are read as its sentence."""
_FIRST_CODE, _LAST_CODE = 0xE000, 0xF8FF
"""Characters for private use: no text that was folded into pieces holds one as a word."""
_OTHER = "o"
_MARKS = {
    **dict.fromkeys(",;:\u2013\u2014()-", ","),
    **dict.fromkeys(".\u2026\u3002", "."),
    **dict.fromkeys("?\uff1f", "?"),
    **dict.fromkeys("!\uff01", "!"),
    **dict.fromkeys("\"\u201c\u201d'", '"'),
}
"""Punctuation marks as coded: the end of a clause, of a sentence, or a quotation mark."""
_CLAUSE_ENDS = ',.?!"'
_ENDS = ".?!"
_END = re.compile("[.?!]")
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


class _Codes:
    """One character for each word that rows know."""

    def __init__(self) -> None:
        self._of: dict[str, str] = dict(_MARKS)
        self._negations = "".join(map(self.code, _NEGATIONS))

    def code(self, word: str) -> str:
        found = self._of.get(word)
        if found is None:
            number = _FIRST_CODE + len(self._of)
            if number > _LAST_CODE:
                raise ValueError("rows and classes hold more than 6,000 different words")
            found = self._of[word] = chr(number)
        return found

    @property
    def gap(self) -> _Element:
        """Up to three words, none of them a negation."""
        return _Element(f'(?:[^.?!,"{self._negations}],?){{0,3}}', True, None)

    def written(self, pieces: Iterable[str]) -> str:
        of = self._of.get
        return "".join([of(piece, _OTHER) for piece in pieces])

    def any_of(self, sequences: Iterable[tuple[str, ...]]) -> str:
        """A pattern for any of these phrases, longer ones first."""
        coded = {"".join(map(self.code, words)) for words in sequences}
        singles = "".join(sorted(each for each in coded if len(each) == 1))
        longer = sorted((each for each in coded if len(each) > 1), key=lambda each: (-len(each), each))
        return "(?:" + "|".join([*longer, *([f"[{singles}]"] if singles else [])]) + ")"


class _Lazy:
    """A pattern that is compiled when first needed."""

    __slots__ = ("_compiled", "_source")

    def __init__(self, source: str) -> None:
        self._source = source
        self._compiled: re.Pattern[str] | None = None

    @property
    def pattern(self) -> re.Pattern[str]:
        if self._compiled is None:
            self._compiled = re.compile(self._source)
        return self._compiled


_Entry: TypeAlias = tuple[str, _Lazy]
"""The name of a list and one of its rows."""


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


class Coded:
    """A text as the rows of one cue see it. Places are those of pieces."""

    def __init__(self, text: Text, codes: _Codes) -> None:
        self.text = text
        self.line = codes.written(text.pieces)

    def finding(self, cue: str, span: Span) -> Finding:
        places = self.text.piece_places
        return self.text.finding(cue, places[span[0]][0], places[span[1] - 1][1])

    def sentence(self, at: int) -> Span:
        """Where the sentence around a piece begins and ends, its mark included, read over a bounded stretch."""
        line, floor = self.line, max(0, at - LONGEST_SENTENCE)
        start = max(floor, 1 + max(line.rfind(mark, floor, at) for mark in _ENDS))
        end = _END.search(line, at, at + LONGEST_SENTENCE)
        return start, end.end() if end else min(len(line), at + LONGEST_SENTENCE)

    def clause_start(self, at: int, reach: int) -> int:
        """Where the clause of a piece begins, so many words before it at the most."""
        floor = max(0, at - reach)
        while at > floor and self.line[at - 1] not in _CLAUSE_ENDS:
            at -= 1
        return at

    def is_quoted(self, start: int) -> bool:
        """True behind an opening quotation mark, where the whole text does not stand in quotation marks."""
        return start > 0 and self.line[start - 1] == '"' and not (start == 1 and self.line[-1] == '"')


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
        self._codes = _Codes()
        self._classes = {
            name: [words for member in members for words in _spellings(member)]
            for name, members in settings.classes.items()
        }
        self._before = self._phrases(settings.unless_before)
        self._own = self._phrases(settings.own_words)
        self._after = self._phrases(settings.unless_after)
        self._asking = self._phrases(settings.asking)
        self._apologies = self._phrases(settings.apologies)
        self._leads = frozenset(map(self._codes.code, (word for lead in settings.leads for word in _words(lead))))
        self._forks: dict[str, _Fork] = {}
        for name, rows in (*lists.items(), *unguarded.items()):
            for row in rows:
                self._file(name, row)

    def spans(self, text: Text) -> tuple[Coded, dict[str, list[Span]]]:
        coded = Coded(text, self._codes)
        line, forks = coded.line, self._forks
        found: dict[str, list[Span]] = {}
        for start, code in enumerate(line):
            fork = forks.get(code)
            if fork is None:
                continue
            for name, row in fork.rows(line[start + 1 : start + 2]):
                match = row.pattern.match(line, start)
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
        if self._after is not None and self._after.pattern.match(line, end + line.startswith('"', end)):
            return True
        if self._apologies is not None and self._apologies.pattern.match(line, end + line.startswith(",", end)):
            return True
        clause = coded.clause_start(start, self._reach)
        if clause == start:
            return False
        if self._before is not None and self._before.pattern.search(line, clause, start):
            return self._own is None or not self._own.pattern.search(line, clause, start)
        if self._asking is not None and self._asking.pattern.search(line, clause, start):
            return line[coded.sentence(start)[1] - 1] == "?"
        return False

    def _phrases(self, phrases: Sequence[str]) -> _Lazy | None:
        return _Lazy(self._codes.any_of(words for each in phrases for words in _spellings(each))) if phrases else None

    def _file(self, name: str, row: str) -> None:
        elements = self._elements(row)
        optional = [element.optional for element in elements]
        entry = (name, _Lazy("".join(element.pattern for element in elements)))
        for at, element in enumerate(elements[: optional.index(False) + 1]):
            following = _heads(elements[at + 1 :])
            for first, second in element.starts or ():
                fork = self._forks.setdefault(first, _Fork())
                fork.add(entry, frozenset((second,)) if second else following)

    def _elements(self, row: str) -> "list[_Element]":
        elements = []
        for word in fold_phrase(row).split():
            if word == GAP:
                elements.append(self._codes.gap)
                continue
            choices = word.removesuffix("?").split("|")
            sequences = [sequence for choice in choices for sequence in self._choice(choice)]
            optional = word.endswith("?")
            coded = ["".join(map(self._codes.code, words[:2])) for words in sequences]
            starts = frozenset((each[0], each[1:]) for each in coded)
            elements.append(_Element(self._codes.any_of(sequences) + "?" * optional, optional, starts))
        return elements

    def _choice(self, choice: str) -> Sequences:
        named = _CLASS.fullmatch(choice)
        return _spellings(choice) if named is None else self._classes[named[1]]


def _words(phrase: str) -> tuple[str, ...]:
    """The words of a phrase. Raises ValueError where it has none."""
    return tuple(piece for piece in pieces_of(fold_phrase(phrase)) if piece not in _MARKS)


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
