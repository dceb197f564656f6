"""A night for a terminal of 80 columns: the answer and its grounds first."""

from collections.abc import Iterator, Sequence

from evaluation.nightly.night import sparkline
from evaluation.nightly.report import NightReport
from evaluation.reports.nightly import wording
from evaluation.text import numbers
from evaluation.text.page import WIDTH, Line, printed
from evaluation.text.safe_text import pad, wrap

NAME, CELL = 27, 9
MOST_NIGHTS = 10
STYLES = {"ok": "bold green", "alarm": "bold red", "running": "bold"}


def render_night(report: NightReport, *, files: Sequence[str] = (), color: bool = False) -> str:
    """The report as text that ends with a line break; no line is wider than 80 columns but addresses and commands."""
    return printed((_head(report), _checks(report), _worst(report), _trend(report), _places(report, files)), color)


def _paragraph(text: str, lead: str = "", style: str = "", lines: int = 6) -> Iterator[Line]:
    for number, part in enumerate(wrap(text, WIDTH - len(lead), lines)):
        yield Line((lead if number == 0 else " " * len(lead)) + part, style)


def _head(report: NightReport) -> Iterator[Line]:
    for banner in wording.banners(report):
        yield from _paragraph(banner.upper(), "!! ", "bold magenta")
    style = STYLES.get(report.night.state, "bold yellow")
    yield from _paragraph(wording.heading(report), style=style)
    yield from _paragraph(report.night.headline)
    for text in (*wording.reasons(report), *wording.details(report)):
        yield from _paragraph(text, "  - ")


def _checks(report: NightReport) -> Iterator[Line]:
    if report.gate is None or not report.gate.checks:
        return
    yield _row("against the baseline", ("before", "tonight", "change", "p", "noise"), "bold")
    for check in report.gate.checks:
        floor = numbers.NONE if check.floor is None else numbers.above(check.floor)
        cells = (
            numbers.score(check.before),
            numbers.score(check.tonight),
            numbers.signed(check.difference),
            numbers.p_value(check.p),
            floor,
        )
        yield _row(check.metric, (*cells, "LOWER" if check.raised else ""), "bold red" if check.raised else "")


def _row(name: str, cells: Sequence[str], style: str = "") -> Line:
    return Line(pad(name, NAME - 1) + " " + "".join(pad(cell, CELL - 1) + " " for cell in cells).rstrip(" "), style)


def _worst(report: NightReport) -> Iterator[Line]:
    if report.worst and report.night.state == "alarm":
        yield Line("worst falls of the overall", "bold")
        for pair in report.worst:
            change = f"{numbers.score(pair.a)} -> {numbers.score(pair.b)} ({numbers.signed(pair.difference)})"
            yield from _paragraph(f"{change}  {pair.place.scenario_id} ({pair.place.category})", "  ", lines=2)


def _trend(report: NightReport) -> Iterator[Line]:
    nights = [*report.earlier, report.night][-MOST_NIGHTS:]
    if len(nights) < 2:
        return
    yield Line(f"the last {len(nights)} nights   {sparkline([night.overall for night in nights])}", "bold")
    for night in reversed(nights):
        date, version, overall, difference, state = wording.trend_row(night)
        yield Line(f"  {date}  {pad(version, 8)} {pad(overall, 6)} {pad(difference, 8)} {pad(state, 40)}")


def _places(report: NightReport, files: Sequence[str]) -> Iterator[Line]:
    for role, run_id in report.night.runs.items():
        yield from _paragraph(f"{role.replace('_', ' ')}: run {run_id}", lines=3)
    for title, address in report.links.items():
        yield from _paragraph(f"{title}: {address}", lines=8)
    for file in files:
        yield from _paragraph(file, lines=8)
    if report.next_command:
        yield from _paragraph(f"next: {report.next_command}", lines=8)
