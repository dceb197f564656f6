"""Steps: points for reaching a bound, the highest that is reached."""

from itertools import pairwise
from typing import Annotated, Self, TypeAlias

from pydantic import AfterValidator, Field, model_validator

from evaluation.metrics.cues.cue import Settings
from evaluation.metrics.quoting import number


class ScoreStep(Settings):
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

    def reached(self, value: float) -> bool:
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
        if step.reached(value):
            return step.add
    return 0.0
