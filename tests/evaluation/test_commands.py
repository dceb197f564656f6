"""Commands that are printed arrive as they were meant when they are pasted into a shell, with the real Makefile."""

import os
import subprocess
from pathlib import Path

import pytest

from evaluation.commands import split_commands, write_command, write_flags

ROOT = Path(__file__).resolve().parents[2]
AWKWARD = (
    "plain", "two words", "it's", 'say "hi"', "$HOME", "$(echo no)", "`echo no`", "a\\b", "end\\", "#tag", "a;b|c&d",
    "*", "~", "!x", "50%", "(x)", "a,b", "-", "=", "$$", "näive", " leads and trails ", "'", '"', "--flag=a b", "{a,b}",
)  # fmt: skip


def argv(command: str, tmp_path: Path) -> list[str]:
    """The arguments with which the pasted command starts a script: the Makefile's own recipes, with another Python."""
    python = tmp_path / "seen"
    if not python.exists():
        python.write_text("#!/bin/sh\nprintf '%s\\0' \"$@\"\n")
        python.chmod(0o755)
        (tmp_path / "Makefile").write_text((ROOT / "Makefile").read_text("utf-8"))
        (tmp_path / ".venv").mkdir()
        for made in ("requirements.lock", ".venv/runtime", "requirements-dev.lock", ".venv/development"):
            (tmp_path / made).touch()
    pasted = command.replace("make ", f"make MODULE={python} ", 1)
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    done = subprocess.run(
        ["bash", "-c", pasted], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=30, check=True
    )
    return done.stdout.split("\0")[:-1]


@pytest.mark.parametrize("word", AWKWARD)
def test_every_argument_arrives_as_it_was(tmp_path: Path, word: str) -> None:
    assert argv(write_command("score", "--output", word, FILE=word), tmp_path) == [
        *("scripts.score_responses", word, "--output", word)
    ]
    assert argv(write_command("review", RUN=word, REVIEWER=word), tmp_path) == [
        *("scripts.review", "walk", word, "--reviewer", word)
    ]
    in_flags = write_command("eval", "--prompt", word, "--prompt", "v2", "--tag", word, PROMPT="v3")
    for command in (in_flags, write_command("score", FILE=word)):
        assert [part for part, is_command in split_commands(f"go on: {command}, or not") if is_command] in (
            [command],
            [command.rstrip(",;:.)")],
        )


def test_many_arguments_arrive_in_their_order(tmp_path: Path) -> None:
    flags = [part for word in AWKWARD for part in ("--prompt", word)]
    found = argv(write_command("eval", *flags, PROMPT="v3"), tmp_path)
    assert found == ["scripts.evaluate_prompts", "--prompt", "v3", *flags]


def test_plain_commands_read_plainly() -> None:
    assert write_command("sync") == "make sync"
    assert write_command("eval", PROMPT="v3", RUN="") == "make eval PROMPT=v3"
    assert write_command("eval", "--resume", "r1", "--max-cost", "2") == 'make eval ARGS="--resume r1 --max-cost 2"'


def test_flags_are_written_as_they_are_typed() -> None:
    found = write_flags(
        judge_model=["a", "b"], seed=0, max_cost=2.50, next=True, limit=None, json=False, tag="", sets=()
    )
    assert found == ["--judge-model", "a", "--judge-model", "b", "--seed", "0", "--max-cost", "2.5", "--next"]


def test_a_text_is_split_at_its_commands() -> None:
    text = 'deliver with make sync, or (make runs ARGS="show r 1"); make it so'
    commands = [part for part, is_command in split_commands(text) if is_command]
    assert commands == ["make sync", 'make runs ARGS="show r 1"', "make it"]
    assert "".join(part for part, _ in split_commands(text)) == text
