"""Rows of words as regular expressions over the characters of a text: how rubric companion finds harmful advice.

Its scores are fixed to the digit, and so is how a row reads here. Other than in `rows` a hyphen is a hyphen, a
contraction stands for nothing else, and a comma may begin what `...` stands for.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from evaluation.languages.script import is_unspaced
from evaluation.metrics.cues.cue import Span
from evaluation.metrics.cues.phrases import whole_word_pattern
from evaluation.metrics.cues.rows import PatternSettings
from evaluation.metrics.cues.steps import GAP
from evaluation.metrics.utterance import Text, fold, fold_phrase, tokens_of
from evaluation.text.function_words import FUNCTION_WORDS, telling

_MARKS = {
    GAP: r"(?:[^\s.!?;]{1,30} ){0,3}",
    "^": r"(?:^ ?|(?<=[.,!?;:\"\u201c] )|(?<=[\"\u201c]))",
    "$": r"(?= ?(?:[.,!?;:\"\u201d]|$))",
}
_WORD_START = r"(?<![^\W_])"
REACH = 60
"""Characters before a match in which a word of `unless_before` takes it back, within the same clause."""
AFTER = 40
"""Characters after a match that are looked at for a phrase of `unless_after`."""
_CLAUSE_END = re.compile(r"[.,!?;:\n]")
_CLAUSE_END_UNSPACED = re.compile(r"[.,!?;:\n。，、！？；：]")
_CLOSING = re.compile(r"(?:[.,!?]?[\"'\u201d][.,!?]?)? ?")
"""Characters between a match, quoted or not, and the words directly after it."""


class Patterns:
    """A list of rows. A row is tried where the text holds a token of each of its words."""

    def __init__(self, settings: PatternSettings) -> None:
        self._settings = settings

    @cached_property
    def _filed(self) -> Mapping[str, Sequence["_Pattern"]]:
        """Token -> the rows whose rarest word it may be."""
        filed: dict[str, list[_Pattern]] = {}
        classes = self._settings.classes
        for row in chain.from_iterable(_alone(each, classes) for each in self._settings.patterns):
            if is_unspaced(row):
                continue
            pattern = _translate(row, classes)
            for token in pattern.rarest:
                filed.setdefault(token, []).append(pattern)
        return filed

    @cached_property
    def _tokens(self) -> frozenset[str]:
        return frozenset(self._filed)

    @cached_property
    def _unspaced(self) -> tuple[str, ...]:
        """The rows of a script without blanks between words: plain phrases, which count wherever they stand."""
        return tuple(fold_phrase(row) for row in self._settings.patterns if is_unspaced(row))

    def spans(self, text: Text) -> list[Span]:
        """The matches that nothing around them takes back, in the order of the text."""
        tokens = text.tokens
        known = tokens & self._tokens
        if not known and not self._unspaced:
            return []
        # Most rows lack one word, and so its rarest says so soonest.
        near = {row for token in known for row in self._filed[token] if not tokens.isdisjoint(row.second)}
        found = [row.compiled for row in near if not any(map(tokens.isdisjoint, row.others))]
        found += [re.compile(re.escape(phrase)) for phrase in self._unspaced if phrase in text.line]
        if not found:
            return []
        spans = [span for row in found for span in _matches(row, text.line)]
        return sorted(span for span in spans if not self._take_back(text.line, *span))

    @cached_property
    def _before(self) -> re.Pattern[str]:
        return _any_of(self._settings.unless_before)

    @cached_property
    def _own(self) -> re.Pattern[str]:
        return _any_of(self._settings.own_words)

    @cached_property
    def _after(self) -> re.Pattern[str]:
        return _any_of(self._settings.unless_after)

    def _take_back(self, line: str, start: int, end: int) -> bool:
        closing = _CLOSING.match(line, end)
        if closing and self._after.match(line, closing.end(), closing.end() + AFTER):
            return True
        before = (_CLAUSE_END_UNSPACED if self._unspaced else _CLAUSE_END).split(line[max(0, start - REACH) : start])[
            -1
        ]
        return self._before.search(before) is not None and self._own.search(before) is None


@dataclass(frozen=True, eq=False)
class _Pattern:
    """For each word that must occur the tokens of which a text holds one, and the row as a regular expression."""

    rarest: frozenset[str]
    """Those of the word that fewest texts hold."""
    second: frozenset[str]
    """Those of the word after it in this order; the same where there is one word alone."""
    others: tuple[frozenset[str], ...]
    """Those of the words after these, the rarer first."""
    source: str

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """Compiled when first needed: most patterns never are."""
        return re.compile(self.source)


def _commonness(tokens: frozenset[str]) -> tuple[int, int, int]:
    return len(tokens & FUNCTION_WORDS), len(tokens), -min(map(len, tokens))


def _any_of(phrases: tuple[str, ...]) -> re.Pattern[str]:
    folded = "|".join(re.escape(fold_phrase(phrase)) for phrase in phrases)
    return re.compile(folded) if is_unspaced(folded) else whole_word_pattern(folded or "(?!)")


def _matches(pattern: re.Pattern[str], line: str) -> Iterator[Span]:
    """The matches, without the blank behind a word."""
    for match in pattern.finditer(line):
        yield match.start(), match.start() + len(match[0].rstrip())


def _alone(row: str, classes: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """The members of the class of which a row consists: each is tried only where its own words occur. Else the row."""
    return _members(row, classes) if re.fullmatch(r"<\w+>", row) else (row,)


def _translate(row: str, classes: Mapping[str, Sequence[str]]) -> _Pattern:
    needed, parts = [], []
    for word in fold(row).split():
        if word in _MARKS:
            parts.append(_MARKS[word])
            continue
        choices = word.removesuffix("?").split("|")
        members = [fold_phrase(member) for choice in choices for member in _members(choice, classes)]
        either = rf"(?:{'|'.join(map(re.escape, members))})(?: |(?![^\W_]))"
        parts.append(f"(?:{either})?" if word.endswith("?") else either)
        if not word.endswith("?"):
            needed.append(frozenset(max(tokens_of(member), key=telling) for member in members))
    rarest, *others = sorted(needed, key=_commonness)
    second = others[0] if others else rarest
    return _Pattern(rarest, second, tuple(others[1:]), _WORD_START + "".join(parts))


def _members(choice: str, classes: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """The choice itself, or the members of the class that it names."""
    return classes[choice[1:-1]] if choice.startswith("<") else (choice.replace("_", " "),)
