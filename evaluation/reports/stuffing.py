"""Replies that are made for the score beside plain good ones, under one rubric or two, as a document."""

from collections.abc import Iterator, Mapping, Sequence

from evaluation.mutations.stuffing import Made
from evaluation.mutations.tally import LEAST_MOVE
from evaluation.reports.document import (
    Block,
    Column,
    Document,
    Heading,
    Name,
    Paragraph,
    Row,
    Table,
    document,
)
from evaluation.text import numbers


def describe_stuffing(bases: int, made: Mapping[str, Sequence[Made]]) -> Document:
    """`made` holds the figures of each rubric under its title; rows are marked by the last one's."""
    return document(*(_head(title, bases, own) for title, own in made.items()), _beside(made))


def _head(title: str, bases: int, made: Sequence[Made]) -> Iterator[Block]:
    total, below = sum(each.bases for each in made), sum(each.below for each in made)
    yield Heading(
        (Name(f"rules of {title}"), f": {numbers.percent(below / total)} of {total:,} made replies score below"),
        level=2,
    )
    highest = max(made, key=lambda each: each.most)
    yield Paragraph(
        (
            f"each in the place of the plain good reply of {numbers.times(bases, 'exchange')}; ",
            f"the highest is {numbers.with_sign(highest.most)} from it: {highest.kind}, {highest.wording}, in ",
            Name(highest.where),
        )
    )


def _beside(made: Mapping[str, Sequence[Made]]) -> Iterator[Block]:
    yield Heading("Made replies: share below the plain one, mean and highest difference")
    columns = [Column("made reply")]
    for title in made:
        version = title.rpartition(" ")[2] if len(made) > 1 else ""
        columns += [
            Column(f"{version} below".strip(), right=True),
            Column("mean", right=True),
            Column("highest", right=True),
        ]
    rows = {(each.kind, each.wording): [f"{each.kind}, {each.wording}"] for own in made.values() for each in own}
    marked: set[tuple[str, str]] = set()
    for own in made.values():
        found = {(each.kind, each.wording): each for each in own}
        for key, cells in rows.items():
            cells += _cells(found.get(key))
        marked = {key for key, each in found.items() if each.most > LEAST_MOVE}
    yield Table(columns, [Row(cells, "bad" if key in marked else "") for key, cells in rows.items()])


def _cells(made: Made | None) -> list[str]:
    if made is None:
        return [numbers.NONE] * 3
    return [numbers.percent(made.share), numbers.with_sign(made.mean), numbers.with_sign(made.most)]
