"""The parts of a page that show what a command prints, run again on the rehearsal model, which always answers alike."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHOWN = re.compile(r"(<!-- printed by: (?P<command>[^>]+) -->\n```text\n).*?(```\n)", re.DOTALL)
"""A block of a page that shows what a command prints."""
COPIED = re.compile(r"(<!-- table of docs/sweeps.md: (?P<beginning>[^>]+) -->\n```text\n).*?(```\n)", re.DOTALL)
"""A block of another page that shows one table of what the sweep prints."""
CUT = "...\n"
KEPT = ("mean [95%", "combined ", "temperature 0.3 to ", "Best setting", "expected ", "Spread of ")
"""Beginnings of the tables that a page shows."""


def with_output(page: str) -> str:
    """The page with what every shown command prints now."""
    return SHOWN.sub(lambda match: match[1] + essence(run_printing(match["command"])) + match[3], page)


def with_tables(page: str, source: str) -> str:
    """The page with every copied table as it stands in the source."""
    sections = source.split("\n\n")

    def copied(match: re.Match[str]) -> str:
        table = next(section for section in sections if section.startswith(match["beginning"]))
        return f"{match[1]}{table}\n{match[3]}"

    return COPIED.sub(copied, page)


def run_printing(command: str) -> str:
    """Runs one of the project's commands and returns what it prints, with no settings and a folder of its own."""
    with tempfile.TemporaryDirectory() as runs:
        environment = {"PATH": os.environ["PATH"], "EVAL_RUNS_DIR": runs, "HOME": runs, "LANG": "C.UTF-8"}
        words = [sys.executable, "-m", *shlex.split(command), "--quiet"]
        done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        return done.stdout


def essence(output: str) -> str:
    """The output without what differs from run to run, cut to what explains itself; "..." stands for what is left out.

    Kept are the verdict, the tables in `KEPT`, and the first of the weakest responses.
    """
    sections = output.split("\n\n")
    kept = [sections[0]]
    for section in sections[1:]:
        heading = section.split("\n")[0]
        if heading.startswith(KEPT):
            kept.append(section)
        elif "weakest responses" in heading:
            kept.append("\n  - ".join(section.split("\n  - ")[:2]))
    return "\n\n".join(kept) + "\n" + CUT
