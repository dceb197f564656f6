"""A document as GitHub-flavoured Markdown, for pull requests and job summaries; under 60 KB.

Texts from outside stand in code spans, where no markup, HTML, link, mention or issue reference takes effect.
"""

import re
from collections.abc import Iterable, Iterator
from html import escape

from evaluation.commands import split_commands
from evaluation.reports.document import (
    LONG,
    NAME,
    Banner,
    Block,
    Bullets,
    Command,
    Document,
    Fold,
    Heading,
    Listing,
    Outside,
    Paragraph,
    Picture,
    Row,
    Status,
    Table,
    TableCell,
    Tone,
    Words,
)
from evaluation.text.safe_text import clip

MOST_BYTES = 60_000
LONGEST = 600
"""Columns of a sentence."""
MOST_ROWS = 200
MOST_LISTED = 20_000
"""Bytes of a listing: it leaves room for what stands below it."""
LONGEST_LISTED = 2_000
"""Columns of a line of it."""
CUT = "\n*Cut at 60 KB: the files of the run hold the rest.*\n"
TOKEN = re.compile(r"""(["(\[]?)(.*?)([")\],.;:?]*)""")
"""A word, and the signs around it."""
SAFE = re.compile(r"[A-Za-z]+([-/'][A-Za-z]+)*|[-+$<>]?\d[\d,]*(\.\d+)?%?|>=|<|->|[x/+-]|")
FOLDED, UNFOLDED = "<details>", "</details>"
FENCE = re.compile(r"^(`{3,})([a-z]*)$", re.MULTILINE)
"""A line that begins or ends a listing: no line of one is as long a run of backticks."""
ADDRESS = re.compile(r"https?://[A-Za-z0-9.-]+(:\d+)?(/[A-Za-z0-9._~/?=&%+-]*)?")


def to_markdown(document: Document) -> str:
    """The whole document, ending with a line break."""
    return bound_text(line for section in document.shown(short=False) for block in section for line in _lines(block))


def bound_text(lines: Iterable[str]) -> str:
    """The lines as one text under 60 KB, which says where it was cut."""
    text = "\n".join(lines).rstrip("\n") + "\n"
    if len(text.encode()) < MOST_BYTES:
        return text
    longest = max((len(fence) for fence, _ in FENCE.findall(text)), default=0)
    room = MOST_BYTES - len(CUT.encode()) - longest - len(UNFOLDED) - 4
    kept = text.encode()[:room].decode(errors="ignore")
    kept = kept[: kept.rfind("\n") + 1]
    return kept + _closing(kept) + CUT


def _closing(text: str) -> str:
    """The lines that end the listing and the fold in which a text breaks off; empty where it breaks off in neither."""
    begun, folded = "", False
    for line in text.split("\n"):
        if found := FENCE.fullmatch(line):
            begun = found[1] if not begun else "" if found[0] == begun else begun
        elif not begun and line in (FOLDED, UNFOLDED):
            folded = line == FOLDED
    return f"{begun}\n" * bool(begun) + f"\n{UNFOLDED}\n" * folded


def code(text: str, columns: int = LONG) -> str:
    """A text from outside as one code span, cut to `columns`; also fit for a table cell.

    A backtick would end the span and a bar the cell: both are shown as look-alikes.
    """
    shown = clip(text, columns).replace("`", "ˋ").replace("|", "¦").strip(" ")
    return f"`{shown}`" if shown else "(empty)"


def prose(text: str, columns: int = LONGEST) -> str:
    """A sentence of the tool: plain words and figures as they are, everything else as code, a command as one span."""
    shown = ""
    for part, is_command in split_commands(clip(text, columns)):
        words = code(part) if is_command else " ".join(map(_word, part.split()))
        shown += f"{' ' * part[:1].isspace()}{words}{' ' * (part[-1:].isspace() and bool(words))}"
    return shown.strip()


def link(title: str, address: str) -> str:
    """A link, if the address is a plain http(s) one; else both as text."""
    if not ADDRESS.fullmatch(address):
        return f"{prose(title, NAME)}: {code(address)}"
    return f"{prose(title, NAME)}: <{address}>"


def _word(token: str) -> str:
    found = TOKEN.fullmatch(token)
    if found is None:
        return code(token)
    before, word, after = found.groups()
    return token if SAFE.fullmatch(word) else f"{before}{code(word)}{after}"


def _render(words: Words) -> str:
    if isinstance(words, str):
        return prose(words)
    if isinstance(words, Outside):
        return code(words.text, words.columns)
    return "".join(_sentence(part) if isinstance(part, str) else _render(part) for part in words)


def _render_toned(words: Words, tone: Tone) -> str:
    return f"**{_render(words)}**" if tone == "strong" else _render(words)


def _sentence(text: str) -> str:
    """A part of a line, with the blank that it begins or ends with."""
    shown = prose(text)
    return f"{' ' if text.startswith(' ') else ''}{shown}{' ' if shown and text.endswith(' ') else ''}"


def _lines(block: Block) -> Iterator[str]:
    match block:
        case Bullets(items):
            yield from (f"{'  ' * item.depth}- {_render_toned(item.words, item.tone)}" for item in items)
        case Table():
            yield from _table(block)
        case Listing():
            yield from _listing(block)
        case Fold(title=title, blocks=blocks):
            yield from _fold(title, blocks)
        case _:
            yield _line(block)
    yield ""


def _line(block: Banner | Heading | Paragraph | Status | Command | Picture) -> str:
    match block:
        case Banner(text):
            return f"> **{prose(text)}**"
        case Heading(words, level):
            return f"{'#' * level} {_render(words)}"
        case Paragraph(words, tone):
            return _render_toned(words, "strong" if tone == "bad" else tone)
        case Status(parts):
            return " · ".join(map(_render, parts))
        case Command(title, text):
            return f"- {link(title, text)}" if title else f"- {code(text)}"
        case Picture(title, file):
            return f"![{prose(title)}]({file})"


def _fold(title: str, blocks: Iterable[Block]) -> Iterator[str]:
    """An element that GitHub folds: an empty line before what it holds, which would else be taken for HTML."""
    yield FOLDED
    yield f"<summary>{escape(clip(title, LONGEST), quote=False)}</summary>"
    yield ""
    for block in blocks:
        yield from _lines(block)
    yield UNFOLDED


def _listing(block: Listing) -> Iterator[str]:
    """The lines within a fence that none of them can end."""
    shown: list[str] = []
    room = MOST_LISTED
    for line in block.lines:
        text = clip(line, LONGEST_LISTED)
        room -= len(text.encode()) + 1
        if room < 0:
            break
        shown.append(text)
    fence = "`" * max(3, 1 + max((len(run) for line in shown for run in re.findall("`+", line)), default=0))
    yield f"{fence}{block.language}"
    yield from shown
    yield fence
    if left_out := len(block.lines) - len(shown):
        yield ""
        yield f"{left_out} more lines are in {prose(block.rest)}."


def _table(table: Table) -> Iterator[str]:
    yield f"| {' | '.join(_render(column.title) for column in table.columns)} |"
    yield f"| {' | '.join('---:' if column.right else '---' for column in table.columns)} |"
    for row in table.rows[:MOST_ROWS]:
        yield f"| {' | '.join(_cells(row))} |"
    if len(table.rows) > MOST_ROWS:
        yield ""
        yield f"{len(table.rows) - MOST_ROWS} more are in {prose(table.rest)}."


def _cells(row: Row) -> Iterator[str]:
    for place, cell in enumerate(row.cells):
        words, below = (cell.words, cell.below) if isinstance(cell, TableCell) else (cell, "")
        shown = ", ".join(part for part in (_render(words), prose(below)) if part)
        yield f"**{shown}**" if place == 0 and row.tone in ("strong", "good", "bad") else shown
