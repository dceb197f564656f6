"""Chosen amounts as a document: each adjustment as it stands, as it was chosen, and how far choices differ."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluation.calibration.amounts import Choice
from evaluation.reports.document import Block, Column, Document, Fields, Heading, Name, Paragraph, document, table
from evaluation.rubrics.rubric import Rubric
from evaluation.text import numbers
from evaluation.text.names import in_words


@dataclass(frozen=True, slots=True)
class _Row:
    metric: str
    cue: str
    stands: float
    chosen: float
    lowest: float
    highest: float


def describe_amounts(title: str, rubric: Rubric, choices: Sequence[Choice]) -> Document:
    """`choices` begin with the one on everything."""
    return document(_head(title, choices), _amounts(rubric, choices))


def _head(title: str, choices: Sequence[Choice]) -> Iterator[Block]:
    yield Heading((Name(title), ": amounts chosen on people's ratings"), level=2)
    yield Paragraph(
        f"mean rank correlation over the chosen pairs {numbers.score(choices[0].agreement)} on everything; "
        f"{len(choices) - 1} more choices, each without a source, a bot or a fifth of the conversations"
    )
    yield Paragraph(
        "each choice begins with the amounts that stand in the rubric: where these were chosen on the same ratings, "
        "what is left out was seen already, and its figures are too good"
    )


def _amounts(rubric: Rubric, choices: Sequence[Choice]) -> Iterator[Block]:
    rows = []
    for (metric, place), chosen in choices[0].amounts.items():
        adjustment = rubric.metrics[metric].adjustments[place]
        others = [choice.amounts[metric, place] for choice in choices]
        rows.append(_Row(metric, adjustment.when, adjustment.add, chosen, min(others), max(others)))
    fields: Fields[_Row] = [
        (Column("cue"), lambda row: in_words(row.cue)),
        (Column("stands", right=True), lambda row: numbers.with_sign(row.stands, 2)),
        (Column("chosen", right=True), lambda row: numbers.with_sign(row.chosen, 2)),
        (Column("over all choices", right=True), lambda row: f"{row.lowest:+.2f} to {row.highest:+.2f}"),
    ]
    for metric in dict.fromkeys(row.metric for row in rows):  # one long table would be cut, and there is no file of it
        yield Heading(f"Amounts of {in_words(metric)}")
        yield table(fields, [row for row in rows if row.metric == metric])
