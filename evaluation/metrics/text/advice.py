"""Explanations: the arithmetic of a value, and for a low one what would raise it."""

from evaluation.metrics.explained import Explained, Term
from evaluation.metrics.quoting import number

LOW = 0.7
"""Below this a value comes with advice."""
DECIMALS = 10


def held(terms: tuple[Term, ...]) -> float:
    """The sum of the terms, rounded to ten decimals and held within 0 and 1."""
    total = 0.0
    for term in terms:
        total += term.amount
    return min(1.0, max(0.0, round(total, DECIMALS))) + 0.0


def explained(value: float, terms: tuple[Term, ...], found: str, advice: list[str]) -> Explained:
    """The value with its arithmetic; the advice follows where the value is low."""
    if value < LOW and advice:
        found = f"{found}; to raise it: {', '.join(advice)}"
    return Explained(value, terms, found)


def absent(reason: str) -> Explained:
    """No value, and why."""
    return Explained(None, (), "", reason)


def short(value: float) -> str:
    """A figure to at most three decimals, without zeros at the end."""
    return number(round(value, 3))


def counted(count: int, one: str, many: str = "") -> str:
    """ "1 sentence", "3 sentences"."""
    return f"{count} {one if count == 1 else many or one + 's'}"
