"""Everything in a text that can be held against facts: its clauses, and the values that stand in each."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from evaluation.metrics.utterance import fold, tokens_of
from evaluation.reference.clauses import Clause, clauses_of
from evaluation.reference.dates import clocks_in, days_in
from evaluation.reference.names import names_in
from evaluation.reference.numbers import amounts_in
from evaluation.reference.values import Span, Value
from evaluation.text.function_words import FUNCTION_WORDS

KEPT = 1_000
"""Texts whose reading is remembered: facts and turns come again and again."""
LONGEST = 20_000
"""Characters of a text that are read."""
MOST_VALUES = 200
"""Values of a text that are held against others; a text with more is no prose."""
ENGLISH = 0.2
"""Share of function words from which a text is taken for English."""
FEWEST = 8
"""Words from which that share says anything."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as it is held against facts."""

    text: str
    clauses: tuple[Clause, ...]
    values: tuple[Value, ...]
    tokens: frozenset[str]
    """All its words in small letters."""

    def clause_of(self, value: Value) -> Clause:
        """The clause in which a value begins."""
        return self.clauses[max(0, bisect_right(self.clauses, value.span[0], key=_start_of) - 1)]

    def quote(self, span: Span) -> str:
        """The words at a place."""
        return self.text[slice(*span)]

    def sentence_of(self, value: Value) -> str:
        """The sentence in which a value stands."""
        return self.quote(self.clause_of(value).sentence).strip()


def _start_of(clause: Clause) -> int:
    return clause.start


@lru_cache(maxsize=KEPT)
def read(text: str) -> Reading:
    """Reads a text once."""
    text = text[:LONGEST]
    return Reading(text, tuple(clauses_of(text)) or (Clause(text, 0, (0, len(text)), asks=False),),
                   tuple(islice(_values(text), MOST_VALUES)), frozenset(tokens_of(fold(text))))  # fmt: skip


def _values(text: str) -> Iterator[Value]:
    days = list(islice(days_in(text), MOST_VALUES))
    rest = _without(text, [each.span for each in days])
    clocks = list(islice(clocks_in(rest), MOST_VALUES))
    yield from days
    yield from clocks
    yield from amounts_in(_without(rest, [each.span for each in clocks]))
    yield from names_in(text)


def _without(text: str, spans: Sequence[Span]) -> str:
    """The text with these places blank, so that all others stay where they are."""
    for start, end in spans:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


def is_english(text: str) -> bool:
    """False for a text of some length in another language: numbers in words, dates and names are read as English."""
    tokens = tokens_of(fold(text))
    if len(tokens) < FEWEST:
        return text.isascii() or any(token in FUNCTION_WORDS for token in tokens)
    return sum(token in FUNCTION_WORDS for token in tokens) >= ENGLISH * len(tokens)
