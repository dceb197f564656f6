"""A mix that was worked out from a sample of production: what users say, beside what the set holds."""

from collections import Counter
from collections.abc import Sequence

from evaluation.commands import write_command
from evaluation.mix.mix import Mix
from evaluation.records import Scenario
from evaluation.reports.document import (
    Bullet,
    Bullets,
    Column,
    Command,
    Document,
    Heading,
    Name,
    Outside,
    Paragraph,
    Row,
    Table,
    document,
)
from evaluation.reports.mix import OF_SET
from evaluation.text import numbers
from evaluation.text.names import in_words

SHOWN = 100
"""Columns of a message that is shown."""
THINLY = (
    "a category that the set covers thinly looks rarer than it is: read what is like no scenario before you rely on "
    "the shares, and correct them in the file where you know better"
)


def describe_found_mix(mix: Mix, scenarios: Sequence[Scenario], unlike: Sequence[str], file: str) -> Document:
    """A mix that was worked out, beside the composition of the set; `unlike` are messages that no scenario is like."""
    size = Counter(scenario.category for scenario in scenarios)
    rows = [
        Row(
            [
                Name(in_words(name)),
                _share_text(category.share, category.ci95),
                numbers.percent(size[name] / len(scenarios)),
                numbers.count(category.responses),
                numbers.count(len(category.situations)),
            ]
        )
        for name, category in mix.categories.items()
    ]
    beyond = _share_text(mix.uncovered, mix.uncovered_ci95)
    rows.append(Row(["like no scenario", beyond, "", "", ""], "warning" if mix.uncovered else ""))
    columns = [Column("what users say, by share"), Column("mix [95% interval]"), Column(OF_SET)]
    columns += [Column("responses", right=True), Column("situations met", right=True)]
    return document(
        [
            Paragraph(
                (
                    "the mix of your users, ",
                    Name(mix.origin.what),
                    f", {mix.origin.since[:10]} to {mix.origin.until[:10]}",
                ),
                "strong",
            ),
            Paragraph(f"{numbers.percent(mix.uncovered_share)} of what users say is like no scenario", "warning"),
        ],
        [Table(columns, rows, rest=file), Paragraph(_origin(mix)), Paragraph(THINLY)],
        [Heading("Like no scenario"), Bullets([Bullet(Outside(text, SHOWN)) for text in unlike])] if unlike else [],
        [Command("written", file), Command("a run under it", write_command("eval", "--mix", file))],
    )


def _origin(mix: Mix) -> str:
    responses, users = numbers.times(mix.responses or 0, "response"), numbers.times(mix.users or 0, "user")
    worth = numbers.count(None if mix.independent is None else round(mix.independent))
    weighted = "weighted by how many responses each one stands for"
    return f"from {responses} of {users}, {weighted}: worth {worth} independent ones"


def _share_text(share: float, ends: tuple[float, float] | None) -> str:
    return f"{numbers.percent(share)}{f' [{numbers.percent(ends[0])}, {numbers.percent(ends[1])}]' if ends else ''}"
