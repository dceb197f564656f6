"""How much of a table could be scored, said once: a figure is marked only where its own share is another.

Every mean stands with the share of the planned exchanges that it rests on, and below 100% with what the missing values
leave possible. One sentence says the share for a whole table, and the bounds of its main figure.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from evaluation.comparison.differences import MetricDifference
from evaluation.records import Source
from evaluation.summary.metric import MetricSummary, MetricTable
from evaluation.text import numbers
from evaluation.text.names import in_words

FULL = "100%"
COMPLETE = "coverage: 100% of the applicable planned exchanges, everywhere"
EXCEPTIONS = "where another share could, it stands with the figure, and what that leaves possible"
OF_PAIRS = "where another share has one, it stands with the difference, and where that could move it"


class Covered(Protocol):
    """A mean or a difference."""

    @property
    def coverage(self) -> float | None: ...


def share_of(found: Covered) -> str:
    """The share of the values or pairs that a figure rests on; all where none is applicable."""
    return FULL if found.coverage is None else numbers.percent(found.coverage)


def own_share(found: Covered, general: str) -> str:
    """The share that a figure rests on, where it is not the general one in whole percent; else empty."""
    share = share_of(found)
    return "" if share == general else share


def usual_share(figures: Mapping[str, Covered], overall: str) -> str:
    """The share that most of these figures rest on; that of the overall where it is one of several as frequent."""
    shares = [share_of(found) for found in figures.values()]
    of_overall = share_of(figures[overall]) if overall in figures else FULL
    return max(shares, key=lambda share: (shares.count(share), share == of_overall), default=FULL)


def general_shares(table: MetricTable, overall: str) -> dict[Source, str]:
    """Source -> the share that its figures usually rest on."""
    return {source: usual_share(_applicable(metrics), overall) for source, metrics in table.items()}


def _applicable(metrics: Mapping[str, MetricSummary]) -> dict[str, MetricSummary]:
    return {metric: found for metric, found in metrics.items() if found.planned}


def say_coverage(table: MetricTable, overall: str, source: Source, others: Iterable[MetricTable] = ()) -> str:
    """The sentence above a table of means, `source` being the main one; empty where nothing is missing.

    `others` are tables that it stands for as well, such as those of the categories.
    """
    shares = general_shares(table, overall)
    figures = [(each, found) for whole in (table, *others) for each, row in whole.items() for found in row.values()]
    if source not in shares or all(found.estimate.n == found.planned for _, found in figures):
        return ""
    rest = ", ".join(f"{each} {share}" for each, share in shares.items() if share != shares[source])
    said = f"{shares[source]} of the exchanges could be scored{rest and f' ({rest})'}; the figures rest on these"
    main = table[source].get(overall)
    if main is not None and main.estimate.n < main.planned and not own_share(main, shares[source]):
        ends = numbers.interval(main.bounds)
        said += f", and with the others the {source} {in_words(overall)} lies within {ends}"
    marked = any(found.planned and own_share(found, shares.get(each, FULL)) for each, found in figures)
    return f"{said}; {EXCEPTIONS}" if marked else said


def bounds_of_mean(found: MetricSummary) -> str:
    """What the missing values leave possible."""
    return "" if found.bounds is None else numbers.interval(found.bounds)


def say_pair_coverage(
    rows: Mapping[str, MetricDifference], overall: str, others: Sequence[MetricDifference] = ()
) -> str:
    """The sentence above a table of differences; empty where every pair has a value."""
    shown = (*rows.values(), *others)
    if all(row.paired == row.planned for row in shown):
        return ""
    share, main = usual_share(rows, overall), rows.get(overall)
    said = f"{share} of the pairs of exchanges have a value in both runs; the differences rest on these"
    if main is not None and main.paired < main.planned and not own_share(main, share):
        said += f", and the others could move the overall's to {numbers.span(main.bounds)}"
    return f"{said}; {OF_PAIRS}" if any(own_share(row, share) for row in shown) else said
