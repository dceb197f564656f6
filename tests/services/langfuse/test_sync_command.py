"""make sync as a command: exit codes, output, and the run's summary brought up to date."""

import json
from pathlib import Path

import pytest

from evaluation.run import Run
from scripts import sync_langfuse
from scripts.runs import upkeep
from services.journal import StoredRun
from tests.langfuse_double import LangfuseDouble
from tests.services.langfuse.stories import evaluated_run, journaled


@pytest.fixture
def waiting(double: LangfuseDouble, runs_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A runs folder with one run that has everything left to deliver; its plan is known without its files."""
    for name, value in (
        ("LANGFUSE_BASE_URL", double.base_url),
        ("LANGFUSE_PUBLIC_KEY", double.public_key),
        ("LANGFUSE_SECRET_KEY", double.secret_key),
    ):
        monkeypatch.setenv(name, value)
    run = evaluated_run()

    def read(_stored: StoredRun, **_: object) -> Run:
        return run

    monkeypatch.setattr(upkeep, "restore_run", read)
    with journaled(runs_dir, run):
        pass
    return runs_dir


def test_it_delivers_and_says_so(waiting: Path, capsys: pytest.CaptureFixture[str]) -> None:
    summary = waiting / "run-1" / "summary.json"
    summary.parent.mkdir()
    summary.write_text(json.dumps({"run_id": "run-1", "langfuse": None}))
    assert sync_langfuse.main([]) == 0
    assert "run-1: Langfuse: 72 of 72 scores verified, 6 of 6 traces verified" in capsys.readouterr().out
    block = json.loads(summary.read_text())["langfuse"]
    assert (block["verified"], block["pending"], block["complete"]) == (72, 0, True)
    assert sync_langfuse.main([]) == 0
    assert "confirmed everything" in capsys.readouterr().out


def test_a_wrong_key_is_one_line_and_2(
    waiting: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "sk-lf-wrong")
    assert sync_langfuse.main([]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "refuses the keys" in error
    assert "sk-lf-wrong" not in error


def test_what_is_left_is_3(waiting: Path, double: LangfuseDouble, capsys: pytest.CaptureFixture[str]) -> None:
    double.fail("POST */scores", "reject", times=None, names=["judge_parsed"])
    assert sync_langfuse.main(["--quiet"]) == 3
    assert "12 rejected" in capsys.readouterr().out


def test_without_runs_there_is_nothing_to_do(runs_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sync_langfuse.main([]) == 0
    assert "there are no runs" in capsys.readouterr().out


def test_a_server_that_does_not_answer_is_3(
    waiting: Path, double: LangfuseDouble, capsys: pytest.CaptureFixture[str]
) -> None:
    double.stop()
    assert sync_langfuse.main([]) == 3
    assert "nothing was lost" in capsys.readouterr().err
