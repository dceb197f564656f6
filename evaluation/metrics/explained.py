"""A value and the arithmetic that led to it, on one line: its numbers unrounded, its evidence short and safe to print.

Named tuples, since dozens are made per response and a frozen dataclass takes three times as long to make.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import NamedTuple

from evaluation.records import Finding

QUOTE_CHARACTERS = 60
"""Characters of a quote that an explanation shows; the finding keeps all of it."""
SHOWN = 3
"""Findings of which it shows the quotes."""
DECIMALS = 10
"""To which sums are rounded, so that 0.1 + 0.2 is 0.3."""
_CUT = "..."
_TERM_MARKS = frozenset('",+')


def excerpt(text: str) -> str:
    """The text's beginning on one line; control and bidi characters, surrogates, quotes and backslashes are escaped."""
    if len(text) > QUOTE_CHARACTERS:
        text = text[: QUOTE_CHARACTERS - len(_CUT)] + _CUT
    if text.isprintable() and '"' not in text and "\\" not in text:
        return text
    return "".join(map(_visible, text))


def _visible(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")


@lru_cache(maxsize=4096)
def number(value: float) -> str:
    """The shortest decimal notation of a value of at most ten decimals, without an exponent: 0.6, 1.0, -0.25."""
    text = f"{value + 0.0:.10f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


@lru_cache(maxsize=4096)
def with_sign(value: float) -> str:
    """As `number`, with a plus before what is not negative."""
    return number(value) if value < 0 else "+" + number(value)


class Term(NamedTuple):
    """One summand of a value."""

    amount: float
    label: str
    """Its purpose; one that ends in a colon is followed by its evidence without quotation marks."""
    findings: tuple[Finding, ...] = ()
    """The evidence, that of the cue itself first."""


class Explained(NamedTuple):
    """A value, rounded to ten decimals, and the terms whose amounts add up to it."""

    value: float | None
    """None where there is nothing to measure."""
    terms: tuple[Term, ...]
    explanation: str
    """The terms on one line, the numbers unrounded."""
    missing: str = ""
    """The reason why there is no value."""


term_of: Callable[[tuple[float, str, tuple[Finding, ...]]], Term] = partial(tuple.__new__, Term)
explained_of: Callable[[tuple[float | None, tuple[Term, ...], str, str]], Explained] = partial(tuple.__new__, Explained)
"""A term, and an explained value, of all its fields: made in half the time that a call of the class takes."""


def clamp(total: float, low: float, high: float) -> tuple[float, Term]:
    """A total that is out of bounds held within them, and the term that brings it there."""
    value = min(high, max(low, total))
    return value, Term(round(value - total, DECIMALS), f"clamped to {number(value)}")


def term_text(term: Term) -> str:
    """The term as the explanation shows it after the first: "+0.2 asks a question ("how are you?")"."""
    return f"{with_sign(term.amount)} {term.label}{evidence_text(term.label, term.findings)}"


def evidence_text(label: str, findings: tuple[Finding, ...]) -> str:
    """The evidence as it stands behind a label, from the blank on."""
    if not findings:
        return ""
    if not label:
        return excerpt(findings[0].quote)
    if label[-1] == ":":
        return " " + _bare(findings[0].quote)
    return f" ({', '.join(map(_evidence, findings[:SHOWN]))})"


def _bare(quote: str) -> str:
    """Without quotation marks, unless it could pass for further terms."""
    return excerpt(quote) if _TERM_MARKS.isdisjoint(quote) else f'"{excerpt(quote)}"'


def _evidence(finding: Finding) -> str:
    _, where, _, end, quote, _ = finding
    shown = f'"{excerpt(quote)}"' if end else excerpt(quote)
    return f"user: {shown}" if where == "user_input" else shown
