"""What people preferred between two versions, as a document: win rate, agreement, and their remarks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluation.commands import write_command
from evaluation.comparison.head_to_head import FEW_CLUSTERS, PeoplesPairs, Tally
from evaluation.reports.document import (
    Banner,
    Block,
    Bullet,
    Bullets,
    Command,
    Document,
    Heading,
    Name,
    Outside,
    Paragraph,
    document,
)
from evaluation.reports.head_to_head import category_table, length_lines, people_lines
from evaluation.reports.wording import REHEARSAL
from evaluation.text import numbers

MOST_REMARKS = 12
LONG = 300


@dataclass(frozen=True, slots=True)
class PairReview:
    """Two versions as people compared them."""

    suite: str
    base: str
    candidate: str
    people: PeoplesPairs
    categories: Mapping[str, Tally]
    judge: str
    """Whose answers stand beside people's; empty without one."""
    remarks: Sequence[tuple[str, str, str]]
    """(scenario, what was preferred, words) of each answer with a remark."""
    rehearsal: bool
    not_blind: int = 0
    """Answers of somebody who saw versions and scores."""


def describe_pair_reviews(reviews: Sequence[PairReview], files: Sequence[str] = ()) -> Document:
    """One section for each two versions; `files` say where more can be read."""
    return document(*map(_section, reviews), (Command("", file) for file in files))


def _section(review: PairReview) -> Iterator[Block]:
    people = review.people
    if review.rehearsal:
        yield Banner(REHEARSAL)
    side = {"candidate": review.candidate, "base": review.base, "neither": "neither"}[people.tally.favours]
    yield Heading(("Side by side: ", Name(review.candidate), " against ", Name(review.base)), level=2)
    yield Paragraph(("people prefer ", Name(side)), "strong")
    yield Bullets([Bullet(line) for line in _lines(review)])
    yield from category_table(review.categories)
    if review.remarks:
        yield Heading("Remarks")
        shown = [
            Bullet((Name(scenario), ", ", Name(preferred), ": ", Outside(words, LONG)))
            for scenario, preferred, words in review.remarks
        ]
        yield Bullets(shown, brief=MOST_REMARKS)


def _lines(review: PairReview) -> Iterator[str]:
    people, tally = review.people, review.people.tally
    small = ": rough" if tally.rate.clusters < FEW_CLUSTERS else ""
    yield f"{tally.wins} won, {tally.ties} tied, {tally.losses} lost, in {tally.rate.clusters} situations{small}"
    yield from people_lines(people, review.candidate)
    yield from length_lines(people.equal_length, review.base, review.candidate)
    if review.not_blind:
        yield f"not blind, and drawn towards versions and scores: {numbers.times(review.not_blind, 'answer')}"
    if people.with_judge:
        yield f"judge: {review.judge}"
    else:
        yield f"no judge was asked about these pairs; what asks one: {write_command('compare', '--head-to-head')}"
