"""`prompt-eval init`: the workspace is written, and what to type next is said."""

import shlex
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from evaluation.commands import write_command
from evaluation.text.numbers import times
from prompt_evaluation.subcommands import command_line
from scripts.shell import DONE
from scripts.starting.write import Written, find_source, write_workspace
from services.text_files import read_text
from services.workspace import GATE_RULES, TOOL

WIDEST = 30
PROGRAM = "prompt-eval"
"""The installed tool."""


def init_workspace(options: Namespace) -> int:
    """Writes the workspace that the options name, and prints what was written."""
    folder = Path(options.folder).expanduser()
    source = find_source()
    written = write_workspace(folder, options.template, read_text(GATE_RULES / "no_regression.yaml").text, source)
    print("\n".join(_describe(folder, options.template, written)))
    if not source.requirement and WORKFLOW in written.files:
        print(f"before you commit {WORKFLOW}: say in it what is installed (PROMPT_EVALUATION)")
    return DONE


WORKFLOW = ".github/workflows/evaluate.yml"
ABOUT = {
    "prompt-eval.toml": "where everything lies; read this first",
    "rubric.yaml": "what a good answer is: two metrics",
    "judge.yaml": "the rubric with its judge, and what it is checked on",
    ".env.example": "keys and models: copy it to .env",
    WORKFLOW: "evaluates each pull request",
}


def _describe(folder: Path, template: str, written: Written) -> Iterator[str]:
    yield f"{folder}: {times(len(written.files), 'file')} of the template {template}"
    for name in written.files:
        yield f"  {name:{WIDEST}}  {ABOUT.get(name, '')}".rstrip()
    if written.left:
        yield f"left as they were, as they exist: {', '.join(written.left)}"
    for line in written.unignored:
        yield f"add this line to your .gitignore: {line}"
    yield ""
    yield "next (without a key the embedded rehearsal model answers, a scripted stand-in):"
    if _from_clone():
        clone = shlex.quote(str(TOOL))
        yield f"  uv tool install {clone}    # once; pipx install {clone} does the same"
    if folder.resolve() != Path.cwd().resolve():
        yield f"  cd {shlex.quote(str(folder))}"
    yield f"  {_command('eval', PROMPT='v2')}"
    yield f"  {_command('compare', BASE='v1', PROMPT='v2')}"
    yield f"  {_command('doctor')}"


def _from_clone() -> bool:
    """True where make started this: the workspace needs the installed tool, as targets of make work in the clone."""
    return write_command("doctor").startswith("make ")


def _command(name: str, **variables: str) -> str:
    """A command for the workspace."""
    return command_line(PROGRAM, name, variables) if _from_clone() else write_command(name, **variables)
