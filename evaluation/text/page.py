"""A page for a terminal of 80 columns: sections of lines that were made safe, with their styles."""

from collections.abc import Iterable
from io import StringIO
from typing import NamedTuple, TextIO

from rich.console import Console
from rich.text import Text

WIDTH = 80


class Line(NamedTuple):
    """One line of the report, made safe, with its style."""

    text: str
    style: str = ""


def page(out: TextIO, columns: int, color: bool) -> Console:
    """A console that writes to `out` as if it were a terminal of so many columns, whatever the environment says."""
    return Console(
        file=out,
        width=columns,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )


def join_sections(sections: Iterable[Iterable[Line]], color: bool) -> str:
    """Sections of lines, an empty line between them; empty sections vanish."""
    out = StringIO()
    console = page(out, WIDTH, color)
    shown = [lines for section in sections if (lines := list(section))]
    for number, lines in enumerate(shown):
        if number:
            console.print()
        for line in lines:
            console.print(Text(line.text.rstrip(" "), style=line.style), soft_wrap=True)
    return out.getvalue()
