"""What is behind the pictures: a small run of an early version, a night over production, a comparison, a collection."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from benchmarks.scale import write_rows
from scripts.shell import INCOMPLETE
from tests.pages import ROOT

COMMANDS = (
    ("scripts.evaluate_prompts", "--prompt", "v1", "--tag", "smoke"),
    ("scripts.evaluate_prompts", "--prompt", "production", "--tag", "smoke"),
    ("scripts.approve_baseline", "last", "--allow-rehearsal"),
    ("scripts.nightly", "--tag", "smoke"),
    ("scripts.compare_prompts", "--base", "v2", "--prompt", "v3"),
)
COLLECTION, RESPONSES = "collection", 100_000
"""Folder of the collection, and how many made-up responses it has; one of them cannot be scored."""


def play(runs: Path) -> None:
    """Plays all of it, without any setting, into an empty folder; raises CalledProcessError where a command fails."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(runs.parent),
        "LANG": "C.UTF-8",
        "EVAL_RUNS_DIR": str(runs),
        "EVAL_BASELINES_DIR": str(runs.parent / "baselines"),
    }
    for number, (module, *arguments) in enumerate(COMMANDS, start=1):
        print(f"{number} of {len(COMMANDS)}: {module} {' '.join(arguments)}", file=sys.stderr)
        command = [sys.executable, "-m", module, *arguments]
        subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=True)
    score_collection(runs, environment)


def score_collection(runs: Path, environment: Mapping[str, str]) -> None:
    """Scores a collection into a folder of `runs`; raises CalledProcessError where the command fails."""
    source = runs.parent / "r100k.parquet"
    write_rows(source, RESPONSES)
    flags = ["--output", f"{runs / COLLECTION}/", "--by", "model", "--time", "at", "--cluster", "user", "--quiet"]
    command = [sys.executable, "-m", "scripts.score_responses", str(source), *flags]
    done = subprocess.run(command, cwd=ROOT, env=dict(environment), stdout=subprocess.DEVNULL)
    if done.returncode != INCOMPLETE:
        raise subprocess.CalledProcessError(done.returncode, command)
