"""Tables on responses that users had, of production and of collections alike, and what a judge says of them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, TypeAlias

from evaluation.production.judged import ItemFailures
from evaluation.production.summary import MetricMeans, is_small
from evaluation.records import Source
from evaluation.reports.document import (
    Block,
    Bullet,
    Bullets,
    Column,
    Fields,
    Heading,
    Name,
    Outside,
    Paragraph,
    Tone,
    Words,
    table,
)
from evaluation.reports.intervals import Mean
from evaluation.statistics.clusters import WeightedEstimate
from evaluation.text import numbers
from evaluation.text.names import in_words

EXCERPT = 160
"""Columns of a message or response among the lowest, and of an expectation."""
MOST_ITEMS = 12
"""Expectations that fail, of which the terminal names so many."""
SAID: Mapping[Source, str] = {"judge": "the judge scores", "combined": "rules and judge together score"}


class Counted(Mean, Protocol):
    """A mean, and how many responses have a value."""

    @property
    def n(self) -> int: ...


Named: TypeAlias = tuple[str, WeightedEstimate]
"""The name of a group or metric, and its estimate."""


def figures(title: str, counted: str) -> Fields[tuple[str, Counted]]:
    """A mean under its title, its interval, and how many responses it is from."""
    return [
        (Column(title, right=True), lambda row: numbers.score(row[1].mean)),
        (Column("95% interval", right=True), lambda row: numbers.interval(row[1].ci95)),
        (Column(counted, right=True), lambda row: numbers.count(row[1].n)),
    ]


def about(title: str, sizes: Mapping[str, float]) -> Fields[Named]:
    """How many responses a group stands for: by `sizes` where they know it, else by the weights of its own."""
    return [(Column(title, right=True), lambda row: numbers.count(round(sizes.get(row[0], row[1].stands_for))))]


SMALL: Fields[Named] = [(Column(""), lambda row: "small sample" if is_small(row[1]) else "")]


def as_scored(overall: str, source: Source) -> str:
    """The metric, and by whom."""
    return f"{in_words(overall)} as {SAID[source]} it"


def conversations(found: MetricMeans, what: str, sizes: Fields[Named] = ()) -> Iterator[Block]:
    """What the judge says of conversations as a whole; `what` says up to where, `sizes` how many each stands for."""
    if found:
        yield Heading(f"conversations as a whole, {what}")
        metrics: Fields[Named] = [(Column("metric"), lambda row: in_words(row[0]))]
        yield table([*metrics, *figures("judge", "judged"), *sizes, *SMALL], found.items())


def expectations(met: WeightedEstimate, failing: Sequence[ItemFailures]) -> Iterator[Block]:
    """How many of its expectations a response meets, and which ones fail."""
    if met.n:
        yield Heading("expectations")
        yield Paragraph(
            f"a response meets {numbers.percent(met.mean)} of what is expected of it, "
            f"{numbers.interval(met.ci95)}, from {numbers.times(met.n, 'response')}"
        )
        yield Bullets([_item(each) for each in failing], brief=MOST_ITEMS, rest="summary.json")


def _item(each: ItemFailures) -> Bullet:
    critical, share = "critical: " if each.item.critical else "", each.share.mean
    of_all = "" if share is None else f", about {numbers.percent(share)} of all that it is expected of"
    lead = f"{critical}fails in {numbers.count(each.failed)} of {numbers.count(each.of)}{of_all}: "
    tone: Tone = "bad" if each.item.critical else ""
    return Bullet((lead, Name(each.item.id), ", ", Outside(each.item.question, EXCERPT)), tone)


def score_of(found: Mean | None) -> str:
    """The mean of what may be missing."""
    return numbers.score(None if found is None else found.mean)


def ends_of(found: Mean | None) -> str:
    """The interval of what may be missing."""
    return numbers.interval(None if found is None else found.ci95)


def failed_items(names: Sequence[str]) -> Iterator[Bullet]:
    """The expectations that one response fails; nothing where it fails none."""
    if names:
        yield Bullet(("fails: ", Outside(", ".join(names))), "bad", depth=1)


def strata(number: int) -> str:
    """1 stratum, 12 strata."""
    return numbers.times(number, "stratum").replace("stratums", "strata")


def open_verdicts(unread: int, failed: int, still_open: int, of: str = "") -> list[tuple[Words, int]]:
    """What the judge did not answer, without what there is none of; `of` names what is counted."""
    rows: list[tuple[Words, int]] = [
        ("verdicts that could not be read", unread),
        (f"{of}without an answer of the judge", failed),
        (f"{of}not judged yet", still_open),
    ]
    return [row for row in rows if row[1]]
