"""The kinds of values that the keys of a rubric have, wherever they stand in it."""

from typing import Annotated, TypeAlias, TypeVar

from pydantic import AfterValidator, Field

from evaluation.text.forms import Form

T = TypeVar("T")


def _said(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    return text.strip()


def _summand(value: float) -> float:
    if round(value, 10) != value:
        raise ValueError("has more than 10 decimals, so explanations would not add up")
    return value


Items: TypeAlias = Annotated[tuple[T, ...], Field(strict=False)]
"""A list of the file, frozen."""
Some: TypeAlias = Annotated[tuple[T, ...], Field(strict=False, min_length=1)]
"""The same with at least one entry."""
Said: TypeAlias = Annotated[str, AfterValidator(_said)]
Name: TypeAlias = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
Number: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]
Summand: TypeAlias = Annotated[Number, AfterValidator(_summand)]
"""A number whose sums add up as they are shown."""


class Band(Form):
    """One row of the scoring criteria: from `low` to `high`, both included, as printed."""

    low: Number = Field(alias="from")
    high: Number = Field(alias="to")
    label: Said
    text: Said

    @property
    def reach(self) -> str:
        """The values as people write them: "0.8 to 0.9", or the one value."""
        return f"{self.low:g}" if self.low == self.high else f"{self.low:g} to {self.high:g}"
