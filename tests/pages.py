"""Reading the project's pages: their code blocks, links, headings and tables."""

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HAND_WRITTEN = ("README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")))
DECISIONS = tuple(sorted(f"docs/decisions/{path.name}" for path in (ROOT / "docs" / "decisions").glob("*.md")))
BLOCK = re.compile(
    r"^(?:[ ]*<!-- (?P<mark>[^>]*?) -->\n)?(?P<indent>[ ]*)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
LINK = re.compile(r"(?<!!)\[[^\]\n]+\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block, with the comment on the line before it, if any."""

    mark: str
    language: str
    text: str


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str) -> list[Block]:
    found = BLOCK.finditer(text_of(page))
    return [Block(each["mark"] or "", each["language"], without(each["indent"], each["text"])) for each in found]


def without(indent: str, text: str) -> str:
    """The block's text as it reads without the indentation of its fence."""
    return "".join(line.removeprefix(indent) for line in text.splitlines(keepends=True))


def prose(page: str) -> str:
    """The page without its fenced blocks."""
    return BLOCK.sub("", text_of(page))


def links(page: str) -> list[str]:
    return LINK.findall(re.sub(r"`[^`\n]*`(?!\]\()", "code", prose(page)))


def anchors(page: str) -> set[str]:
    """The names under which headings can be linked to on code hosting sites."""
    plain = [re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", title) for title in HEADING.findall(prose(page))]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in plain}


def table_after(page: str, mark: str) -> list[list[list[str]]]:
    """The rows, cell by cell, of every table that follows this comment; without the two lines of the head."""
    tables = re.findall(rf"<!-- {re.escape(mark)} -->\n+((?:\|[^\n]*\n)+)", text_of(page))
    return [[cells(line) for line in table.splitlines()[2:]] for table in tables]


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split(" | ")]


def shell_lines(page: str) -> list[list[str]]:
    """Every command of the page's sh blocks as words, without comments."""
    lines = [line for block in blocks(page) if block.language == "sh" for line in block.text.splitlines()]
    return [words for words in (shlex.split(line, comments=True) for line in lines) if words]


def script_calls(words: list[str]) -> Iterator[list[str]]:
    """Module and arguments of each script that a command starts; make itself says what its targets do."""
    if words[0] == "make":
        # What `make test ARGS=...` was given is of these tests and not of the command that a page shows.
        own = {name: value for name, value in os.environ.items() if name not in ("ARGS", "MAKEFLAGS", "MAKEOVERRIDES")}
        command = ["make", "--no-print-directory", "--dry-run", *words[1:]]
        said = subprocess.run(command, cwd=ROOT, env=own, capture_output=True, text=True)
        assert said.returncode == 0, f"{words}: {said.stderr}"
        lines = [shlex.split(line) for line in said.stdout.splitlines() if " -m scripts." in line]
    else:
        lines = [words]
    for line in lines:
        if line[1:2] == ["-m"] and line[2].startswith("scripts."):
            yield line[2:]
