"""The runs behind the pictures: a small one of an early version, a night over production, and a comparison."""

import os
import subprocess
import sys
from pathlib import Path

from tests.pages import ROOT

COMMANDS = (
    ("scripts.evaluate_prompts", "--prompt", "v1", "--tag", "smoke"),
    ("scripts.evaluate_prompts", "--prompt", "production", "--tag", "smoke"),
    ("scripts.approve_baseline", "last", "--allow-rehearsal"),
    ("scripts.nightly", "--tag", "smoke"),
    ("scripts.compare_prompts", "--base", "v2", "--prompt", "v3"),
)


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
