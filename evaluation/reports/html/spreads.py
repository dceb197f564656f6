"""The distributions of several runs above each other: one axis and one height for each metric."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.records import Source
from evaluation.reports.html.figures import Axis, Histogram
from evaluation.reports.html.gathering import Reading
from evaluation.summary.metric import MetricSummary
from evaluation.text import numbers


@dataclass(frozen=True, slots=True)
class SpreadRow:
    """One run on one metric."""

    name: str
    found: MetricSummary | None
    """None where the run has no value."""
    outline: str
    """The path of its histogram in a picture of 100 by 100: the tallest part of any run reaches the top."""

    @property
    def said(self) -> str:
        """The same in words."""
        if self.found is None:
            return f"{self.name}: not scored"
        each = self.found.estimate
        return (
            f"{self.name}: {numbers.times(each.n, 'value')}, mean {numbers.score(each.mean)}, lowest "
            f"{numbers.score(each.min)}, median {numbers.score(each.p50)}, highest {numbers.score(each.max)}"
        )


@dataclass(frozen=True, slots=True)
class Spread:
    """One metric of one source in every run."""

    source: Source
    metric: str
    axis: Axis
    rows: tuple[SpreadRow, ...]


def spreads_of(readings: Sequence[Reading]) -> list[Spread]:
    """Source by source, every metric on which a run has a value."""
    by_run = [{(each.source, each.metric): each for each in reading.histograms()} for reading in readings]
    found = []
    for source, metric in dict.fromkeys(key for histograms in by_run for key in histograms):
        histograms = [histograms.get((source, metric)) for histograms in by_run]
        axis = next(each.axis for each in histograms if each is not None)
        tallest = max(_tallest(each) for each in histograms if each is not None)
        rows = [
            SpreadRow(reading.side.name, None, "")
            if each is None
            else SpreadRow(reading.side.name, each.summary, outline(each, tallest))
            for reading, each in zip(readings, histograms, strict=True)
        ]
        found.append(Spread(source, metric, axis, tuple(rows)))
    return found


def outline(histogram: Histogram, tallest: float) -> str:
    """The steps of a histogram, closed along the bottom; `tallest` is the share of values that reaches the top."""
    total, wide = sum(histogram.counts), 100 / len(histogram.counts)
    steps = ["M0 100"]
    height = 100.0
    for place, count in enumerate(histogram.counts):
        top = round(100 - 100 * count / total / tallest, 2) + 0.0
        if top != height:
            steps.append(f"H{place * wide:g}V{top:g}")
            height = top
    return "".join([*steps, "H100V100Z"])


def _tallest(histogram: Histogram) -> float:
    """The share of its values that its tallest part holds."""
    return max(histogram.counts) / sum(histogram.counts)
