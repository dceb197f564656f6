"""A review report for a terminal of 80 columns: the newest week in full, the others as means."""

from collections.abc import Iterator, Sequence

from evaluation.reports.review import wording
from evaluation.reports.run.terminal import LONGEST_ADDRESS
from evaluation.review.weekly import Remark, WeeklyReport
from evaluation.text import numbers
from evaluation.text.page import WIDTH, Line, printed
from evaluation.text.safe_text import clip, pad, wrap

NAME = 27
FIGURE = 20
MOST_WEEKS = 7
MOST_REMARKS = 4
"""Of each dimension; the files hold all."""


def render_review(report: WeeklyReport, *, files: Sequence[str] = (), color: bool = False) -> str:
    """The report as text that ends with a line break; no line but a file's name is wider than 80 columns."""
    sections = (
        _head(report),
        _newest(report),
        _weeks(report),
        _tools(report),
        _remarks("Remarks", wording.grouped(report.remarks, report.dimensions)),
        _remarks("Unclear criteria", wording.grouped(report.unclear, report.dimensions)),
        _remarks("Exemplary responses", [("", list(report.exemplary))] if report.exemplary else []),
        (Line(clip(name, LONGEST_ADDRESS)) for name in files),
    )
    return printed(sections, color)


def _head(report: WeeklyReport) -> Iterator[Line]:
    yield from _paragraph(wording.headline(report), style="bold")
    for text in wording.findings(report):
        yield from _paragraph(text, lead="  - ", style="red" if text.startswith("REGRESSED") else "")
    for text in wording.notes(report):
        yield from _paragraph(text, lead="  - ", style="dim")


def _newest(report: WeeklyReport) -> Iterator[Line]:
    week = report.weeks[-1]
    yield Line(clip(wording.week_title(week), WIDTH), "bold")
    yield Line(_row("", "mean [95%]", "change [95%]", "n", "alpha"), "bold")
    for name, found in week.dimensions.items():
        style = "red" if found.regressed else ""
        alpha = numbers.score(found.agreement.alpha)
        cells = (wording.mean_text(found), wording.change_text(found), str(found.estimate.n), alpha)
        yield Line(_row(name, *cells), style)


def _row(name: str, mean: str, change: str, count: str, alpha: str) -> str:
    figures = f"{pad(mean, FIGURE)} {pad(change, FIGURE)}"
    return f"{pad(name, NAME)} {figures}{clip(count, 4).rjust(4)} {clip(alpha, 5).rjust(5)}"


def _weeks(report: WeeklyReport) -> Iterator[Line]:
    if len(report.weeks) < 2:
        return
    weeks = report.weeks[-MOST_WEEKS:]
    yield Line(pad("Means by week", NAME) + "".join(week.week[-3:].rjust(7) for week in weeks) + "  alpha", "bold")
    for name in report.dimensions:
        means = "".join(numbers.score(week.dimensions[name].estimate.mean).rjust(7) for week in weeks)
        yield Line(f"{pad(name, NAME)}{means}{numbers.score(report.agreement[name].alpha).rjust(7)}")
    yield Line(pad("responses", NAME) + "".join(str(week.items).rjust(7) for week in weeks), "dim")
    if len(report.weeks) > MOST_WEEKS:
        yield Line(f"{len(report.weeks) - MOST_WEEKS} earlier weeks are in the files", "dim")


def _tools(report: WeeklyReport) -> Iterator[Line]:
    rows = wording.tools(report)
    if not rows:
        return
    yield Line(
        f"{pad('People beside the tool', NAME)} {pad('source', 9)}   n {pad('Spearman [95%]', 20)}   MAE  bias", "bold"
    )
    for row in rows:
        count, spearman, mae, bias, _ = wording.tool_figures(row)
        figures = f"{count.rjust(4)} {pad(spearman, 20)}{mae.rjust(6)}{bias.rjust(6)}"
        yield Line(f"{pad(row.dimension, NAME)} {pad(row.source, 9)}{figures}")
    yield from _paragraph(
        "bias above 0: the tool is kinder than people; checks are stretched over the scale", style="dim"
    )


def _remarks(title: str, groups: Sequence[tuple[str, Sequence[Remark]]]) -> Iterator[Line]:
    if not groups:
        return
    yield Line(title, "bold")
    for name, remarks in groups:
        if name:
            yield Line(clip(name, WIDTH))
        for remark in remarks[:MOST_REMARKS]:
            yield from _paragraph(wording.remark_text(remark), lead="  - ")
        if len(remarks) > MOST_REMARKS:
            yield Line(f"  - {len(remarks) - MOST_REMARKS} more in the files", "dim")


def _paragraph(text: str, *, lead: str = "", style: str = "") -> Iterator[Line]:
    for number, part in enumerate(wrap(text, WIDTH - len(lead), 6)):
        yield Line((lead if number == 0 else " " * len(lead)) + part, style)
