"""A night as a document: the answer and its grounds first."""

from collections.abc import Iterator, Mapping, Sequence

from evaluation.nightly.alarm import AlarmCheck
from evaluation.nightly.night import NightState, sparkline
from evaluation.nightly.report import NightReport
from evaluation.reports.comparison.document import worst_blocks
from evaluation.reports.document import (
    Banner,
    Block,
    Column,
    Command,
    Document,
    Heading,
    Paragraph,
    Row,
    Table,
    Tone,
    bullets,
    document,
    name,
)
from evaluation.reports.nightly import wording
from evaluation.text import numbers

MOST_NIGHTS = 30
TONES: Mapping[NightState, Tone] = {"ok": "good", "alarm": "bad", "running": "strong"}


def describe_night(report: NightReport, *, files: Sequence[str] = ()) -> Document:
    """What the night found, beside the nights before it; `files` say where more can be read."""
    return document(
        _head(report), _checks(report), worst_blocks(report.worst), _trend(report), _places(report), _files(files)
    )


def _head(report: NightReport) -> Iterator[Block]:
    yield from map(Banner, wording.banners(report))
    yield Heading(wording.heading(report), level=2, tone=TONES.get(report.night.state, "warning"))
    yield Paragraph(report.night.headline)
    yield from bullets((*wording.reasons(report), *wording.details(report)))


def _checks(report: NightReport) -> Iterator[Block]:
    if report.gate is not None and report.gate.checks:
        yield Heading("Production against the baseline", printed=False)
        columns = [Column(title) for title in ("against the baseline", "before", "tonight", "change")]
        columns += [Column("95% interval", detail=True), Column("p"), Column("margin", detail=True), Column("noise")]
        yield Table([*columns, Column("")], [_check(check) for check in report.gate.checks])


def _check(check: AlarmCheck) -> Row:
    floor = numbers.NONE if check.floor is None else numbers.above(check.floor)
    means = (numbers.score(check.before), numbers.score(check.tonight), numbers.signed(check.difference))
    tests = (numbers.span(check.ci95), numbers.p_value(check.p), f"{check.margin:g}", floor)
    cells = (name(check.metric), *means, *tests, "LOWER" if check.raised else "")
    return Row(cells, "bad" if check.raised else "")


def _trend(report: NightReport) -> Iterator[Block]:
    nights = [*report.earlier, report.night][-MOST_NIGHTS:]
    yield Heading(("The last nights   ", name(sparkline([night.overall for night in nights]).strip() or numbers.NONE)))
    columns = [*(Column(title) for title in ("night", "version", "overall", "difference")), Column("", fluid=True)]
    rows = [wording.trend_row(night) for night in reversed(nights)]
    yield Table(columns, [Row((first, name(second), *rest)) for first, second, *rest in rows])


def _places(report: NightReport) -> Iterator[Block]:
    yield from bullets((f"{role.replace('_', ' ')}: run ", name(run_id)) for role, run_id in report.night.runs.items())
    yield from (Command(title, address) for title, address in report.links.items())
    if report.next_command:
        yield Command("next", report.next_command)


def _files(files: Sequence[str]) -> Iterator[Block]:
    yield from (Command("", file) for file in files)
