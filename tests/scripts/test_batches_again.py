"""A run in batches that is gone on with: lines that wait for their call, and calls that are to be asked once more."""

import subprocess
import sys
from pathlib import Path

from services.rehearsal.options import RehearsalOptions
from tests.batch_endpoint import BatchEndpoint, Faults, batch_endpoint
from tests.scripts.batches import FEW, evaluate
from tests.scripts.commands import ROOT, environment

PRICES = """
as_of: "2026-11-01"
models:
  rehearsal: {input: 1, output: 2}
"""


def test_a_call_that_goes_alone_leaves_the_others_their_lines(tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text(PRICES)
    limited = ("--no-judge", "--max-cost", "5", "--prices", str(prices), "--batch")
    with batch_endpoint(looks=1) as endpoint:
        killed_in_the_second_wave(endpoint, tmp_path, *limited)
        done = evaluate(endpoint, tmp_path, "--resume", "last", "--quiet")
    assert (done.code, done.err) == (0, "")
    assert set(endpoint.answered.values()) == {1}


def test_what_failed_in_three_waves_is_asked_once_more_by_a_resume(tmp_path: Path) -> None:
    with batch_endpoint(RehearsalOptions(), faults=Faults(line_errors=12)) as endpoint:
        assert evaluate(endpoint, tmp_path, *FEW, "--no-judge", "--batch").code == 3
        assert evaluate(endpoint, tmp_path, "--resume", "last", "--quiet").code == 0


def killed_in_the_second_wave(endpoint: BatchEndpoint, runs: Path, *arguments: str) -> None:
    killed = subprocess.run(
        [sys.executable, "-m", "tests.scripts.killed_in_batches", "in the second wave", *FEW, *arguments],
        cwd=ROOT,
        env=environment(runs, endpoint.settings),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert killed.returncode == -9, killed.stderr
