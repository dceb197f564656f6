"""What a report says of a panel: its members beside one another, and what became of their disagreements."""

from collections.abc import Iterator

from evaluation.reports.document import (
    Bullet,
    Bullets,
    Column,
    Fields,
    Heading,
    Name,
    Only,
    Paragraph,
    Part,
    table,
)
from evaluation.reports.intervals import behind
from evaluation.summary.panel import MemberFigures, PairFigures, PanelSummary, Preference
from evaluation.text import numbers
from evaluation.text.names import in_words


def describe_panel(panel: PanelSummary | None, overall: str) -> Iterator[Part]:
    """In short one line; in full a table of the members and one of the pairs. Nothing without a panel."""
    if panel is None:
        return
    yield Only(Paragraph(in_one_line(panel, overall)), short=True)
    yield Only(Heading(f"The panel: {numbers.times(len(panel.members), 'judge')}, by {in_words(overall)}"), short=False)
    yield Only(table(MEMBERS, panel.members), short=False)
    yield Only(table(PAIRS, panel.pairs), short=False)
    yield Only(Bullets(tuple(map(Bullet, said_of(panel, overall)))), short=False)


def in_one_line(panel: PanelSummary, overall: str) -> str:
    """The means, how far the members lie apart, and who decided."""
    means = ", ".join(f"{each.model} {numbers.score(each.mean)}" for each in panel.members)
    return f"panel: {means}; {_apart(panel, overall)}"


def _apart(panel: PanelSummary, overall: str) -> str:
    ends = [f"{numbers.score(panel.spread.get(overall, 0.0))} apart on average"]
    if panel.escalated:
        ends.append(f"another judge decided {panel.escalated} of {panel.judged}")
    if panel.to_review:
        ends.append(f"{panel.to_review} of {panel.judged} for people to look at")
    return ", ".join(ends)


def said_of(panel: PanelSummary, overall: str) -> list[str]:
    """One sentence each on the panel as a whole and on what each member makes of its own family's words."""
    return [
        f"the members lie {_apart(panel, overall)}",
        *(f"{each.model}: {_of_preference(each.preference, each.family)}" for each in panel.members),
    ]


def _of_preference(found: Preference, family: str) -> str:
    if found.difference is None:
        return f"whether it prefers the words of its own family is not measurable: {found.why_not}"
    return (
        f"scores words of its own family ({family}) {numbers.with_sign(found.difference)}{behind(found.ci95)} higher "
        f"than the others do, beside other families' ({found.own} and {found.others} responses)"
    )


MEMBERS: Fields[MemberFigures] = [
    (Column("member"), lambda each: Name(each.model)),
    (Column("family"), lambda each: each.family or "not known"),
    (Column("mean"), lambda each: numbers.score(each.mean)),
    (
        Column("above the others [95% interval]"),
        lambda each: f"{numbers.with_sign(each.lead)}{behind(each.lead_ci95)}",
    ),
]
PAIRS: Fields[PairFigures] = [
    (Column("two members"), lambda pair: Name(f"{pair.first}, {pair.second}")),
    (
        Column("correlation"),
        lambda pair: "not known" if pair.correlation is None else numbers.score(pair.correlation),
    ),
    (Column("mean distance"), lambda pair: numbers.score(pair.apart)),
]
