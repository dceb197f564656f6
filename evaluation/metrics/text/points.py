"""Points of a formula: steps that give them, their sum, and how an explanation shows what would raise a low one."""

from itertools import pairwise
from typing import Annotated, Self, TypeAlias

from pydantic import AfterValidator, Field, model_validator

from evaluation.metrics.cues.cue import RuleSettings
from evaluation.metrics.explained import DECIMALS, Explained, Term, number

LOW = 0.7
"""Below this a value comes with advice."""


class ScoreStep(RuleSettings):
    """Points from a bound on: `at_least` includes it, `above` does not."""

    at_least: float | None = None
    above: float | None = None
    add: float = Field(ge=0, le=1)

    @model_validator(mode="after")
    def _has_one_bound(self) -> Self:
        if (self.at_least is None) == (self.above is None):
            raise ValueError("needs either at_least or above")
        return self

    @property
    def bound(self) -> float:
        value = self.above if self.at_least is None else self.at_least
        assert value is not None, "one bound is given"
        return value

    @property
    def least(self) -> str:
        """The bound in words: "3" or "more than 5"."""
        return f"{'' if self.above is None else 'more than '}{number(self.bound).removesuffix('.0')}"

    def is_reached(self, value: float) -> bool:
        return value > self.bound if self.at_least is None else value >= self.bound


def _falling(steps: tuple[ScoreStep, ...]) -> tuple[ScoreStep, ...]:
    for higher, lower in pairwise(steps):
        if lower.bound >= higher.bound or lower.add >= higher.add:
            raise ValueError("must begin with the highest step, bounds and points falling from there")
    return steps


Steps: TypeAlias = Annotated[tuple[ScoreStep, ...], Field(min_length=1, strict=False), AfterValidator(_falling)]


def points(steps: tuple[ScoreStep, ...], value: float) -> float:
    """The points of the first step that the value reaches; 0 without any."""
    for step in steps:
        if step.is_reached(value):
            return step.add
    return 0.0


def bounded_sum(terms: tuple[Term, ...]) -> float:
    """The sum of the terms, rounded to ten decimals and held within 0 and 1."""
    total = 0.0
    for term in terms:
        total += term.amount
    return min(1.0, max(0.0, round(total, DECIMALS))) + 0.0


def explain(value: float, terms: tuple[Term, ...], found: str, advice: list[str]) -> Explained:
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


def quantity(count: int, one: str, many: str = "") -> str:
    """ "1 sentence", "3 sentences"."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def range_text(size: tuple[float, float]) -> str:
    """A range in words: "5", "3 to 5", "at least 3", "at most 100"; one from 1 on is one without a least."""
    low, high = size
    if high == float("inf"):
        return f"at least {plain(low)}"
    if 0 < high - low < 1:
        return plain(round((low + high) / 2))
    if low <= 1 < high:
        return f"at most {plain(high)}"
    return plain(low) if low == high else f"{plain(low)} to {plain(high)}"


def plain(value: float) -> str:
    """A figure to at most three decimals, a whole one without any."""
    return number(round(value, 3)).removesuffix(".0")


def share_of_range(count: float, size: tuple[float, float]) -> float:
    """1 within a range; outside it the smaller of count and bound over the larger."""
    low, high = size
    if count < low:
        return count / low
    return high / count if count > high else 1.0
