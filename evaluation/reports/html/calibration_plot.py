"""The calibration plot: what people gave, on average, to the responses that the tool gave about the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.calibration.calibrate import Calibration
from evaluation.calibration.ratings import WORDS
from evaluation.records import Source
from evaluation.reports.html.figures import Axis
from evaluation.statistics.reliability import Bin, RatedScore, Reliability
from evaluation.suites.suite import Suite
from evaluation.text import numbers

MOST_POINTS = 400
"""Responses that are drawn one by one: more would hide one another."""


@dataclass(frozen=True, slots=True)
class CalibrationPlot:
    """One source against people on one scale."""

    name: str
    """Whose scores lie across: "judge", or "clarity, judge"."""
    axis: Axis
    bins: Sequence[Bin]
    points: Sequence[RatedScore] = ()
    """Single responses, where they are known; at most `MOST_POINTS` are drawn."""

    @property
    def n(self) -> int:
        """Responses that both have scored."""
        return sum(each.people.n for each in self.bins)

    @property
    def said(self) -> str:
        """The bins in words."""
        parts = [
            f"where it gives {numbers.score(each.tool)}, people give {numbers.score(each.people.mean)} "
            f"(n {numbers.count(each.people.n)})"
            for each in self.bins
        ]
        return f"{self.name}, {numbers.times(self.n, 'rated response')}: {'; '.join(parts)}"


def review_plots(found: Calibration) -> list[CalibrationPlot]:
    """Of every dimension and source of a report of reviews, the overall first."""
    plots = [
        CalibrationPlot(f"{each.dimension}, {each.source}", Axis(found.low, found.high), each.bins)
        for each in sorted(found.agreements, key=lambda each: each.dimension != found.overall)
        if each.source != WORDS[0]
    ]
    return [plot for plot in plots if plot.bins]


def run_plots(found: Mapping[Source, Reliability], suite: Suite) -> list[CalibrationPlot]:
    """Of every source of a run whose responses people rated."""
    return [
        CalibrationPlot(source, Axis(*suite.scale(source)), each.bins, each.scores[:MOST_POINTS])
        for source, each in found.items()
    ]
