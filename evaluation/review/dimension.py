"""One metric as a reviewer is asked for it: its criteria as steps that can be typed, and what an answer is worth.

A scale of few whole numbers, such as 1 to 5, is typed as it is. On a finer scale the bands of the rubric are the steps,
numbered from 1, the worst: people tell about five grades apart, and the bands are what the criteria are written for. A
step is worth the middle of its band; who wants an exact value types it with a decimal point.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.rubrics.rubric import Band, Metric, Rubric

MOST_STEPS = 10
"""A scale of more whole numbers is no list of steps."""


@dataclass(frozen=True, slots=True)
class Step:
    """One answer that can be typed."""

    key: str
    value: float
    label: str = ""
    text: str = ""
    """The criterion; empty between two anchors."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """A metric to be scored by a person."""

    metric: str
    title: str
    definition: str
    steps: tuple[Step, ...]
    """Best first; empty where any number of the scale may be typed."""
    low: float
    high: float
    whole: bool
    """True where only the steps' own values may be given."""
    needs_context: bool = False

    @property
    def range(self) -> str:
        """The answers that may be typed: "1-5"."""
        if not self.steps:
            return f"{self.low:g}-{self.high:g}"
        return f"{self.steps[-1].key}-{self.steps[0].key}"

    def value_of(self, text: str) -> float:
        """The worth of an answer. Raises ValueError with what may be typed."""
        step = next((step for step in self.steps if step.key == text), None)
        if step is not None:
            return step.value
        allowed = self.range
        if not self.whole:
            allowed = (
                f"{allowed}, or {self.low:.1f} to {self.high:.1f} with its decimal point" if self.steps else allowed
            )
            try:
                value = float(text) if text.isascii() and (not self.steps or "." in text) else None
            except ValueError:
                value = None
            if value is not None and self.low <= value <= self.high:
                return value
        raise ValueError(f"{text[:20]!r} is no score: type {allowed}")

    def answer_for(self, value: float) -> str:
        """The answer that gives a value: the inverse of `value_of`."""
        step = next((step for step in self.steps if step.value == value), None)
        return step.key if step is not None else repr(float(value))


def dimensions(rubric: Rubric) -> tuple[Dimension, ...]:
    """The metrics that a person scores: all but the overall, which follows from the others, in the rubric's order."""
    return tuple(_dimension(metric, rubric) for name, metric in rubric.metrics.items() if name != rubric.overall)


def _dimension(metric: Metric, rubric: Rubric) -> Dimension:
    low, high = rubric.low, rubric.high
    whole = low == int(low) and high == int(high) and 2 <= high - low <= MOST_STEPS
    steps = _whole_steps(metric.bands, int(low), int(high)) if whole else _band_steps(metric.bands)
    return Dimension(metric.name, metric.title, metric.definition, steps, low, high, whole, metric.needs_context)


def _whole_steps(bands: Sequence[Band], low: int, high: int) -> tuple[Step, ...]:
    steps = []
    for number in range(high, low - 1, -1):
        band = next((band for band in bands if band.low <= number <= band.high), None)
        steps.append(
            Step(str(number), float(number))
            if band is None
            else Step(str(number), float(number), band.label, band.text)
        )
    return tuple(steps)


def _band_steps(bands: Sequence[Band]) -> tuple[Step, ...]:
    rising = sorted(bands, key=lambda band: band.low)
    steps = [
        Step(str(number), round((band.low + band.high) / 2, 6), f"{band.label} {_span(band)}", band.text)
        for number, band in enumerate(rising, start=1)
    ]
    return tuple(reversed(steps))


def _span(band: Band) -> str:
    return f"{band.low:.1f}" if band.low == band.high else f"{band.low:.1f}-{band.high:.1f}"
