"""review.html: what people say of responses, week by week, in one page without a script."""

from dataclasses import replace

from evaluation.reports import items
from evaluation.reports import review as wording
from evaluation.reports.html.calibration_plot import review_plots
from evaluation.reports.html.figures import Axis, axis_of
from evaluation.reports.html.page import Assets, render
from evaluation.review.weekly import WeeklyReport
from evaluation.statistics.scenario_scores import Estimate


def review_page(report: WeeklyReport, assets: Assets) -> str:
    """The whole page."""
    values = {
        "report": report,
        "title": f"Human review: {report.suite}",
        "answer": wording.answer(report),
        "reviewing": wording,
        "holding": items,
        "newest": report.weeks[-1],
        "trends": week_trends(report),
        "axis": week_axis(report),
        "calibration_plots": review_plots(report.calibration),
        "banners": [wording.stand_in(report)] if report.rehearsal else [],
    }
    return render(replace(assets, js=""), "review.html.j2", values, None)


def week_trends(report: WeeklyReport) -> dict[str, list[tuple[int, Estimate]]]:
    """Dimension -> the places of the weeks in which it has a mean, with that; without what nobody scored."""
    found = {
        name: [
            (place, week.dimensions[name].estimate)
            for place, week in enumerate(report.weeks)
            if week.dimensions[name].estimate.mean is not None
        ]
        for name in report.dimensions
    }
    return {name: weeks for name, weeks in found.items() if weeks}


def week_axis(report: WeeklyReport) -> Axis:
    """One axis for the means of all dimensions and weeks, so that they compare."""
    found = [each for weeks in week_trends(report).values() for _, each in weeks]
    return axis_of(found, (report.low, report.high))
