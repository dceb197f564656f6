"""Agreement on expectations as a part of a report: tables, and a sentence on each item on which people differ."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from evaluation.calibration.item_agreement import FEW, ItemAgreement, Share, ToolOnItem
from evaluation.reports.document import Block, Bullet, Bullets, Column, Heading, Name, Paragraph, Row, Table
from evaluation.text import numbers

TITLE = "What responses are held to: agreement"
ALL = "(all items)"
LEGEND = (
    "same: people and tool say the same where both say yes or no; wrong yes: of the responses on which people say no, "
    "wrong no: of those on which they say yes; left out: not shown to one of the two; intervals: Wilson's, 95%"
)
MOST_NAMED = 12
INTERVALS = ("wrong yes 95%", "wrong no 95%")
"""Columns that a terminal leaves out."""
PEOPLE_COLUMNS = ("shared", "same [95%]", "differ", "alpha")
TOOL_COLUMNS = ("by", "n", "same [95%]", "kappa", "wrong yes", "wrong no", "left out", *INTERVALS)

ItemRow: TypeAlias = tuple[str, Sequence[str]]
"""The name of an item, and the figures of the columns."""


def describe_items(found: Sequence[ItemAgreement]) -> Iterator[Block]:
    """The part of a report; nothing where nobody answered an item."""
    if not found:
        return
    yield Heading(TITLE)
    yield Bullets([Bullet(text) for text in item_findings(found)], brief=MOST_NAMED)
    for title, columns, rows in (
        ("people with people", PEOPLE_COLUMNS, people_rows(found)),
        ("tool with people", TOOL_COLUMNS, tool_rows(found)),
    ):
        if rows:
            head = [Column(title), *(Column(name, right=name != "by", detail=name in INTERVALS) for name in columns)]
            yield Table(head, [Row([Name(name), *figures]) for name, figures in rows])
    if tool_rows(found):
        yield Paragraph(LEGEND, "dim")


def item_findings(found: Sequence[ItemAgreement]) -> Iterator[str]:
    """A sentence on each item to be written otherwise, and on what the figures rest on."""
    single = [each for each in found if each.item]
    several = {each.item for each in single if sum(other.item == each.item for other in single) > 1}
    for each in sorted(single, key=lambda each: -each.people.differ):
        if each.people.rewrite:
            of = f"{each.people.differ} of {each.people.same.of}"
            sample = f" (small sample, below {FEW})" if each.people.few else ""
            yield f"people disagree on {each.item}: {of}; rewrite it{sample}"
    doubtful = [each for each in single if each.people.differ and not each.people.rewrite and each.people.few]
    if doubtful:
        named = (f"{each.item} {each.people.differ} of {each.people.same.of}" for each in doubtful[:MOST_NAMED])
        yield f"people disagree, on too few responses to blame the question: {', '.join(named)}"
    if not any(each.people.same.of for each in single):
        yield "no item was answered by two people on the same response: how far they agree is not known"
    few = sum(any(tool.few for tool in each.tools) for each in single)
    if few:
        yield f"small sample (below {FEW} responses) on {few} of {numbers.times(len(single), 'item')}: shares are rough"
    if several:
        names = ", ".join(sorted(several)[:MOST_NAMED])
        yield f"asked in several wordings, each of which stands alone: {names}"


def people_rows(found: Sequence[ItemAgreement]) -> list[ItemRow]:
    """People with people, the items on which they differ most often first, all together before them."""
    shared = [each for each in found if each.people.same.of]
    ordered = sorted(shared, key=lambda each: (bool(each.item), -each.people.differ))
    return [(each.item or ALL, _people(each)) for each in ordered]


def tool_rows(found: Sequence[ItemAgreement]) -> list[ItemRow]:
    """Rule and judge with people, the items on which they differ most often first, all together before them."""
    rows = [(each, tool) for each in found for tool in each.tools]
    ordered = sorted(rows, key=lambda row: (bool(row[0].item), row[1].same.count - row[1].same.of))
    return [(each.item or ALL, _tool(tool)) for each, tool in ordered]


def _people(each: ItemAgreement) -> Sequence[str]:
    people = each.people
    return str(people.same.of), share_text(people.same), str(people.differ), numbers.score(people.alpha)


def _tool(tool: ToolOnItem) -> Sequence[str]:
    wrong = (tool.wrong_yes, tool.wrong_no)
    figures = (str(tool.same.of), share_text(tool.same), numbers.score(tool.kappa))
    counts = [f"{share.count} of {share.of}" for share in wrong]
    return tool.source, *figures, *counts, str(tool.undecided), *map(_ends, wrong)


def share_text(share: Share) -> str:
    """56% [0.23, 0.84]."""
    return f"{numbers.percent(share.value)} {_ends(share)}".rstrip()


def _ends(share: Share) -> str:
    return "" if share.ci95 is None else numbers.interval(share.ci95)
