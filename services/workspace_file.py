"""The workspace file: `prompt-eval.toml`, or the table `[tool.prompt-eval]` of a `pyproject.toml`."""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

from evaluation.errors import ParseError
from services.text_files import read_text

FILE, PYTHON_PROJECT = "prompt-eval.toml", "pyproject.toml"
TABLE = ("tool", "prompt-eval")
"""Keys that lead to the table in a Python project's file."""
_LARGEST = 1_000_000
_AT_LINE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_HEADER = re.compile(r"\s*\[{1,2}\s*([^\]]+?)\s*\]{1,2}\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")
_NEAR = 0.7
"""Likeness from which a key is taken to be meant."""


@dataclass(frozen=True, slots=True)
class WorkspaceFile:
    """A file that was read: its values under their keys, and where each of them stands."""

    path: Path
    place: str
    """The path as people know it."""
    text: str
    table: tuple[str, ...]
    """Keys that lead to its values; none where the file is the workspace's alone."""
    values: Mapping[str, Any]
    """Key -> value; a key within a table is written with a dot: "langfuse.mask"."""

    def at(self, key: str) -> str:
        """The place of a key: "file:line"."""
        return f"{self.place}:{_line_of(self.text, (*self.table, *key.split('.')))}"

    def error(self, key: str, problem: str) -> ParseError:
        """The problem with its file, line and key, on one line."""
        return ParseError(f"{self.at(key)}: {key}", problem)

    def below(self, table: str) -> Iterator[tuple[str, Any]]:
        """(the rest of the key, value) of every key within a table."""
        for key, value in self.values.items():
            if key.startswith(f"{table}."):
                yield key.removeprefix(f"{table}."), value


def find_file(folder: Path) -> WorkspaceFile | None:
    """The workspace file of a folder itself; None where it has none.

    Raises ParseError for a file that is no TOML, UsageError for one that cannot be read.
    """
    path = next((folder / name for name in (FILE, PYTHON_PROJECT) if (folder / name).is_file()), None)
    return None if path is None else read_workspace_file(path)


def read_workspace_file(path: Path) -> WorkspaceFile | None:
    """None for a Python project's file without the table: what else is in that, or wrong with it, is not ours.

    Raises ParseError for a file that is no TOML, UsageError for one that cannot be read.
    """
    table = TABLE if path.name == PYTHON_PROJECT else ()
    file = read_text(path, _LARGEST)
    if table and table[-1] not in file.text:
        return None
    try:
        value = _read_toml(file.text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = _AT_LINE.search(str(error))
        line = int(found[1]) if found and found[1] else file.text.count("\n") + 1
        reason = _AT_LINE.sub("", str(error))
        raise ParseError(f"{file.place}:{line}", f"is no TOML ({reason}): correct it") from None
    for key in table:
        value = value.get(key) if isinstance(value, dict) else None
    if value is None:
        return None
    if not isinstance(value, dict):
        raise ParseError(f"{file.place}:{_line_of(file.text, table)}", "is no table: write [tool.prompt-eval]")
    return WorkspaceFile(path, file.place, file.text, table, dict(_flat(value)))


@lru_cache(maxsize=4)
def _read_toml(text: str) -> Any:
    """Nobody may change what it gives: a command looks for its workspace again and again, and the file stays."""
    return tomllib.loads(text)


def check_key(file: WorkspaceFile, key: str, known: Collection[str]) -> None:
    """Raises ParseError for a key that is not known, with the nearest that is; `*` in a known one stands for a name."""
    if not any(re.fullmatch(re.escape(each).replace(r"\*", r"[^.]+"), key) for each in known):
        near = get_close_matches(key, [name for name in known if "*" not in name], 1, _NEAR)
        hint = f"did you mean {near[0]}?" if near else "docs/commands.md lists the settings"
        raise file.error(key, f"unknown key: {hint}")


def _flat(value: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, each in value.items():
        if isinstance(each, dict) and each:
            yield from _flat(each, f"{before}{key}.")
        else:
            yield f"{before}{key}", each


def _line_of(text: str, keys: tuple[str, ...]) -> int:
    """The line, from 1, in which a key stands, or the nearest of the tables that it lies in."""
    line, depth, above = 1, 0, tuple[str, ...]()
    for number, written in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(written):
            here = above = _parts(header[1])
        elif found := _KEY.match(written):
            here = (*above, *_parts(found[1]))
        else:
            continue
        if len(here) > depth and here == keys[: len(here)]:
            line, depth = number, len(here)
    return line


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))
