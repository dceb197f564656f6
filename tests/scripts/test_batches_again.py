"""A run in batches that is gone on with: lines that wait for their call, and calls that are to be asked once more."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from services.rehearsal.options import RehearsalOptions
from tests.batch_endpoint import BatchEndpoint, Faults, batch_endpoint
from tests.scripts.batches import FEW, evaluate
from tests.scripts.commands import ROOT, environment, run

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


@pytest.mark.slow
def test_the_batches_of_a_recovered_journal_are_found_at_the_endpoint(tmp_path: Path) -> None:
    with batch_endpoint(looks=1) as endpoint:
        killed_in_the_second_wave(endpoint, tmp_path, "--batch")
        journal = tmp_path / "evals.db"
        with closing(sqlite3.connect(journal)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            assert connection.execute("SELECT count(*) FROM batches").fetchone()[0] > 0
        journal.write_bytes(bytes(100) + journal.read_bytes()[100:])
        recovered = run("recover", runs=tmp_path, module="scripts.manage_runs")
        assert recovered.code == 0, recovered.err
        made = len(endpoint.batches)
        done = evaluate(endpoint, tmp_path, "--resume", "last")
        assert done.code == 0, done.err
        assert "was not in the journal, found at the endpoint" in done.err
        assert set(endpoint.answered.values()) == {1} and len(endpoint.batches) > made
        assert evaluate(endpoint, tmp_path, "--resume", "last", "--quiet").code == 0
        assert set(endpoint.answered.values()) == {1}


@pytest.mark.slow
def test_what_a_call_costs_is_asked_live_so_that_no_wave_waits_for_one_call(tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text(PRICES)
    limited = ("--no-judge", "--max-cost", "", "--prices", str(prices), "--batch")
    with batch_endpoint() as endpoint:
        whole = evaluate(endpoint, tmp_path / "whole", *FEW, *limited[:2], "5", *limited[3:])
        assert (whole.code, endpoint.live) == (0, 1)
        assert sum(len(endpoint.files[batch.file].splitlines()) for batch in endpoint.batches.values()) > 3
        cost = json.loads((tmp_path / "whole" / "latest" / "summary.json").read_text())["cost_usd"]
        tight = evaluate(endpoint, tmp_path / "tight", *FEW, *limited[:2], str(1.7 * cost), *limited[3:])
        assert tight.code == 0, "what is to come is reckoned at the price of batches"


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
