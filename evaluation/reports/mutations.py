"""The mutation test of a rubric as a document: which edits its rules see, and which swaps they should not."""

from collections.abc import Iterator, Sequence

from evaluation.mutations.tally import STILL, Shift, Tally, share_by_metric
from evaluation.reports.document import (
    Block,
    Bullet,
    Bullets,
    Column,
    Document,
    Fields,
    Heading,
    Name,
    Outside,
    Paragraph,
    document,
    table,
)
from evaluation.text import numbers
from evaluation.text.names import in_words

FEW = 0.5
"""A kind of edit whose share is below this is marked."""
MOST_SHOWN = 20
"""Edits that went wrong, of those that are shown one by one."""


def describe_mutations(
    title: str, bases: int, tallies: Sequence[Tally], still: Sequence[Shift], fair: Sequence[Shift], shown: str = ""
) -> Document:
    """`title` names the rubric and the half of the wordings; `shown` is the kind whose misses are listed."""
    return document(
        _head(title, bases, tallies),
        _by_metric(tallies),
        *(_by_kind(share.metric, tallies) for share in share_by_metric(tallies)),
        _shifts("swap that should change nothing", still),
        _shifts("swap that should be fair", fair),
        _misses([tally for tally in tallies if tally.kind == shown]),
    )


def _head(title: str, bases: int, tallies: Sequence[Tally]) -> Iterator[Block]:
    edits, right = sum(tally.edits for tally in tallies), sum(tally.right for tally in tallies)
    yield Heading((Name(title), f": {numbers.percent(right / edits)} of {edits:,} expected moves are made"), level=2)
    kinds = len({tally.kind for tally in tallies})
    yield Paragraph(f"{kinds} kinds of edit on {bases} exchanges; a metric that does not move made no move")


def _by_metric(tallies: Sequence[Tally]) -> Iterator[Block]:
    yield table(
        [
            (Column("metric"), lambda share: in_words(share.metric)),
            (Column("moves", right=True), lambda share: f"{share.edits:,}"),
            (Column("right", right=True), lambda share: numbers.percent(share.share)),
            (Column("lowest kind"), lambda share: f"{share.lowest.kind} {numbers.percent(share.lowest.share)}"),
        ],
        share_by_metric(tallies),
    )


KINDS: Fields[Tally] = [
    (Column("edit"), lambda tally: tally.kind),
    (Column("should go"), lambda tally: tally.direction),
    (Column("of", right=True), lambda tally: str(tally.edits)),
    (Column("right", right=True), lambda tally: numbers.percent(tally.share)),
    (Column("wrong", right=True), lambda tally: numbers.percent(tally.wrong / tally.edits)),
]


def _by_kind(metric: str, tallies: Sequence[Tally]) -> Iterator[Block]:
    yield Heading(f"Edits that should move {in_words(metric)}")
    own = [tally for tally in tallies if tally.metric == metric]
    yield table(KINDS, own, lambda tally: "bad" if tally.share < FEW else "")


def _shifts(title: str, shifts: Sequence[Shift]) -> Iterator[Block]:
    if shifts:
        fields: Fields[Shift] = [
            (Column(title), lambda shift: shift.group),
            (Column("of", right=True), lambda shift: str(shift.exchanges)),
            (Column(f"within {STILL:g}", right=True), lambda shift: numbers.percent(shift.still)),
            (Column("largest move"), lambda shift: (f"{numbers.with_sign(shift.largest[1])} ", Name(shift.largest[0]))),
            (Column("overall", right=True), lambda shift: numbers.with_sign(shift.overall, 3)),
        ]
        yield table(fields, shifts)


def _misses(tallies: Sequence[Tally]) -> Iterator[Block]:
    for tally in tallies:
        yield Heading(f"{tally.kind}: {tally.says} Not moved {tally.direction}: {in_words(tally.metric)}")
        items: list[Bullet] = []
        for miss in tally.missed[:MOST_SHOWN]:
            items += [
                Bullet(Name(miss.base.id), "strong"),
                Bullet(("user: ", Outside(miss.base.user)), depth=1),
                Bullet(("before: ", Outside(miss.before)), depth=1),
                Bullet(("after: ", Outside(miss.after)), depth=1),
            ]
        yield Bullets(items)
