"""docs/reliability.md: what was seen, as a table per group."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.reliability.bench import Seen
from tests.reliability.process_faults import KILLED
from tests.reliability.table import CASES, GROUPS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
START, END = "<!-- seen by: make faults -->\n", "<!-- end of what was seen -->\n"
_LONGEST = 260
_PLAIN = (
    (re.compile(r"/\S*?/runs/"), "runs/"),
    (re.compile(r"\d{8}T\d{6}Z-[\w-]+-[0-9a-f]{6}"), "RUN_ID"),
    (re.compile(r"(127\.0\.0\.1|localhost|case\.invalid):\d+"), r"\1:PORT"),
    (re.compile(r"'127\.0\.0\.1', \d+"), "'127.0.0.1', PORT"),
    (re.compile(r"by process \d+"), "by process PID"),
)
"""The patterns that differ from run to run, and what stands for each in the page."""


def render(seen: Mapping[str, Seen | str]) -> str:
    """The tables. `seen` holds for each case what was seen, or why it could not be injected."""
    return START + "\n".join(_lines(seen)) + "\n\n" + END


def _lines(seen: Mapping[str, Seen | str]) -> Iterator[str]:
    for title, cases in GROUPS.items():
        yield f"\n## {title}\n"
        yield "| case | fault | where injected | what the user sees | exit code | lost |"
        yield "| --- | --- | --- | --- | --- | --- |"
        for case in cases:
            found = seen[case.name]
            line = f"`{shown(found.line)}`" if isinstance(found, Seen) and found.line else f"not tried: {found}"
            if case.code == KILLED:
                line = "nothing: the process is gone"
            yield f"| {case.name} | {case.fault} | {case.where} | {line} | {code_of(case.code)} | {case.lost} |"


def code_of(code: int) -> str:
    """As a shell reports it."""
    return "killed" if code == KILLED else str(code)


def shown(line: str) -> str:
    """A line fit for a cell of the table: without what differs from run to run."""
    for pattern, words in _PLAIN:
        line = pattern.sub(words, line)
    line = line.replace("|", "\\|").replace("`", "'")
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def write(seen: Mapping[str, Seen | str]) -> None:
    """Puts the tables into the page, whose other text stays as it is."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(START)
    PAGE.write_text(before + render(seen) + rest.partition(END)[2], encoding="utf-8")


def rows() -> dict[str, tuple[str, str]]:
    """Case -> (exit code, what was lost), as the page says."""
    text = PAGE.read_text(encoding="utf-8").partition(START)[2].partition(END)[0]
    cells = (re.split(r"(?<!\\) \| ", line.strip("| ")) for line in text.splitlines() if line.startswith("| "))
    return {row[0]: (row[-2], row[-1]) for row in cells if row[0] not in ("case", "---")}


def expected() -> dict[str, tuple[str, str]]:
    """The same, as the table of cases says."""
    return {case.name: (code_of(case.code), case.lost) for case in CASES}
