"""The places of conversations in their pictures: turn after turn from left to right."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from evaluation.reports.html.figures import Axis, axis_within, ends_of
from evaluation.reports.html.gathering import Reading
from evaluation.statistics.clusters import Scale
from evaluation.statistics.scenario_scores import Estimate
from evaluation.summary.trajectories import Trajectory, trajectory
from evaluation.text import numbers

MARGIN = 4.0
"""Percent of a picture's width beside the first and the last turn."""


@dataclass(frozen=True, slots=True)
class TrajectoryPlot:
    """The conversations of one run."""

    name: str
    found: Trajectory
    axis: Axis
    """Of the scores, upwards."""
    turns: int
    """Of the longest conversation of any run: all of them share their width."""

    def place(self, turn: int) -> str:
        """The middle of a turn, counted from 0, in percent of the width: "12.5"."""
        return f"{MARGIN + turn * (100 - 2 * MARGIN) / (self.turns - 1):.4g}"

    def lines(self) -> Iterator[str]:
        """The points of every path, as one line for each stretch without a gap; a point alone becomes a short dash."""
        for path in self.found.paths:
            for known, stretch in groupby(enumerate(path.values), key=lambda each: each[1] is not None):
                if known:
                    yield self._points([(turn, value or 0.0) for turn, value in stretch])

    def mean_line(self) -> str:
        """The points of the means."""
        return self._points([(turn, each.mean) for turn, each in self.means()])

    def means(self) -> list[tuple[int, Estimate]]:
        """The turns that have a mean, counted from 0."""
        return [(turn, each) for turn, each in enumerate(self.found.turns) if each.mean is not None]

    def band(self) -> str:
        """The outline of the intervals of the means."""
        above = [(turn, ends_of(each)[1]) for turn, each in self.means()]
        below = [(turn, ends_of(each)[0]) for turn, each in reversed(self.means())]
        return self._points([*above, *below])

    @property
    def said(self) -> str:
        """The means in words."""
        means = ", ".join(f"turn {turn + 1} {numbers.score(each.mean)}" for turn, each in self.means())
        return f"{self.name}: mean of {numbers.times(self.found.conversations, 'conversation')} by turn: {means}"

    @property
    def change(self) -> str:
        """How far the last turn lies from the first, in words; empty where no conversation has both."""
        found = self.found.change
        if found is None:
            return ""
        interval = found.interval()
        return f"{numbers.with_sign(found.mean)} ({numbers.span(interval) if interval else 'no interval'})"

    def _points(self, places: Sequence[tuple[int, float | None]]) -> str:
        points = [f"{self.place(turn)},{self.axis.depth(value or 0.0)}" for turn, value in places]
        if len(points) == 1:
            turn, value = places[0]
            return f"{points[0]} {float(self.place(turn)) + 1:.4g},{self.axis.depth(value or 0.0)}"
        return " ".join(points)


def trajectory_plots(readings: Sequence[Reading], scale: Scale) -> list[TrajectoryPlot]:
    """One plot for each run that has conversations; all of them have one axis and one length."""
    found = [(reading.side.name, trajectory(reading.columns)) for reading in readings]
    known = [(name, each) for name, each in found if each is not None]
    turns = max((len(each.turns) for _, each in known), default=0)
    axis = axis_within([value for _, each in known for value in _heights(each)], scale)
    return [TrajectoryPlot(name, each, axis, turns) for name, each in known]


def _heights(found: Trajectory) -> Iterator[float]:
    """Every value that is drawn."""
    for path in found.paths:
        yield from (value for value in path.values if value is not None)
    for each in found.turns:
        yield from ends_of(each)
