"""Machines that each play a share of the situations, and the one run that is made of what they played."""

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from evaluation.errors import JournalError
from services.journal import Journal
from tests.scripts.commands import Finished, run
from tests.shared import made_once

FEW = ("--prompt", "v3", "--limit", "10", "--quiet")


@pytest.fixture(scope="session")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of one machine in `whole`, and its three shards on three others."""

    def make(folder: Path) -> None:
        assert run(*FEW, runs=folder / "whole").code == 0
        for number in (1, 2, 3):
            done = run(*FEW, "--shard", f"{number}/3", runs=folder / f"m{number}")
            assert done.code == 0, done.err
            assert f"SHARD {number} of 3: " in done.out

    return made_once(tmp_path_factory, "shards", make)


def merge(runs: Path, *places: Path | str) -> Finished:
    return run("merge", *map(str, places), runs=runs, module="scripts.manage_runs")


def results(runs: Path) -> list[Any]:
    lines = map(json.loads, (runs / "latest" / "results.jsonl").read_text().splitlines())
    own = ("run_id", "trace_id", "session_id", "latency_ms", "judge", "conversation")
    return [{name: value for name, value in line.items() if name not in own} for line in lines]


def summary(runs: Path) -> Any:
    found = json.loads((runs / "latest" / "summary.json").read_text())
    # Each machine checked the judge by itself, and took its own time.
    for name in ("run_id", "wall_seconds", "usage", "replies", "judge", "cost_usd", "created_at"):
        found.pop(name, None)
    return found


def test_the_merged_run_is_that_of_one_machine(machines: Path, tmp_path: Path) -> None:
    done = merge(tmp_path, machines / "m2", machines / "m1", machines / "m3")
    assert done.code == 0, done.err
    assert results(tmp_path) == results(machines / "whole")
    mine, theirs = summary(tmp_path), summary(machines / "whole")
    assert mine["metrics"] == theirs["metrics"]
    assert mine == theirs
    decisions = [json.loads((runs / "latest" / "decision.json").read_text()) for runs in (tmp_path, machines / "whole")]
    assert decisions[0] | {"run_id": ""} == decisions[1] | {"run_id": ""}


def test_a_missing_shard_is_named_and_a_resume_plays_it(machines: Path, tmp_path: Path) -> None:
    done = merge(tmp_path, machines / "m1", machines / "m3")
    assert done.code == 3
    assert "shard 2 of 3 is missing" in done.err
    assert "INCOMPLETE" in done.out
    assert run("--resume", "last", "--quiet", runs=tmp_path).code == 0
    assert summary(tmp_path)["metrics"] == summary(machines / "whole")["metrics"]


def test_what_is_no_shard_of_the_run_is_one_line(machines: Path, tmp_path: Path) -> None:
    for places, why in (
        ((machines / "m1", machines / "m1"), "is there already"),
        ((machines / "whole",), "holds no run of a shard"),
        ((tmp_path / "none",), "is neither a run of the journal nor a folder of runs"),
    ):
        done = merge(tmp_path, *places)
        assert (done.code, done.out) == (2, "")
        assert why in done.err.splitlines()[-1]


def test_shards_of_another_run_are_refused(machines: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    assert run(*FEW, "--seed", "7", "--no-judge", "--shard", "2/3", runs=other).code == 0
    done = merge(tmp_path, machines / "m1", other)
    assert done.code == 2
    assert "are not of one run: they differ in" in done.err


@pytest.mark.parametrize("given", ["0/3", "4/3", "1", "a/b", "1/0"])
def test_what_is_no_shard_is_refused(tmp_path: Path, given: str) -> None:
    done = run(*FEW, "--shard", given, runs=tmp_path)
    assert done.code == 2
    assert "write 2/5 for the second of five" in done.err


def test_a_share_is_held_against_no_gate(tmp_path: Path) -> None:
    done = run(*FEW, "--shard", "1/3", "--gate", "deploy", runs=tmp_path)
    assert done.code == 2
    assert "--gate does not go with --shard" in done.err


def test_several_runs_have_no_shards(tmp_path: Path) -> None:
    sides = ("--base", "v2", "--prompt", "v3")
    done = run(*sides, "--limit", "4", "--shard", "1/2", "--quiet", runs=tmp_path, module="scripts.compare_prompts")
    assert (done.code, "shards of one run are joined" in done.err) == (2, True), done.err


def test_fewer_situations_than_shards_are_refused(tmp_path: Path) -> None:
    done = run("--prompt", "v3", "--limit", "2", "--shard", "1/3", runs=tmp_path)
    assert done.code == 2
    assert "2 situations for 3 shards" in done.err


def test_a_run_that_is_merged_beside_its_shards_is_the_last(tmp_path: Path) -> None:
    for number in (1, 2):
        assert run(*FEW, "--no-judge", "--shard", f"{number}/3", runs=tmp_path).code == 0
    shards = [path.name for path in tmp_path.glob("2*")]
    assert merge(tmp_path, *shards).code == 3
    done = run("--resume", "last", "--quiet", runs=tmp_path)
    assert "SHARD" not in done.out


def states(runs: Path) -> list[str]:
    with Journal.in_folder(runs) as journal:
        return [each.state for each in journal.runs()]


def test_a_share_that_was_played_is_finished(machines: Path) -> None:
    assert states(machines / "m1") == ["finished"]
    with Journal.in_folder(machines / "m1") as journal:
        assert [each.is_complete for each in journal.runs()] == [False]


def test_a_merge_that_fails_leaves_no_run(machines: Path, tmp_path: Path) -> None:
    with patch("scripts.runs.merge.conclude_run", side_effect=JournalError("the disk is full")):
        done = merge(tmp_path, machines / "m1", machines / "m2")
    assert done.code != 0
    assert "the disk is full" in done.err
    assert states(tmp_path) == []
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


def test_the_whole_is_held_against_a_gate(machines: Path, tmp_path: Path) -> None:
    done = merge(tmp_path, machines / "m1", machines / "m2", machines / "m3", "--gate", "deploy")
    verdict = json.loads((tmp_path / "latest" / "decision.json").read_text())
    assert done.code == (0 if verdict["gate"]["passed"] else 1), done.err


def test_an_unfinished_shard_is_named(machines: Path, tmp_path: Path) -> None:
    shutil.copytree(machines / "m2", tmp_path / "m2")
    with sqlite3.connect(tmp_path / "m2" / "evals.db") as connection:
        connection.execute("DELETE FROM results WHERE id = (SELECT max(id) FROM results WHERE turn > 0)")
    done = merge(tmp_path / "runs", machines / "m1", tmp_path / "m2", machines / "m3")
    assert done.code == 3
    assert "shard 2 of 3 is not finished: 1 of its " in done.err


def test_a_journal_of_an_older_version_is_one_line_before_anything_is_written(machines: Path, tmp_path: Path) -> None:
    shutil.copytree(machines / "m2", tmp_path / "m2")
    with sqlite3.connect(tmp_path / "m2" / "evals.db") as connection:
        connection.execute("PRAGMA user_version = 1")
    done = merge(tmp_path / "runs", machines / "m1", tmp_path / "m2")
    assert (done.code, done.out) == (2, "")
    assert "has schema version 1, this program reads" in done.err
    assert states(tmp_path / "runs") == []
