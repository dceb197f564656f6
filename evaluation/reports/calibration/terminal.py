"""A calibration for a terminal of 80 columns: one table per dimension that people rated."""

from collections.abc import Iterator, Sequence

from evaluation.calibration.calibrate import Agreement, Calibration
from evaluation.calibration.items import WORDS
from evaluation.reports.calibration import wording
from evaluation.reports.run.terminal import LONGEST_ADDRESS
from evaluation.text import numbers
from evaluation.text.page import WIDTH, Line, printed
from evaluation.text.safe_text import clip, pad, wrap

NAME = 24
FIGURE = 21
"""Fits "-0.12 [-0.20, -0.05]" and a gap; with a count and five cells the line is 80."""
CELL = 5
MOST_DIMENSIONS = 30
MOST_REMARKS = 20
LEGEND = (
    "r: Pearson; MAE, bias: tool against people on the rubric's scale, bias above 0: the tool is kinder; kappa: "
    "quadratic-weighted on the bands; dif: would decide differently"
)


def render_calibration(found: Calibration, *, files: Sequence[str] = (), color: bool = False) -> str:
    """The report as text that ends with a line break; no line but a file's name is wider than 80 columns."""
    dimensions = list(found.scales)[:MOST_DIMENSIONS]
    return printed(
        (
            _head(found),
            *(_table(found, dimension) for dimension in dimensions),
            *(_pairs(found, dimension) for dimension in dimensions),
            _remarks(found),
            _files(files),
        ),
        color,
    )


def _paragraph(text: str, *, lead: str = "", style: str = "") -> Iterator[Line]:
    for number, part in enumerate(wrap(text, WIDTH - len(lead), 6)):
        yield Line((lead if number == 0 else " " * len(lead)) + part, style)


def _head(found: Calibration) -> Iterator[Line]:
    yield from _paragraph(wording.headline(found), style="bold")
    for text in wording.notes(found):
        yield from _paragraph(text, lead="  - ")
    if found.agreements:
        yield from _paragraph(LEGEND, lead="  - ")


def _table(found: Calibration, dimension: str) -> Iterator[Line]:
    rows = [item for item in found.agreements if item.dimension == dimension]
    if not rows:
        return
    cells = ("n", "r", "MAE", "bias", "kappa", "dif")
    yield Line(_row(dimension, "Spearman [95%]", cells), "bold")
    source = rows[0].source
    for item in rows:
        if item.source not in (source, WORDS[0]):
            source = item.source
            yield Line(f"{source}:", "bold")
        yield Line(_line(item), _style(wording.reading(item)))


def _line(item: Agreement) -> str:
    differ = None if item.decisions is None else item.decisions.differ
    figures = (item.pearson, item.mae, item.bias, item.kappa)
    cells = (str(item.n), *(wording.signed(figure.value) for figure in figures), numbers.percent(differ))
    name = wording.name_of(*WORDS) if item.source == WORDS[0] else item.metric
    return _row(name, wording.figure(item.spearman), cells)


def _row(name: str, figure: str, cells: Sequence[str]) -> str:
    count, *rest = cells
    numbers_shown = " ".join(clip(cell, CELL).rjust(CELL) for cell in rest)
    return f"{pad(name, NAME)}{clip(count, CELL).rjust(CELL)} {pad(figure, FIGURE)}{numbers_shown}"


def _style(reading: str) -> str:
    if "AGAINST" in reading or "WORSE" in reading:
        return "red"
    return "green" if "with people" in reading or reading.startswith("better") else ""


def _pairs(found: Calibration, dimension: str) -> Iterator[Line]:
    rows = [item for item in found.pairs if item.dimension == dimension]
    if not rows:
        return
    yield Line(f"{pad(dimension, NAME)} {pad('pairs', 6)}{pad('ties', 6)}accuracy [95%]", "bold")
    for item in rows:
        name, reading = wording.name_of(item.source, item.metric), wording.reading_pair(item)
        counts = pad(str(item.pairs), 6) + pad(str(item.tool_ties), 6)
        yield Line(
            clip(f"{pad(name, NAME)} {counts}{wording.figure(item.accuracy)}  {reading}", WIDTH), _style(reading)
        )
    yield from _paragraph("ties: the metric is the same on both, which counts half; pairs without a preference are out")


def _remarks(found: Calibration) -> Iterator[Line]:
    told = [*wording.overall_decisions(found), *wording.remarks(found)]
    for text in told[:MOST_REMARKS]:
        yield from _paragraph(text, lead="  - ")
    if len(told) > MOST_REMARKS:
        yield Line(f"  - {len(told) - MOST_REMARKS} more remarks are in the report's file")


def _files(files: Sequence[str]) -> Iterator[Line]:
    for name in files:
        yield Line(clip(name, LONGEST_ADDRESS))
