"""What a report says of groups of users: their means, what they are held to, and how they differ over one situation."""

from collections.abc import Iterator, Mapping

from evaluation.reports.document import Block, Column, Fields, Heading, Name, Table, table
from evaluation.reports.intervals import behind, mean_text
from evaluation.summary.groups import GroupFigures, Groups, PairedGroups
from evaluation.summary.metric import MetricSummary
from evaluation.text import numbers

REST = "summary.json"
MOST_TAGS = 20
"""Tags that a report lists."""
FIGURES = {"overall": "overall", "expectations_met": "expectations met"}


def describe_groups(groups: Groups) -> Iterator[Block]:
    """Tables by audience and by tag, and the paired differences of audiences; nothing without groups."""
    if groups.by_audience:
        yield Heading("By audience")
        yield _table("audience", groups.by_audience)
    if groups.audiences_paired:
        yield Heading("The same situation, said by another kind of user")
        yield table(PAIRED, groups.audiences_paired, rest=REST)
    if groups.by_tag:
        yield Heading("By tag")
        yield _table("tag", dict(list(groups.by_tag.items())[:MOST_TAGS]))


def _table(title: str, groups: Mapping[str, GroupFigures]) -> Table:
    fields: Fields[tuple[str, GroupFigures]] = [
        (Column(title), lambda row: Name(row[0])),
        (Column("scenarios", right=True), lambda row: f"{row[1].scenarios}"),
        (Column("overall"), lambda row: mean_of(row[1].overall)),
        (Column("expectations met"), lambda row: mean_of(row[1].expectations_met)),
    ]
    return table(fields, groups.items(), rest=REST)


PAIRED: Fields[PairedGroups] = [
    (Column("groups"), lambda pair: Name(f"{pair.second} against {pair.first}")),
    (Column("figure"), lambda pair: FIGURES[pair.figure]),
    (Column("situations", right=True), lambda pair: f"{pair.situations}"),
    (Column("difference [95% interval]"), lambda pair: difference_text(pair)),
]


def difference_text(pair: PairedGroups) -> str:
    """+0.02 [-0.01, +0.05]."""
    return f"{numbers.with_sign(pair.difference)}{behind(pair.ci95)}"


def mean_of(found: MetricSummary | None) -> str:
    """0.74 [0.70, 0.78]; empty without a mean."""
    return "" if found is None or found.estimate.mean is None else mean_text(found.estimate)
