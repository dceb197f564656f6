"""Patterns: rows of words that a list gives, and what around a match takes it back.

In a row `a|b` stands for either, a word with `?` may be absent, `...` lets up to three words lie between, and `<name>`
stands for each word or phrase of the class of that name. Rows are translated, not taken as regular expressions, so that
no list can make matching slow.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
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
GAP = "..."
REACH = 60
"""Characters before a match in which a word of `unless_before` takes it back, within the same clause."""
AFTER = 40
"""Characters after a match that are looked at for a phrase of `unless_after`."""
_CLAUSE_END = re.compile(r"[.,!?;:\n]")
_CLOSING = re.compile(r"(?:[.,!?]?[\"'\u201d][.,!?]?)? ?")
"""Characters between a match, quoted or not, and the words directly after it."""
_CLASS = re.compile(r"<([a-z_]+)>")
_EVERYWHERE = frozenset(
    tokens_of("a and are be can do for i in is it me my of so that the this to was we what will with you your")
)
"""Tokens that are no sign of a row: nearly every text holds them."""

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
    """Says of a match whether what stands around it takes it back."""

    def __init__(self, settings: GuardSettings) -> None:
        self._before = _any_of(settings.unless_before)
        self._own = _any_of(settings.own_words)
        self._after = _any_of(settings.unless_after)

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
        self._filed: dict[str, list[Row]] = {}
        for pattern in patterns:
            needed, translated = translate(pattern, classes)
            row = Row(tuple(map(frozenset, needed)), translated)
            for anchor in max(needed, key=lambda tokens: min(map(_rarity, tokens))):
                self._filed.setdefault(anchor, []).append(row)
        self._known = frozenset(self._filed)
        self._guards = Guards(guards) if guards is not None else None
        self._compiled: dict[str, re.Pattern[str]] = {}

    def spans(self, text: Text) -> list[Span]:
        """The matches that nothing around them takes back, in the order of the text."""
        tokens = text.tokens
        if tokens.isdisjoint(self._known):
            return []
        line, guards = text.line, self._guards
        rows = dict.fromkeys(row for token in tokens & self._known for row in self._filed[token])
        spans = [
            span
            for row in rows
            if not any(map(tokens.isdisjoint, row.needed))
            for span in _matches(self._compile(row.pattern), line)
        ]
        return sorted(span for span in spans if guards is None or not guards.take_back(line, *span))

    def _compile(self, pattern: str) -> re.Pattern[str]:
        """Compiled when first needed: most patterns never are, and a run of few scenarios needs none."""
        found = self._compiled.get(pattern)
        if found is None:
            found = self._compiled[pattern] = re.compile(pattern)
        return found


class Row(NamedTuple):
    """One row: the tokens of which a text must hold one each, and the regular expression."""

    needed: tuple[frozenset[str], ...]
    pattern: str


def _rarity(token: str) -> tuple[bool, int]:
    return token not in _EVERYWHERE, len(token)


def _matches(pattern: re.Pattern[str], line: str) -> Iterator[Span]:
    """The matches that begin where a word begins.

    That is looked at here and not in the pattern: one that begins with a letter is found twice as fast.
    """
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
        if word == GAP:
            parts.append(r"(?:[^\s.!?;]{1,30} ){0,3}")
            continue
        tokens, either = _choices(word.removesuffix("?"), classes, pattern)
        parts.append(f"(?:{either})?" if word.endswith("?") else either)
        if not word.endswith("?"):
            needed.append(tokens)
    if not needed:
        raise ValueError(f"pattern {pattern!r} has no word that must occur")
    return tuple(needed), "".join(parts)


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
    needed = tuple(max(each, key=_rarity) for each in tokens) if all(tokens) else ()
    return needed, "|".join(map(re.escape, folded))


def _members(choice: str, classes: Classes, pattern: str) -> tuple[str, ...]:
    """The choice itself, or the members of the class that it names."""
    named = _CLASS.fullmatch(choice)
    if named is None:
        return (choice,)
    if named[1] not in classes:
        raise ValueError(f"pattern {pattern!r} names the class {choice}, which is not among {', '.join(classes)}")
    return tuple(classes[named[1]])
