"""Commands that are printed are collected from what a user sees in a workspace, and each is typed there again."""

import html
import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from evaluation.commands import split_commands, start_with
from prompt_evaluation.subcommands import STARTED_AS, SUBCOMMANDS
from scripts.documents.commands import parsers
from scripts.shell import DONE, GATE_FAILED
from tests.package.installation import Installation
from tests.scripts.commands import Finished, run

pytestmark = pytest.mark.slow

PLACEHOLDER = re.compile(r"\b(?:NAME|RUN_ID)\b")
"""What a reader puts something in the place of."""
WALK = (
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


def walked(line: str, folder: Path) -> Finished:
    """A command in this process, which prints what one that was started as `prompt-eval` prints."""
    _, name, *words = shlex.split(line)
    subcommand = SUBCOMMANDS[name]
    words = words or [subcommand.otherwise] * bool(subcommand.otherwise)
    started_as = {STARTED_AS: "prompt-eval"}
    return run(*words, runs=folder / "runs", module=subcommand.module, folder=str(folder), **started_as)


def test_each_command_that_a_walk_shows_is_understood_and_runs(installed: Installation, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    printed = [walked("prompt-eval init --template support", own).out, installed.run("prompt-eval", cwd=own).stdout]
    for line in WALK:
        done = walked(line, own)
        assert "Traceback" not in done.err, line
        printed += [done.out, done.err]
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
            typed = installed.run("bash", "-c", line, cwd=own, more={"GITHUB_STEP_SUMMARY": "summary"}, code=None)
            if typed.returncode not in (DONE, GATE_FAILED):
                failed[line] = typed.stderr
    assert failed == {}
