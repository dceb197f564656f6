"""A value and the arithmetic that led to it."""

from dataclasses import dataclass

from evaluation.metrics.quoting import number, shown, signed
from evaluation.records import Finding


@dataclass(frozen=True, slots=True)
class Term:
    """One summand of a value."""

    amount: float
    label: str
    """What it is for; one that ends in a colon is followed by its evidence without quotation marks."""
    findings: tuple[Finding, ...] = ()
    """The evidence, that of the cue itself first."""


@dataclass(frozen=True, slots=True)
class Explained:
    """A value, rounded to ten decimals, and the terms whose amounts add up to it."""

    value: float
    terms: tuple[Term, ...]
    explanation: str
    """The terms on one line, the numbers unrounded."""


def clamped(total: float, low: float, high: float) -> tuple[float, Term | None]:
    """The total within its bounds, and the term that brings it there; none when it was within them."""
    value = min(high, max(low, total))
    if value == total:
        return total, None
    return value, Term(round(value - total, 10), f"clamped to {number(value)}")


def term_text(term: Term) -> str:
    """The term as the explanation shows it after the first: "+0.2 asks a question ("how are you?")"."""
    if not term.findings:
        return f"{signed(term.amount)} {term.label}"
    first = shown(term.findings[0].quote)
    if not term.label:
        return f"{signed(term.amount)} {first}"
    if term.label[-1] == ":":
        return f"{signed(term.amount)} {term.label} {first}"
    if len(term.findings) == 1:
        return f'{signed(term.amount)} {term.label} ("{first}")'
    return f"{signed(term.amount)} {term.label} ({', '.join(map(_evidence, term.findings[:3]))})"


def _evidence(finding: Finding) -> str:
    quote = f'"{shown(finding.quote)}"' if finding.end else shown(finding.quote)
    return f"user: {quote}" if finding.where == "user_input" else quote
