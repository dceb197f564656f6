"""Patterns: rows of words that a list gives, and what around a match takes it back.

In a row `a|b` stands for either, where `a_c` is two words, a word with `?` may be absent, `...` lets up to three words
lie between, `^` and `$` stand for the start and the end of a clause, and `<name>` stands for each word or phrase of the
class of that name. Rows are translated, not taken as regular expressions, so that no list can make matching slow.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Annotated, NamedTuple, TypeAlias

from pydantic import AfterValidator, Field, ValidationInfo

from evaluation.metrics.cues.cue import Phrase, RuleSettings
from evaluation.metrics.cues.phrases import whole_word_pattern
from evaluation.metrics.utterance import Text, fold, fold_phrase, tokens_of

Classes: TypeAlias = Mapping[str, Sequence[str]]
"""Name -> its words and phrases."""
NO_CLASSES: Classes = MappingProxyType({})
Span: TypeAlias = tuple[int, int]
"""Start and end in `Text.line`."""
MARKS = {
    "...": r"(?:[^\s.!?;]{1,30} ){0,3}",
    "^": r"(?:^ ?|(?<=[.,!?;:\"\u201c] )|(?<=[\"\u201c]))",
    "$": r"(?= ?(?:[.,!?;:\"\u201d]|$))",
}
"""What stands in a row beside words."""
REACH = 60
"""Characters before a match in which a word of `unless_before` takes it back, within the same clause."""
AFTER = 40
"""Characters after a match that are looked at for a phrase of `unless_after`."""
_CLAUSE_END = re.compile(r"[.,!?;:\n]")
_CLOSING = re.compile(r"(?:[.,!?]?[\"'\u201d][.,!?]?)? ?")
"""Characters between a match, quoted or not, and the words directly after it."""
_CLASS = re.compile(r"<([a-z_]+)>")
_EVERYWHERE = frozenset(
    tokens_of("a and are be can do for i in is it me my of s so t that the this to was we what will with you your")
)
_COMMON = frozenset(
    tokens_of(
        "about again all alone always am an any anyone are as at back because been before being better both but "
        "by call come could d day days did does doing don else even ever every everyone everything feel feeling "
        "feels first from get getting give go going good got had happen happy hard has have having he hear help "
        "her here him his home how if into just keep kind know later let life like little ll long look lot love m "
        "made make makes matter maybe mean might mind miss moment more most much must need never new next night "
        "no not nothing now off on once one only or other our out over own part people place put re really rest "
        "right said same say see she should sit some someone something sometimes soon sorry sound sounds start "
        "stay still stop such take talk tell than thank their them then there these they thing things think time "
        "today together tomorrow tonight too true try two up us ve very want way week well were when where which "
        "while who whole why without won work working would wrong yet "
    )
)
"""Tokens that nearly every text holds, and tokens that many do: little sign that a row will match."""

Phrases: TypeAlias = Annotated[tuple[Phrase, ...], Field(strict=False)]


def _row_reads(pattern: str, info: ValidationInfo) -> str:
    """Raises ValueError for a row that cannot be translated, so that its own place in the rubric is named."""
    translate(pattern, info.data.get("classes", NO_CLASSES))
    return pattern


Rows: TypeAlias = Annotated[tuple[Annotated[Phrase, AfterValidator(_row_reads)], ...], Field(strict=False)]
"""A list of rows of words. The setting `classes`, where there is one, stands before it."""


class GuardSettings(RuleSettings):
    """Words beside a match that show that it means something else."""

    unless_before: Phrases = ()
    """Negations, reported speech, questions: in the same clause before a match they take it back."""
    unless_after: Phrases = ()
    """Words that directly after a match make it something else."""
    own_words: Phrases = ()
    """Signs that the speaker says it himself after all: with one of these `unless_before` takes nothing back."""


class PatternSettings(GuardSettings):
    """Rows of words, the classes that they name, and what around a match takes it back."""

    classes: dict[str, Phrases] = Field(default_factory=dict)
    patterns: Rows = ()


class Guards:
    """Says of a match whether what stands around it takes it back. Lists are compiled for the first match."""

    def __init__(self, settings: GuardSettings) -> None:
        self._settings = settings

    @cached_property
    def _before(self) -> re.Pattern[str] | None:
        return _any_of(self._settings.unless_before)

    @cached_property
    def _own(self) -> re.Pattern[str] | None:
        return _any_of(self._settings.own_words)

    @cached_property
    def _after(self) -> re.Pattern[str] | None:
        return _any_of(self._settings.unless_after)

    def take_back(self, line: str, start: int, end: int) -> bool:
        closing = _CLOSING.match(line, end)
        if self._after is not None and closing and self._after.match(line, closing.end(), closing.end() + AFTER):
            return True
        before = _CLAUSE_END.split(line[max(0, start - REACH) : start])[-1]
        if self._before is None or not self._before.search(before):
            return False
        return self._own is None or not self._own.search(before)


def _any_of(phrases: tuple[str, ...]) -> re.Pattern[str] | None:
    if not phrases:
        return None
    return whole_word_pattern("(?:" + "|".join(re.escape(fold_phrase(phrase)) for phrase in phrases) + ")")


class Patterns:
    """A list of rows. A row is tried where the text holds a token of each of its words.

    Raises ValueError for a row with an empty choice, an unknown class, or no word that must occur.
    """

    def __init__(
        self, patterns: Sequence[str], classes: Classes = NO_CLASSES, guards: GuardSettings | None = None
    ) -> None:
        self._rows: list[Row] = []
        filed: dict[str, dict[frozenset[str], list[int]]] = {}
        rows = [row for pattern in patterns for row in _alone(pattern, classes)]
        for index, pattern in enumerate(rows):
            needed, translated = translate(pattern, classes)
            anchors, *others = map(_shared, sorted(needed, key=lambda tokens: sum(map(_commonness, tokens))))
            self._rows.append(Row(tuple(others[1:]), translated, _firsts(pattern, classes)))
            for anchor in anchors:
                filed.setdefault(anchor, {}).setdefault(others[0] if others else anchors, []).append(index)
        # Token -> the rows that are filed under it, together by the tokens of the rarest other word.
        self._filed = {anchor: list(groups.items()) for anchor, groups in filed.items()}
        self.tokens = frozenset(self._filed)
        """Those under which rows are filed: a text without any of them has no match."""
        self._guards = Guards(guards) if guards is not None else None
        self._compiled: dict[str, re.Pattern[str]] = {}

    def may_match(self, text: Text) -> bool:
        """False where the text holds no token under which a row is filed."""
        return not text.tokens.isdisjoint(self.tokens)

    def spans(self, text: Text) -> list[Span]:
        """The matches that nothing around them takes back, in the order of the text."""
        found = self._candidates(text.tokens)
        return sorted(self._tried(found, text)) if found else []

    def matches(self, text: Text) -> Iterator[Span]:
        """The same row by row, each looked for when it is asked for."""
        return self._tried(self._candidates(text.tokens), text)

    def _candidates(self, tokens: frozenset[str]) -> set[int]:
        """The rows of which the two rarest words may be there."""
        absent, filed = tokens.isdisjoint, self._filed
        known = tokens & self.tokens
        return {index for token in known for other, rows in filed[token] if not absent(other) for index in rows}

    def _tried(self, rows: set[int], text: Text) -> Iterator[Span]:
        tokens, line, guards = text.tokens, text.line, self._guards
        for index in sorted(rows):
            others, pattern, firsts = self._rows[index]
            for other in others:
                if tokens.isdisjoint(other):
                    break
            else:
                compiled = self._compile(pattern)
                spans = _matches(compiled, text, tokens & firsts) if firsts else _matches_anywhere(compiled, line)
                for span in spans:
                    if guards is None or not guards.take_back(line, *span):
                        yield span

    def _compile(self, pattern: str) -> re.Pattern[str]:
        """Compiled when first needed: most patterns never are, and a run of few scenarios needs none."""
        found = self._compiled.get(pattern)
        if found is None:
            found = self._compiled[pattern] = re.compile(pattern)
        return found


def _alone(pattern: str, classes: Classes) -> Sequence[str]:
    """The members of the class of which a row consists: each is tried only where its own words occur. Else the row."""
    named = _CLASS.fullmatch(pattern.strip())
    return classes.get(named[1], (pattern,)) if named else (pattern,)


class Row(NamedTuple):
    """One row: the tokens of which a text must hold one each, and the regular expression."""

    others: tuple[frozenset[str], ...]
    """For each word but the two rarest, the rarer first: tokens of which a text holds one."""
    pattern: str
    firsts: frozenset[str]
    """The tokens with which a match can begin; none where it may begin with any."""


@lru_cache(maxsize=4096)
def _shared(tokens: tuple[str, ...]) -> frozenset[str]:
    """One set for all rows with the same class."""
    return frozenset(tokens)


def _commonness(token: str) -> float:
    """About the share of texts that hold a token."""
    return 0.7 if token in _EVERYWHERE else 0.1 if token in _COMMON else 0.01 / len(token)


def _matches(pattern: re.Pattern[str], text: Text, firsts: Iterable[str]) -> Iterator[Span]:
    """The matches that begin where a word begins, with one of these tokens.

    Only there the pattern is tried: to search a line for it takes ten times as long.
    """
    line, reached = text.line, 0
    for start in _starts(text, firsts):
        if start >= reached and (match := pattern.match(line, start)):
            reached = match.end()
            yield start, start + len(line[start:reached].rstrip())


def _starts(text: Text, firsts: Iterable[str]) -> list[int]:
    """Where these tokens stand as words of their own, in order; a blank before all words is a start as well."""
    starts = [0] if text.line.startswith(" ") else []
    for token in firsts:
        starts += text.places_of(token)
    return sorted(starts) if len(starts) > 1 else starts


def _matches_anywhere(pattern: re.Pattern[str], line: str) -> Iterator[Span]:
    """The same for a row that may begin with any word, or with a mark."""
    at = 0
    while match := pattern.search(line, at):
        start, end = match.span()
        if start and line[start - 1].isalnum():
            at = start + 1
        else:
            yield start, start + len(line[start:end].rstrip())
            at = end


def translate(pattern: str, classes: Classes = NO_CLASSES) -> tuple[tuple[tuple[str, ...], ...], str]:
    """For each word that must occur the tokens of which a text holds one, and the pattern as a regular expression."""
    parts: list[str] = []
    needed: list[tuple[str, ...]] = []
    for word in fold(pattern).split():
        if word in MARKS:
            parts.append(MARKS[word])
            continue
        tokens, either = _choices(word.removesuffix("?"), classes, pattern)
        parts.append(f"(?:{either})?" if word.endswith("?") else either)
        if not word.endswith("?"):
            needed.append(tokens)
    if not needed:
        raise ValueError(f"pattern {pattern!r} has no word that must occur")
    return tuple(needed), "".join(parts)


def _firsts(pattern: str, classes: Classes) -> frozenset[str]:
    """The tokens with which a match can begin. None where a gap or a mark may stand first."""
    firsts: set[str] = set()
    for word in fold(pattern).split():
        if word == "^":
            continue
        members = [
            member for choice in word.removesuffix("?").split("|") for member in _members(choice, classes, pattern)
        ]
        found = _first_of(tuple(members)) if word not in MARKS else frozenset[str]()
        if not found:
            break
        if not word.endswith("?"):
            return found | firsts if firsts else found
        firsts |= found
    return frozenset()


@lru_cache(maxsize=1024)
def _first_of(members: tuple[str, ...]) -> frozenset[str]:
    """The first token of each member; none where a member begins with a mark."""
    folded = list(map(fold_phrase, members))
    tokens = [tokens_of(member)[0] for member in folded]
    return frozenset(tokens) if all(map(str.startswith, folded, tokens)) else frozenset()


def _choices(word: str, classes: Classes, pattern: str) -> tuple[tuple[str, ...], str]:
    """Of a word such as a|<name>: a token of each choice, and the choices as a regular expression."""
    prepared = [_prepared(_members(choice, classes, pattern)) for choice in word.split("|")]
    if not all(needed for needed, _ in prepared):
        raise ValueError(f"pattern {pattern!r} has an empty choice in {word!r}; write words as a|b")
    either = "|".join(joined for _, joined in prepared)
    return tuple(token for needed, _ in prepared for token in needed), rf"(?:{either})(?: |(?![^\W_]))"


@lru_cache(maxsize=1024)
def _prepared(members: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """The rarest token of each member, none where a member has no token, and the members as alternatives.

    Kept, for a class of a hundred words stands in dozens of rows.
    """
    folded = tuple(map(fold_phrase, members))
    tokens = [tokens_of(member) for member in folded]
    needed = tuple(min(each, key=_commonness) for each in tokens) if all(tokens) else ()
    return needed, "|".join(map(re.escape, folded))


def _members(choice: str, classes: Classes, pattern: str) -> tuple[str, ...]:
    """The choice itself, or the members of the class that it names."""
    named = _CLASS.fullmatch(choice)
    if named is None:
        return (choice.replace("_", " "),)
    if named[1] not in classes:
        raise ValueError(f"pattern {pattern!r} names the class {choice}, which is not among {', '.join(classes)}")
    return tuple(classes[named[1]])
