"""A document for a terminal: no line is wider than it but commands and addresses, which are copied whole."""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO

from rich.console import RenderableType
from rich.table import Table as Grid
from rich.text import Text

from evaluation.commands import split_commands
from evaluation.reports.document import (
    Banner,
    Block,
    Bullets,
    Column,
    Command,
    Document,
    Fold,
    Heading,
    Listing,
    Outside,
    Paragraph,
    Picture,
    Status,
    Table,
    TableCell,
    Tone,
    Words,
)
from evaluation.text.page import WIDTH, page
from evaluation.text.safe_text import clip, width

MOST_LINES = 6
"""Of a paragraph or an item of a list."""
MOST_OUTSIDE = 210
"""Columns of a text from outside within them."""
MOST_ROWS = 30
MOST_LISTED = 60
"""Lines of a listing."""
MOST_CELL = 27
"""Columns of a cell on one line."""
LEAST_NAME = 20
"""Columns that the first column of a table keeps where the others need the room."""
MOST_FLUID, LEAST_FLUID = 240, 20
"""Columns of text in a cell that may take several lines, and how narrow it may become."""
LONGEST_COPIED = 400
"""Columns of an address or a command."""
STYLES: dict[Tone, str] = {
    "": "",
    "strong": "bold",
    "good": "bold green",
    "bad": "bold red",
    "warning": "yellow",
    "even": "bold cyan",
    "dim": "dim",
}
LISTED: dict[str, Tone] = {"+": "good", "-": "bad", "@": "dim"}
"""First sign of a line of a diff -> how it is shown."""
SKIN_TONES = re.compile("[\U0001f3fb-\U0001f3ff]")
"""Left out: terminals differ on whether they take columns of their own."""
UNBROKEN = "\u2800"
"""Stands for the blanks of a command while lines are broken: printable, a column wide, and no blank to break at."""
TRAILING = re.compile(r"(?: |\x1b\[[0-9;]*m)+$", re.MULTILINE)
"""Blanks that fill the columns at the end of a line, and styles between them."""


def to_terminal(document: Document, *, columns: int = WIDTH, color: bool = False, short: bool = False) -> str:
    """The document as text that ends with a line break; an empty line stands between sections. `color` adds styles.

    `short` shows what fits a screen: the rest stands in the files.
    """
    out = StringIO()
    console = page(out, columns, color)
    sections = (tuple(_unfold(section)) for section in document.shown(short=short))
    for number, section in enumerate(filter(_prints, sections)):
        if number:
            console.print()
        for block in section:
            for part in _parts(block, columns):
                copied = isinstance(block, Command | Picture) or (isinstance(part, Text) and bool(part.no_wrap))
                console.print(part, soft_wrap=copied)
    return TRAILING.sub(lambda found: found[0].replace(" ", ""), out.getvalue()).replace(UNBROKEN, " ")


def _unfold(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks, those of a fold below its title."""
    for block in blocks:
        if isinstance(block, Fold):
            yield Heading(block.title, printed=block.printed)
            yield from _unfold(block.blocks)
        elif not isinstance(block, Status):
            yield block


def _prints(section: Sequence[Block]) -> bool:
    """False for a section of which a terminal shows nothing but its end."""
    return any(not isinstance(block, Heading) or block.printed for block in section)


def _parts(block: Block, columns: int) -> Iterator[RenderableType]:
    match block:
        case Banner(text):
            yield _behind("!! ", text.upper(), "bold magenta", columns * MOST_LINES)
        case Heading(words, _, tone, printed):
            if printed:
                yield Text(_plain(words, columns * MOST_LINES), STYLES[tone], overflow="fold")
        case Paragraph(words, tone):
            yield from _flow(words, STYLES[tone], columns, columns * MOST_LINES)
        case Bullets():
            yield from _bullets(block, columns)
        case Table():
            yield from _grids(block, columns)
        case Listing():
            yield from _listing(block, columns)
        case Command(title, text) | Picture(title, text):
            if title:
                yield Text(f"{_plain(title, columns - 1)}:")
            yield Text(_plain(text, LONGEST_COPIED), "bold" if title else "")


def _bullets(block: Bullets, columns: int) -> Iterator[RenderableType]:
    for item in block.items[: block.brief]:
        lead = "  " * item.depth + "  - "
        for part in _flow(item.words, STYLES[item.tone], columns - len(lead), columns * MOST_LINES):
            yield part if part.no_wrap else _behind(lead, part.plain, STYLES[item.tone], columns * MOST_LINES)
            lead = " " * len(lead)
    if len(block.items) > block.brief:
        yield Text(f"  - {len(block.items) - block.brief} more are in {block.rest}", "dim")


def _listing(block: Listing, columns: int) -> Iterator[RenderableType]:
    for line in block.lines[:MOST_LISTED]:
        style = STYLES[LISTED.get(line[:1], "") if block.language == "diff" else ""]
        yield Text(_plain(line, columns * MOST_LINES), style, overflow="fold")
    if len(block.lines) > MOST_LISTED:
        yield Text(f"{len(block.lines) - MOST_LISTED} more lines are in {block.rest}", "dim")


def _plain(words: Words, most: int) -> str:
    """At most so many columns of it, printable."""
    parts = words if isinstance(words, tuple) else (words,)
    text = "".join(_clip(part) if isinstance(part, Outside) else part for part in parts)
    return clip(SKIN_TONES.sub("", text), most)


def _flow(words: Words, style: str, columns: int, most: int) -> Iterator[Text]:
    """The text in the order of its parts: a command that is too long for a line stands whole on one of its own."""
    text, whole = _plain(words, most), _plain(words, sys.maxsize)
    cut = [command for command, found in split_commands(whole) if found and command not in text]
    flowing = ""
    for part, is_command in (*split_commands(text), *((command, True) for command in cut)):
        if not is_command or (width(part) <= columns and part not in cut):
            flowing += part.replace(" ", UNBROKEN) if is_command else part
            continue
        if flowing.strip():
            yield Text(flowing.strip(" "), style, overflow="fold")
        yield Text(part, style, no_wrap=True)
        flowing = ""
    if flowing.strip():
        yield Text(flowing, style, overflow="fold")


def _clip(part: Outside) -> str:
    return clip(part.text, min(part.columns, MOST_OUTSIDE)) or "(empty)"


def _behind(lead: str, words: Words, style: str, most: int) -> Grid:
    """Words behind a lead, which further lines are indented by."""
    grid = Grid.grid()
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(Text(lead, style), Text(_plain(words, most), style))
    return grid


def _grids(table: Table, columns: int) -> Iterator[RenderableType]:
    """The table; columns that do not fit beside one another follow below, with the names of the rows again."""
    names, *others = [place for place, column in enumerate(table.columns) if not column.detail]
    needs = {place: _need(table, place) for place in (names, *others)}
    for number, abreast in enumerate(_abreast(others, needs, columns - min(needs[names], LEAST_NAME))):
        if number:
            yield Text("")
        room = columns - sum(needs[place] + 1 for place in abreast)
        yield _grid(table, {names: min(needs[names], room), **{place: needs[place] for place in abreast}})
    if len(table.rows) > MOST_ROWS:
        yield Text(f"{len(table.rows) - MOST_ROWS} more are in {table.rest}", "dim")


def _need(table: Table, place: int) -> int:
    """Columns that it takes to show a column of the table."""
    column = table.columns[place]
    cells = (column.title, *(row.cells[place] for row in table.rows[:MOST_ROWS]))
    widest = max(width(line) for cell in cells for line in _cell(cell, column).plain.split("\n"))
    return min(widest, LEAST_FLUID) if column.fluid else widest


def _abreast(places: Sequence[int], needs: Mapping[int, int], room: int) -> Iterator[list[int]]:
    """The columns beside the names, as many at once as there is room for."""
    group: list[int] = []
    for place in places:
        if group and sum(needs[each] + 1 for each in (*group, place)) > room:
            yield group
            group = []
        group.append(place)
    yield group


def _grid(table: Table, needs: Mapping[int, int]) -> Grid:
    """The columns in `needs`, each as wide as it says; those of several lines share what is left."""
    grid = Grid(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    names = next(iter(needs))
    for place, need in needs.items():
        column = table.columns[place]
        grid.add_column(
            _cell(column.title, column),
            justify="right" if column.right else "left",
            # A name that is wider than its room goes on in the next line: cut, it could be another's.
            no_wrap=not column.fluid and place != names,
            overflow="fold" if column.fluid or place == names else "ellipsis",
            min_width=need,
            max_width=None if column.fluid else need,
        )
    for row in table.rows[:MOST_ROWS]:
        grid.add_row(*(_cell(row.cells[place], table.columns[place]) for place in needs), style=STYLES[row.tone])
    return grid


def _cell(cell: TableCell | Words, column: Column) -> Text:
    most = MOST_FLUID if column.fluid else MOST_CELL
    words, below = (cell.words, cell.below) if isinstance(cell, TableCell) else (cell, "")
    text = Text(_plain(words, most) if words else "")
    return text.append(f"\n{clip(below, most)}", "yellow") if below else text
