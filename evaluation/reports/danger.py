"""What a rubric makes of messages in danger, of look-alikes and of pairs of replies, as a document."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from evaluation.mutations.danger import (
    Compared,
    Count,
    Danger,
    DangerFound,
    LookAlike,
    Margins,
    count_by,
    margins_by,
)
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
    Tone,
    document,
    table,
)
from evaluation.text import numbers

DANGER_GROUPS: Sequence[tuple[str, Callable[[Danger], str]]] = (
    ("kind of danger", lambda message: message.kind),
    ("register", lambda message: message.manner),
    ("said", lambda message: message.said),
)
LOOK_ALIKE_GROUPS: Sequence[tuple[str, Callable[[LookAlike], str]]] = (
    ("look-alike about", lambda message: message.about),
    ("register", lambda message: message.manner),
)
PAIR_GROUPS: Sequence[tuple[str, Callable[[Compared], str]]] = (
    ("kind of danger", lambda each: each.pair.kind),
    ("the pleasing reply", lambda each: each.pair.bad),
    ("the danger", lambda each: "seen" if each.seen else "not seen"),
)
"""The last one for rubrics that look for danger alone."""
Sections: TypeAlias = Iterator[tuple[Block, ...]]
"""Each with one table."""
FEW = 0.5
"""A group of which so much goes wrong is marked."""


def describe_danger(title: str, found: DangerFound, *, misses: bool = False) -> Document:
    """`title` names the rubric and the half; `misses` lists everything that went wrong."""
    return document(
        _head(title, found),
        *_danger(found),
        *_look_alikes(found),
        *_pairs(found),
        _unseen(found) if misses else (),
        _false_alarms(found) if misses else (),
        _lost(found.pairs) if misses else (),
    )


def _head(title: str, found: DangerFound) -> Iterator[Block]:
    won = sum(each.won for each in found.pairs)
    yield Heading((Name(title), f": help is above a pleasing reply in {won} of {len(found.pairs)} pairs"), level=2)
    if not found.danger:
        yield Paragraph("no cue of it looks for danger, so it sees none: only pairs of replies are counted")
        return
    seen = sum(each for _, each in found.danger)
    alarms = sum(each for _, each in found.look_alikes)
    yield Paragraph(
        f"{seen} of {numbers.times(len(found.danger), 'message')} in danger are seen, and {alarms} of "
        f"{numbers.times(len(found.look_alikes), 'look-alike')} are taken for danger; intervals are Wilson's, with 95%"
    )


def _danger(found: DangerFound) -> Sections:
    groups = [(name, count_by(found.danger, of, wrong=False)) for name, of in DANGER_GROUPS if found.danger]
    return _counts("Messages in danger that are not seen", "missed", groups)


def _look_alikes(found: DangerFound) -> Sections:
    alarms = found.look_alikes
    groups = [(name, count_by(alarms, of, wrong=True)) for name, of in LOOK_ALIKE_GROUPS if alarms]
    return _counts("Look-alikes that are taken for danger", "alarms", groups)


def _counts(title: str, wrong: str, groups: Sequence[tuple[str, list[Count]]]) -> Sections:
    """A table for each way in which messages are put into groups, under one heading."""
    for number, (name, counts) in enumerate(groups):
        shown = table(_fields(name, wrong), counts, _tone)
        yield (shown,) if number else (Heading(title), shown)


def _fields(title: str, wrong: str) -> Fields[Count]:
    return [
        (Column(title), lambda count: count.group),
        (Column("of", right=True), lambda count: str(count.messages)),
        (Column(wrong, right=True), lambda count: str(count.wrong)),
        (Column("share", right=True), lambda count: numbers.percent(count.share)),
        (Column("95%"), lambda count: numbers.interval(count.interval)),
    ]


def _tone(count: Count) -> Tone:
    return "bad" if count.share >= FEW else ""


def _pairs(found: DangerFound) -> Sections:
    for number, (title, group_of) in enumerate(PAIR_GROUPS if found.danger else PAIR_GROUPS[:2]):
        shown = table(_margin_fields(title), margins_by(found.pairs, group_of), _lost_tone)
        heading = Heading("Pairs of replies to danger: one helps, one is written to please")
        yield (shown,) if number else (heading, shown)


def _margin_fields(title: str) -> Fields[Margins]:
    return [
        (Column(title), lambda group: group.group),
        (Column("pairs", right=True), lambda group: str(group.pairs)),
        (Column("help above", right=True), lambda group: str(group.won)),
        (Column("least margin", right=True), lambda group: numbers.with_sign(group.least)),
        (Column("mean", right=True), lambda group: numbers.with_sign(group.mean)),
    ]


def _lost_tone(group: Margins) -> Tone:
    return "bad" if group.won < group.pairs else ""


def _unseen(found: DangerFound) -> Iterator[Block]:
    yield Heading("Messages in danger that are not seen, one by one")
    missed = [message for message, seen in found.danger if not seen]
    yield Bullets([_bullet(f"{each.kind}, {each.manner}, {each.said}: ", each) for each in missed], brief=len(missed))


def _false_alarms(found: DangerFound) -> Iterator[Block]:
    yield Heading("Look-alikes that are taken for danger, one by one")
    alarms = [message for message, seen in found.look_alikes if seen]
    yield Bullets([_bullet(f"{each.about}, {each.manner}: ", each) for each in alarms], brief=len(alarms))


def _bullet(lead: str, message: Danger | LookAlike) -> Bullet:
    said = [turn.content for turn in message.turns()]
    return Bullet((lead, Outside(" / ".join([*said, message.user]))))


def _lost(compared: Sequence[Compared]) -> Iterator[Block]:
    yield Heading("Pairs in which help is not above, one by one")
    items: list[Bullet] = []
    for each in compared:
        if not each.won:
            pair = each.pair
            items += [
                Bullet(f"{pair.kind}, {pair.bad}: {numbers.with_sign(each.margin)}", "strong"),
                Bullet(("user: ", Outside(pair.user)), depth=1),
                Bullet(("helps: ", Outside(pair.helps)), depth=1),
                Bullet(("pleases: ", Outside(pair.pleases)), depth=1),
            ]
    yield Bullets(items, brief=len(items))
