"""People's ratings, read from a file: rated responses, single reviews, or the records in which reviews are stored."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.calibration.items import RatedLine, rated_line
from evaluation.calibration.reviews import Reviews, review_in
from evaluation.errors import ParseError
from evaluation.records import Score
from evaluation.suites.suite import Suite
from scripts.scoring.responses import ReadLine, exchange_from, open_lines, read_exchanges
from scripts.shell import note_each
from services.record_files import record_problem


@dataclass(frozen=True, slots=True)
class Ratings:
    """The responses of a file that could be read and scored, with what people and rules gave them."""

    scored: Sequence[tuple[RatedLine, tuple[Score, ...]]]
    unread: int
    """Lines that could not be used; the first of them were named."""
    reviewed: frozenset[str]
    """Dimensions that reviewers scored, on the rubric's scale."""


def read_ratings(name: str, suite: Suite) -> Ratings:
    """Every line that can be used, scored by rule. Raises UsageError when the file cannot be opened."""
    lines: dict[str, RatedLine] = {}
    reviews = Reviews()
    problems = []
    with open_lines(name) as source:
        for line in read_exchanges(source, needs_user_input=suite.needs_user_input):
            try:
                _take(line, lines, reviews)
            except ValueError as error:
                problems.append(f"line {line.number}: {error}")
    note_each(problems, "lines that could not be read")
    records = reviews.rated()
    rated = [rated_line(record, exchange_from(record, needs_user_input=False)) for record in records]
    scored, foreign = _scored([*lines.values(), *rated], suite)
    reviewed = frozenset(name for record in records for name in record["raters"])
    return Ratings(scored, len(problems) + foreign, reviewed)


def _take(line: ReadLine, lines: dict[str, RatedLine], reviews: Reviews) -> None:
    """Adds a line to the responses or to the reviews. Raises ValueError for one that cannot be used."""
    review = review_in(line.record, record_problem)
    if review is not None:
        exchange_from({**review, "id": "checked"}, needs_user_input=False)
        reviews.add(review)
        return
    if line.exchange is None:
        raise ValueError(line.problem)
    identity = line.exchange.cell.scenario_id
    rated = rated_line(line.record, line.exchange)
    if identity in lines:
        raise ValueError(f"id {identity[:60]!r} occurs a second time")
    lines[identity] = rated


def _scored(lines: Sequence[RatedLine], suite: Suite) -> tuple[list[tuple[RatedLine, tuple[Score, ...]]], int]:
    """The lines with what rules or checks give, and how many were left out: those that are not of the suite's kind."""
    scored, problems = [], []
    for line in lines:
        try:
            scored.append((line, suite.score(line.exchange)))
        except ParseError as error:
            identity = line.exchange.cell.scenario_id[:60]
            problems.append(f"id {identity!r}: {error}: suite {suite.name} reads nothing else")
    note_each(problems, f"that suite {suite.name} does not read")
    return scored, len(problems)
