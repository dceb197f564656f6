"""Past runs of the same prompt name, oldest first, beside the run of the report."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.reports.html.figures import Axis, around

LEAST_HEIGHT = 0.1
"""Of the picture, as a share of the scale: small changes must not look like large ones."""


@dataclass(frozen=True, slots=True)
class PastRun:
    """One run as it was decided."""

    run_id: str
    day: str
    """When it was made: 2026-11-20 14:02."""
    version: str
    """Of the prompt: "v3"."""
    mean: float
    """Overall of its deciding source."""
    ci95: tuple[float, float] | None
    n: int
    clusters: int
    source: str
    verdict: str | None
    others: tuple[str, ...] = ()
    """The parts, apart from the prompt, in which it differs from the run of the report: their means do not compare."""
    present: bool = False
    """True when it is the run of the report."""


@dataclass(frozen=True, slots=True)
class Point:
    """A run in the picture; places in percent."""

    run: PastRun
    x: str
    y: str
    top: str
    bottom: str


@dataclass(frozen=True, slots=True)
class Trend:
    """The picture: points from left to right, and its vertical axis."""

    axis: Axis
    points: tuple[Point, ...]


def trend(runs: Sequence[PastRun], scale: tuple[float, float]) -> Trend | None:
    """Places the runs, oldest first, at equal distances; None for fewer than two."""
    if len(runs) < 2:
        return None
    ends = [end for run in runs for end in (run.ci95 or (run.mean, run.mean))]
    axis = around(ends, LEAST_HEIGHT * (scale[1] - scale[0]))
    axis = Axis(max(axis.low, scale[0]), min(axis.high, scale[1]))
    points = []
    for place, run in enumerate(runs):
        low, high = run.ci95 or (run.mean, run.mean)
        y, bottom, top = (f"{(1 - axis.share(value)) * 100:.2f}%" for value in (run.mean, low, high))
        points.append(Point(run, f"{(place + 0.5) * 100 / len(runs):.2f}%", y, top, bottom))
    return Trend(axis, tuple(points))
