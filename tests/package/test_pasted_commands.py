"""Commands that are printed are collected from what a user sees in a workspace, and each is typed there again."""

import html
import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from evaluation.commands import split_commands, start_with
from prompt_evaluation.subcommands import SUBCOMMANDS
from scripts.documents.commands import parsers
from scripts.shell import DONE, GATE_FAILED
from tests.package.installation import Installation

pytestmark = pytest.mark.slow

PLACEHOLDER = re.compile(r"\b(?:NAME|RUN_ID)\b")
"""What a reader puts something in the place of."""
WALK = (
    "prompt-eval --help",
    "prompt-eval runs",
    "prompt-eval review-report",
    "prompt-eval eval --prompt v2 --limit 12 --quiet",
    "prompt-eval compare --base v1 --prompt v2 --limit 12 --quiet",
    "prompt-eval nightly --limit 2 --no-latest --quiet",
    "prompt-eval review sheet last --csv sheet.csv",
)
IN_A_WORKSPACE = ("runs show", "approve-baseline", "review-report", "eval ", "doctor")
"""Of these every command that was found runs to its end."""


def commands_in(texts: Iterable[str]) -> set[str]:
    start_with("prompt-eval")
    try:
        return {part for text in texts for line in text.splitlines() for part, yes in split_commands(line) if yes}
    finally:
        start_with("")


def shown(folder: Path) -> Iterator[str]:
    """The files in which a user reads: reports as a browser shows them, and none of data."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".md", ".html", ".xml", ".yml", ".yaml", ".toml", ".example") and path.is_file():
            text = path.read_text(encoding="utf-8")
            # What is set as code is a command by itself, whatever the sentence around it says.
            yield html.unescape(re.sub(r"</?code[^>]*>|`", "\n", text))


def test_each_command_that_a_walk_shows_is_understood_and_runs(installed: Installation, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    printed = [installed.run("prompt-eval", "init", "--template", "support", cwd=own).stdout]
    for line in WALK:
        done = installed.run("bash", "-c", line, cwd=own, code=None)
        assert "Traceback" not in done.stderr, line
        printed += [done.stdout, done.stderr]
    found = commands_in([*printed, *shown(own)])
    assert len(found) > 25
    assert [line for line in found if line.startswith("make ") and line.split()[1] in SUBCOMMANDS] == []
    found = {line for line in found if line.startswith("prompt-eval ")}
    known = parsers()
    for line in sorted(found):
        _, name, *words = shlex.split(re.split(r" [>|&]", line)[0])
        if words or name not in ("score", "review"):
            known[SUBCOMMANDS[name].module].parse_args(words)
    failed = {}
    # Those that init prints are run where init is tested.
    for line in sorted(found - commands_in(printed[:1])):
        if line.removeprefix("prompt-eval ").startswith(IN_A_WORKSPACE) and not PLACEHOLDER.search(line):
            done = installed.run("bash", "-c", line, cwd=own, more={"GITHUB_STEP_SUMMARY": "summary"}, code=None)
            if done.returncode not in (DONE, GATE_FAILED):
                failed[line] = done.stderr
    assert failed == {}
