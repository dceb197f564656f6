"""A collection of responses, as a document: the mean of each metric with its spread, and the means of groups."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluation.collected.tally import MOST_GROUPS, OTHERS
from evaluation.reports import collected_judged as of_judge
from evaluation.reports.document import (
    Banner,
    Block,
    Bullet,
    Bullets,
    Column,
    Command,
    Document,
    Fields,
    Heading,
    Name,
    Outside,
    Paragraph,
    document,
    in_detail,
    table,
)
from evaluation.text import numbers
from evaluation.text.names import in_words

BARS = "·▁▂▃▄▅▆▇█"
REASONS = 5
"""Reasons that a terminal shows."""
SHOWN = 30
"""Groups of one column that are shown, those with the most rows; the others stand in summary.json."""


def describe_collection(summary: Mapping[str, Any], metrics: Sequence[str], folder: str) -> Document:
    """`summary` is as `Tally.summary` has it, with suite and parts; `folder` is where the output lies."""
    overall = metrics[-1]
    return document(
        map(Banner, of_judge.banners(summary)),
        _head(summary),
        *of_judge.sections(summary, overall),
        _means(summary["metrics"], metrics, summary["scale"]),
        *(_groups(column, found, overall) for column, found in summary["by"].items()),
        in_detail(_lowest(summary.get("lowest", {}).get(overall, ()), overall)),
        [Command("report", f"{folder}/report.html")],
    )


def head_of(summary: Mapping[str, Any]) -> str:
    """What was scored, and by which suite."""
    return f"{numbers.times(summary['rows'], 'response')}, suite {summary['suite']}"


def notes_of(summary: Mapping[str, Any]) -> Iterator[str]:
    """What a reader must know before the figures."""
    if errors := summary["errors"]:
        yield f"{numbers.times(errors, 'row')} could not be scored; the reason stands in place of the scores"
    for column in summary.get("unseen_columns", ()):
        yield f"no row has the column {column!r} that the command names: look at --id, --by, --time and --cluster"
    for why, files in summary.get("uncut", {}).items():
        stay = "stays" if files == 1 else "stay"
        yield f"{numbers.times(files, 'file')} with {why} {stay} one part, which one process does alone"


def others_of(found: Mapping[str, Mapping[str, Any]], overall: str) -> str:
    """What the group of all others is; empty where a column has none."""
    if OTHERS not in found:
        return ""
    others = numbers.times(found[OTHERS][overall]["n"], "response")
    return (
        f"this column has more than {MOST_GROUPS} values: {OTHERS} counts the {others} of all that come after the "
        f"first {MOST_GROUPS} by name together"
    )


def _head(summary: Mapping[str, Any]) -> Iterator[Block]:
    yield Heading(head_of(summary), level=2)
    yield from (Paragraph(note, "warning") for note in notes_of(summary))
    yield Bullets(
        [Bullet((f"{numbers.count(each['count'])}: ", Outside(each["reason"]))) for each in summary.get("reasons", ())],
        brief=REASONS,
        rest="summary.json",
    )


def _lowest(rows: Sequence[Mapping[str, Any]], overall: str) -> Iterator[Block]:
    if not rows:
        return
    yield Heading(f"Lowest {in_words(overall)}")
    fields: Fields[Mapping[str, Any]] = [
        (Column("id"), lambda row: Name(row["id"])),
        (Column("score", right=True), lambda row: numbers.score(row["value"])),
        (Column("part", right=True), lambda row: numbers.count(row["part"])),
    ]
    yield table(fields, rows)


def _means(found: Mapping[str, Any], metrics: Sequence[str], scale: Sequence[float]) -> Iterator[Block]:
    fields: Fields[tuple[str, Mapping[str, Any]]] = [
        (Column("metric"), lambda row: in_words(row[0])),
        *_figures(),
        (Column("n", right=True), lambda row: numbers.count(row[1]["n"])),
        (Column(f"{scale[0]:g} to {scale[1]:g}"), lambda row: bars(row[1]["histogram"])),
    ]
    yield table(fields, [(metric, found[metric]) for metric in metrics if metric in found])
    yield Paragraph("95% intervals; the columns on the right count values in twenty classes of the scale", "dim")


def _groups(column: str, found: Mapping[str, Mapping[str, Any]], overall: str) -> Iterator[Block]:
    rows = sorted(((name, metrics[overall]) for name, metrics in found.items()), key=lambda row: -row[1]["n"])
    if column == "week":
        rows.sort(key=lambda row: row[0])
    yield Heading(("by ", Name(column), f", {in_words(overall)}"))
    fields: Fields[tuple[str, Mapping[str, Any]]] = [
        (Column(column), lambda row: Name(row[0])),
        *_figures(),
        (Column("n", right=True), lambda row: numbers.count(row[1]["n"])),
    ]
    yield table(fields, rows[:SHOWN])
    if len(rows) > SHOWN:
        yield Paragraph(f"{len(rows) - SHOWN} more in summary.json", "dim")
    if others := others_of(found, overall):
        yield Paragraph(others, "warning")


def _figures() -> Fields[tuple[str, Mapping[str, Any]]]:
    return [
        (Column("mean", right=True), lambda row: numbers.score(row[1]["mean"])),
        (Column("95% interval", right=True), lambda row: numbers.interval(row[1]["ci95"])),
    ]


def bars(classes: Sequence[int]) -> str:
    """One block for each class, as high as its share of the largest."""
    most = max(classes, default=0)
    if not most:
        return ""
    return "".join(BARS[0 if not each else max(1, round(each / most * (len(BARS) - 1)))] for each in classes)
