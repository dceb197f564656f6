"""A figure with its interval, as every report writes it."""

from typing import Protocol

from evaluation.statistics.resamples import Figure
from evaluation.text import numbers


class Mean(Protocol):
    """A mean with its interval, wherever it comes from."""

    @property
    def mean(self) -> float | None: ...

    @property
    def ci95(self) -> tuple[float, float] | None: ...


def behind(ends: tuple[float, float] | None) -> str:
    """An interval as it stands behind its figure, after a blank; empty where there is none."""
    return "" if ends is None else f" {numbers.interval(ends)}"


def with_interval(value: float | None, ends: tuple[float, float] | None) -> str:
    """0.74 [0.70, 0.78]."""
    return f"{numbers.score(value)}{behind(ends)}"


def mean_text(found: Mean) -> str:
    """0.74 [0.70, 0.78]."""
    return with_interval(found.mean, found.ci95)


def figure_text(found: Figure) -> str:
    """The same of a figure that was drawn again and again."""
    return with_interval(found.value, found.ci95)


def in_a_sentence(ends: tuple[float, float] | None) -> str:
    """The interval of a difference as it stands behind it in a sentence: " (95% CI +0.022 to +0.060)"."""
    return "" if ends is None else f" (95% CI {numbers.span(ends)})"


def difference_text(value: float | None, ends: tuple[float, float] | None) -> str:
    """+0.041 [+0.022, +0.060]."""
    interval = "" if ends is None else f" [{numbers.with_sign(ends[0])}, {numbers.with_sign(ends[1])}]"
    return f"{numbers.with_sign(value)}{interval}"
