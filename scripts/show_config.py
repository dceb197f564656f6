"""Print each setting, its value, and which variable or file says it; nothing is called or written."""

import argparse
import json
import sys
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.command_parser import CommandParser
from scripts.shell import DONE, printable, run_command

if TYPE_CHECKING:
    from services.settings_in_use import SettingInUse, Shown

WIDTHS = (28, 27, 21)
"""Of the columns, with two blanks between them: 80 characters."""
NONE = "-"


def main(arguments: list[str] | None = None) -> int:
    options = build_parser().parse_args(arguments)
    return run_command(lambda: _show(as_json=options.json))


def _show(*, as_json: bool) -> int:
    from services.settings import read_sources
    from services.settings_in_use import settings_in_use
    from services.text_files import show_path

    sources = read_sources()
    workspace, shown = sources.workspace, settings_in_use(sources)
    file = None if workspace.file is None else str(workspace.file.path)
    env_file = None if sources.env_file is None else str(sources.env_file)
    if as_json:
        folder = None if workspace.file is None else str(workspace.folder)
        settings = [asdict(each) for each in shown]
        said = {"workspace": {"folder": folder, "file": file}, "env_file": env_file, "settings": settings}
        print(json.dumps(said, ensure_ascii=False, indent=2))
        return DONE
    place = "none: the tool's own prompts serve" if workspace.file is None else show_path(workspace.file.path)
    for head in (f"workspace file: {place}", f".env: {sources.env_place or 'none'}"):
        print(*textwrap.wrap(printable(head), 80), sep="\n")
    print("\n".join(["", *_table([("setting", "value", "from"), *map(_row, shown)])]))
    return DONE


def _row(each: "SettingInUse") -> tuple[str, str, str]:
    if each.source == "environment":
        place = "exported" if each.place == each.name else f"exported {each.place}"
    else:
        place = each.place.removeprefix(f"{each.name} in ") or "default"
    return each.name, _text(each.value), place


def _text(value: "Shown") -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return NONE if value is None else ", ".join(value) if isinstance(value, list) else f"{value}"


def _table(rows: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    for row in rows:
        cells = [textwrap.wrap(printable(cell), width) for cell, width in zip(row, WIDTHS, strict=True)]
        for parts in zip_longest(*cells, fillvalue=""):
            yield "  ".join(f"{part:<{width}}" for part, width in zip(parts, WIDTHS, strict=True)).rstrip()


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="config",
        description="Prints each setting, its value, and which variable or file says it. A secret is shown as set, "
        "never by its value.",
        epilog="exit codes: 0 printed, 2 a setting cannot be used",
    )
    parser.add_argument("--json", action="store_true", help="print the settings as JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
