"""Documents that hold every kind of block, for both renderers."""

from evaluation.reports.document import (
    Banner,
    Bullet,
    Bullets,
    Column,
    Command,
    Document,
    Heading,
    Listing,
    Name,
    Outside,
    Paragraph,
    Row,
    Table,
    TableCell,
    Words,
    document,
)


def every_block(text: str, *, rows: int = 2, columns: int = 2) -> Document:
    """Each block once with a text from outside in every place that takes one, also within a sentence of the tool."""
    mixed: Words = ("seen in ", Outside(text), ", and once more")
    head = [Column("metric"), *(Column(Name(text)) for _ in range(columns)), Column("why", fluid=True)]
    cells = [TableCell(Name(text), below=f"92% {text}"), *["0.74 [0.70, 0.78]"] * (columns - 1), mixed]
    return document(
        [
            Banner(f"forced: {text}"),
            Heading(("DEPLOY ", Outside(text)), level=2),
            Bullets([Bullet(text), Bullet(mixed)]),
        ],
        [],
        [Paragraph(f"a sentence with {text}"), Paragraph(mixed, tone="dim")],
        [
            Heading("Metrics"),
            Table(head, [Row([Name(text), *cells], tone="strong" if place == 0 else "") for place in range(rows)]),
        ],
        [Bullets([Bullet(mixed), Bullet(("inner ", Outside(text)), tone="bad", depth=1)])],
        [Listing(["@@ system @@", *(f"+{line}" for line in text.split("\n")), text], "diff"), Listing([text])],
        [Command("to go on", text), Command(text, text), Command("", text)],
    )
