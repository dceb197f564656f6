"""review.html: what people say of responses, week by week, in one page without a script."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evaluation.reports import review as wording
from evaluation.reports.html.figures import Axis, around, is_small
from evaluation.reports.html.page import Assets, render
from evaluation.reports.html.trend import LEAST_HEIGHT
from evaluation.review.weekly import DimensionWeek, WeeklyReport


@dataclass(frozen=True, slots=True)
class WeekPoint:
    """One week in the picture of a dimension; places in percent."""

    week: str
    found: DimensionWeek
    x: str
    y: str
    top: str
    bottom: str


@dataclass(frozen=True, slots=True)
class WeekTrend:
    """A dimension's means over the weeks."""

    name: str
    axis: Axis
    points: tuple[WeekPoint, ...]


def review_page(report: WeeklyReport, assets: Assets) -> str:
    """The whole page."""
    values = {
        "report": report,
        "title": f"Human review: {report.suite}",
        "answer": wording.answer(report),
        "reviewing": wording,
        "newest": report.weeks[-1],
        "trends": week_trends(report),
        "banners": [wording.stand_in(report)] if report.rehearsal else [],
        "small": is_small,
    }
    return render(replace(assets, js=""), "review.html.j2", values, None)


def week_trends(report: WeeklyReport) -> list[WeekTrend]:
    """Every dimension that has a mean, all on one axis, so that they compare."""
    ends = [
        end
        for week in report.weeks
        for found in week.dimensions.values()
        if found.estimate.mean is not None
        for end in _ends(found)
    ]
    if not ends:
        return []
    axis = _axis(ends, report.low, report.high)
    trends = (_trend(report, name, axis) for name in report.dimensions)
    return [trend for trend in trends if trend.points]


def _trend(report: WeeklyReport, name: str, axis: Axis) -> WeekTrend:
    """Means and intervals from left to right, each week at its place."""
    weeks = [
        (place, week) for place, week in enumerate(report.weeks) if week.dimensions[name].estimate.mean is not None
    ]
    points = []
    for place, week in weeks:
        found = week.dimensions[name]
        assert found.estimate.mean is not None
        low, high = _ends(found)
        y, bottom, top = (f"{(1 - axis.share(value)) * 100:.2f}%" for value in (found.estimate.mean, low, high))
        points.append(WeekPoint(week.week, found, f"{(place + 0.5) * 100 / len(report.weeks):.2f}%", y, top, bottom))
    return WeekTrend(name, axis, tuple(points))


def _ends(found: DimensionWeek) -> tuple[float, float]:
    mean = found.estimate.mean
    assert mean is not None
    return found.estimate.ci95 or (mean, mean)


def _axis(ends: Sequence[float], low: float, high: float) -> Axis:
    axis = around(ends, LEAST_HEIGHT * (high - low))
    return Axis(max(axis.low, low), min(axis.high, high))
