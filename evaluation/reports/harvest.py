"""What a harvest found, and what became of drafts, as documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.harvest.draft import Draft
from evaluation.reports.document import (
    Block,
    Column,
    Command,
    Document,
    Fields,
    Heading,
    Name,
    Outside,
    Paragraph,
    document,
    table,
)
from evaluation.text.numbers import count, times

UNREAD = (
    "None of them is played. What can be found by pattern was masked: read each text for what cannot, such as names in "
    "small letters, places, employers, dates, and whatever is personal by its meaning."
)


DRAFTS: Fields[Draft] = [
    (Column("draft"), lambda draft: Name(draft.id)),
    (Column("why", fluid=True), lambda draft: Outside("; ".join(draft.why))),
    (Column("masked", right=True), lambda draft: count(len(draft.masked))),
    (Column("look at", right=True), lambda draft: count(len(draft.look_at))),
]


@dataclass(frozen=True, slots=True)
class Harvested:
    """The figures of a harvest."""

    source: str
    messages: int
    unread: Mapping[str, int]
    known: Mapping[str, int]
    """What candidates repeat that was chosen by nobody therefore -> how many."""
    repeated: int
    uncovered: float
    """The share of messages, by weight, that no scenario covers."""
    drafts: Sequence[Draft]
    notes: Sequence[str] = ()


def describe_harvest(found: Harvested, path: str, accept: str) -> Document:
    """What was looked at, the drafts with their reasons, and what to do with them."""
    first: list[Block] = [
        Heading((f"{times(len(found.drafts), 'draft')} from ", Outside(found.source)), level=1),
        Paragraph(_seen(found)),
        *(Paragraph(note, "warning") for note in found.notes),
    ]
    if not found.drafts:
        return document(first)
    return document(
        first,
        [table(DRAFTS, found.drafts, rest=path)],
        [Paragraph(UNREAD), Command("read, edit and decide in", path), Command("then take over", accept)],
    )


def _seen(found: Harvested) -> str:
    parts = [f"{times(found.messages, 'message')} of users, {found.uncovered:.0%} of them like no scenario"]
    parts += [f"{count(number)} passed over: {why}" for why, number in sorted(found.unread.items())]
    parts += [f"{count(number)} not proposed again: like {what}" for what, number in sorted(found.known.items())]
    parts += [f"{count(found.repeated)} repeat another"] if found.repeated else []
    return "; ".join(parts)
