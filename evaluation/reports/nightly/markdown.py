"""summary.md of a night, for job summaries; under 60 KB. Text from outside stands in code spans."""

from collections.abc import Iterator

from evaluation.nightly.night import sparkline
from evaluation.nightly.report import NightReport
from evaluation.reports.comparison.markdown import worst_lines
from evaluation.reports.document import NAME
from evaluation.reports.markdown import bounded, code, link, prose
from evaluation.reports.nightly import wording
from evaluation.text import numbers

MOST_NIGHTS = 30


def night_markdown(report: NightReport) -> str:
    """The whole document, ending with a line break."""
    return bounded((*_head(report), *_checks(report), *worst_lines(report.worst), *_trend(report), *_places(report)))


def _head(report: NightReport) -> Iterator[str]:
    yield f"## {prose(wording.heading(report).capitalize())}"
    yield ""
    for banner in wording.banners(report):
        yield f"> **{prose(banner)}**"
        yield ""
    yield f"{prose(report.night.headline, 800)}."
    yield ""
    for text in (*wording.reasons(report), *wording.details(report)):
        yield f"- {prose(text, 600)}"
    yield ""


def _checks(report: NightReport) -> Iterator[str]:
    if report.gate is None or not report.gate.checks:
        return
    yield "### Production against the baseline"
    yield ""
    yield "| metric | baseline | tonight | difference [95% interval] | p | margin | noise floor | |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for check in report.gate.checks:
        floor = numbers.NONE if check.floor is None else numbers.above(check.floor)
        change = (
            f"{numbers.signed(check.difference)} [{numbers.span(check.ci95)}]"
            if check.ci95
            else numbers.signed(check.difference)
        )
        means = f"{numbers.score(check.before)} | {numbers.score(check.tonight)}"
        yield (
            f"| {code(check.metric, NAME)} | {means} | {change} "
            f"| {numbers.p_value(check.p)} | {check.margin:g} | {floor} | {'**lower**' if check.raised else ''} |"
        )
    yield ""


def _trend(report: NightReport) -> Iterator[str]:
    nights = [*report.earlier, report.night][-MOST_NIGHTS:]
    yield "### The last nights"
    yield ""
    yield f"overall {code(sparkline([night.overall for night in nights]).strip() or '-')}"
    yield ""
    yield "| night | version | overall | against the baseline | |"
    yield "| --- | --- | --- | --- | --- |"
    for night in reversed(nights):
        date, version, overall, difference, state = wording.trend_row(night)
        yield f"| {date} | {code(version, NAME) if version else ''} | {overall} | {difference} | {state} |"
    yield ""


def _places(report: NightReport) -> Iterator[str]:
    for role, run_id in report.night.runs.items():
        yield f"- {prose(role.replace('_', ' '))}: run {code(run_id, NAME * 2)}"
    for title, address in report.links.items():
        yield f"- {link(title, address)}"
    if report.next_command:
        yield f"- next: {code(report.next_command)}"
