"""A report as blocks: everything that it says, apart from how a terminal or a Markdown page shows it.

Words are the tool's own sentences, texts from outside, or both in turn. Whoever shows them makes them safe.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

NAME = 60
"""Columns of a name from outside."""
LONG = 400
"""Columns of a text from outside."""

Tone: TypeAlias = Literal["", "strong", "good", "bad", "warning", "even", "dim"]
"""The sense of a block: a colour of a terminal; the name of a strong, good or bad row is bold in Markdown."""


@dataclass(frozen=True, slots=True)
class Outside:
    """A text that the tool did not write; Markdown shows it as code, where no markup takes effect."""

    text: str
    columns: int = LONG


Words: TypeAlias = str | Outside | tuple[str | Outside, ...]


@dataclass(frozen=True, slots=True)
class Name(Outside):
    """A name from outside: of a metric, a scenario, a run."""

    columns: int = NAME


@dataclass(frozen=True, slots=True)
class Banner:
    """A sentence that must stand above everything else."""

    text: str


@dataclass(frozen=True, slots=True)
class Heading:
    words: Words
    level: int = 3
    tone: Tone = "strong"
    printed: bool = True
    """True when a terminal shows it; needless where the next line says the same."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    words: Words
    tone: Tone = ""


@dataclass(frozen=True, slots=True)
class Bullet:
    """A line of a list; `depth` 1 belongs to the last of depth 0."""

    words: Words
    tone: Tone = ""
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Bullets:
    items: Sequence[Bullet]
    brief: int = 100
    """Items that a terminal shows; Markdown shows all that its size allows."""
    rest: str = "the files"
    """The place that holds the others."""


@dataclass(frozen=True, slots=True)
class Column:
    title: Words
    right: bool = False
    fluid: bool = False
    """True when its cells may take several lines."""
    detail: bool = False
    """Left out where the width is that of a terminal."""


@dataclass(frozen=True, slots=True)
class TableCell:
    words: Words
    below: str = ""
    """Words that belong to it, on a line of their own where a cell may have several."""


@dataclass(frozen=True, slots=True)
class Row:
    cells: Sequence[TableCell | Words]
    """One for each column."""
    tone: Tone = ""


T = TypeVar("T")
Fields: TypeAlias = Sequence[tuple[Column, Callable[[T], TableCell | Words]]]
"""The columns of a table whose rows are alike: each with what it shows of a thing."""


@dataclass(frozen=True, slots=True)
class Table:
    """The first column names its rows; where the others do not fit abreast, they follow below with the names again."""

    columns: Sequence[Column]
    rows: Sequence[Row]
    rest: str = "the files"
    """The place that holds the rows that are too many to show."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command, an address or a file behind its title: to be copied, so it is never wrapped."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A file beside the report that Markdown shows."""

    title: str
    file: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A text from outside, line by line as it stands: a fenced block in Markdown."""

    lines: Sequence[str]
    language: Literal["", "diff"] = ""
    rest: str = "the files"
    """The place that holds the lines that are too many to show."""


@dataclass(frozen=True, slots=True)
class Status:
    """The main figures of a report, one after the other on a line; a terminal has no need of it."""

    parts: Sequence[Words]


@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks that a reader unfolds, where that can be done; a terminal shows them below their title."""

    title: str
    blocks: "Sequence[Block]"
    printed: bool = True
    """True when a terminal shows the title."""


Block: TypeAlias = Banner | Heading | Paragraph | Bullets | Table | Command | Picture | Listing | Status | Fold


@dataclass(frozen=True, slots=True)
class Only:
    """A block of the whole document alone, or of the short one alone."""

    block: Block
    short: bool


Part: TypeAlias = Block | Only


@dataclass(frozen=True, slots=True)
class Document:
    sections: tuple[tuple[Part, ...], ...]
    """Blocks that belong together; none is empty."""

    def shown(self, *, short: bool) -> Iterator[tuple[Block, ...]]:
        """The sections of the whole document, or of the short one that a command prints unless it is asked for more."""
        for section in self.sections:
            parts = (part for part in section if not isinstance(part, Only) or part.short == short)
            blocks = tuple(part.block if isinstance(part, Only) else part for part in parts)
            if blocks:
                yield blocks


def document(*sections: Iterable[Part]) -> Document:
    """The blocks and sections that hold something: a list without lines is none."""
    shown = ([part for part in section if _holds(part)] for section in sections)
    return Document(tuple(tuple(blocks) for blocks in shown if blocks))


def _holds(part: Part) -> bool:
    block = part.block if isinstance(part, Only) else part
    match block:
        case Bullets(items=inner) | Status(parts=inner) | Fold(blocks=inner):
            return bool(inner)
    return True


def in_detail(blocks: Iterable[Block]) -> Iterator[Only]:
    """Blocks that the short document leaves out."""
    return (Only(block, short=False) for block in blocks)


def in_short(blocks: Iterable[Block]) -> Iterator[Only]:
    """Blocks that stand in the short document in the place of others."""
    return (Only(block, short=True) for block in blocks)


def folded(blocks: Iterable[Block], title: str = "") -> Iterator[Only]:
    """Blocks that the short document leaves out, as a fold under `title`, else under the heading that they begin with.

    Nothing where there are none.
    """
    found = list(blocks)
    if not title and found and isinstance(found[0], Heading) and isinstance(found[0].words, str):
        yield Only(Fold(found[0].words, found[1:], found[0].printed), short=False)
    elif found:
        yield Only(Fold(title, found, printed=False), short=False)


def table(
    fields: Fields[T], things: Iterable[T], tone: Callable[[T], Tone] = lambda _: "", *, rest: str = "the files"
) -> Table:
    """A table with a row for each thing: every column stands beside what it shows of one."""
    rows = [Row([show(thing) for _, show in fields], tone(thing)) for thing in things]
    return Table([column for column, _ in fields], rows, rest)
