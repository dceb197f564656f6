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
    """0.74 [0.70, 0.78]; "-" where no value is known."""
    return f"{numbers.score(value)}{behind(None if value is None else ends)}"


def mean_text(found: Mean) -> str:
    """0.74 [0.70, 0.78]."""
    return with_interval(found.mean, found.ci95)


def figure_text(found: Figure) -> str:
    """The same of a figure that was drawn again and again."""
    return with_interval(found.value, found.ci95)


def rounded(value: float | None) -> float | None:
    """To two decimals; a zero has no sign."""
    return None if value is None else round(value, 2) + 0.0


def rounded_ends(found: Figure) -> tuple[float, float] | None:
    """The ends of its interval to two decimals; a zero has no sign."""
    return None if found.ci95 is None else (round(found.ci95[0], 2) + 0.0, round(found.ci95[1], 2) + 0.0)


def rounded_text(found: Figure) -> str:
    """0.31 [0.20, 0.42]; a zero has no sign."""
    return with_interval(rounded(found.value), rounded_ends(found))


def in_a_sentence(ends: tuple[float, float] | None) -> str:
    """The interval of a difference as it stands behind it in a sentence: " (95% CI +0.022 to +0.060)"."""
    return "" if ends is None else f" (95% CI {numbers.span(ends)})"


def difference_text(value: float | None, ends: tuple[float, float] | None) -> str:
    """+0.041 [+0.022, +0.060]."""
    interval = "" if ends is None else f" [{numbers.with_sign(ends[0])}, {numbers.with_sign(ends[1])}]"
    return f"{numbers.with_sign(value)}{interval}"
