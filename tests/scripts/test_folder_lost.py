"""The folder of runs deleted, moved or replaced while a run is played, and a folder where `latest` should lead on."""

import shutil
import sys
from collections.abc import Callable, Iterator
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from services.run_folder import latest_problem
from tests.reliability.gateway import Gateway
from tests.scripts.commands import Finished, document, lines, run
from tests.services.scripted_endpoint import Answer

GIVEN = ("--prompt", "v3", "--limit", "24", "--concurrency", "4")
AT = 30
"""The call at which it happens."""
OPEN = 4 + 2 * (4 + 1)
"""Calls that may be on their way when it happens: those open, and those of cells whose answer waits for its commit."""


@pytest.fixture
def endpoint() -> Iterator[Gateway]:
    with Gateway(0.08).listening() as gateway:
        yield gateway


def played(endpoint: Gateway, runs: Path, happens: Callable[[], object], *arguments: str) -> Finished:
    """A run during which something happens to its folder."""

    def instead(number: int) -> Answer | None:
        if number == AT:
            happens()
        return None

    endpoint.instead = instead
    return run(*GIVEN, *arguments, runs=runs, **endpoint.settings)


def assert_ended_soon(done: Finished, endpoint: Gateway) -> None:
    assert done.code == 2, done.err
    (line,) = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert "evals.db: was deleted or moved while it was in use" in line
    assert "kept" not in done.err + done.out and "Traceback" not in done.err
    assert endpoint.calls <= AT + OPEN, f"{endpoint.calls - AT} calls were paid for after it"


@pytest.mark.parametrize("flags", [(), ("--no-judge",), ("--quiet",)], ids=str)
def test_a_deleted_folder_ends_the_run_at_once(flags: tuple[str, ...], endpoint: Gateway, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    done = played(endpoint, runs, lambda: shutil.rmtree(runs), *flags)
    assert_ended_soon(done, endpoint)
    assert not list(runs.glob("2*/summary.json")), "no file says that the run was kept"


def test_a_moved_folder_is_moved_back_and_the_run_goes_on(endpoint: Gateway, tmp_path: Path) -> None:
    runs, away = tmp_path / "runs", tmp_path / "away"
    assert_ended_soon(played(endpoint, runs, lambda: runs.rename(away)), endpoint)
    shutil.rmtree(runs, ignore_errors=True)
    away.rename(runs)
    before = endpoint.calls
    endpoint.heal()
    done = run("--resume", "last", runs=runs, **endpoint.settings)
    assert done.code == 0, done.err
    assert endpoint.repeated <= OPEN
    assert endpoint.calls > before


@pytest.mark.parametrize("name", ["evals.db", "evals.db-wal"])
def test_a_journal_that_is_replaced_by_another_file_is_noticed(name: str, endpoint: Gateway, tmp_path: Path) -> None:
    def replace() -> None:
        content = (tmp_path / name).read_bytes()
        (tmp_path / name).unlink()
        (tmp_path / name).write_bytes(content)

    assert_ended_soon(played(endpoint, tmp_path, replace), endpoint)


def test_the_files_of_a_run_that_were_deleted_are_written_again(endpoint: Gateway, tmp_path: Path) -> None:
    def delete() -> None:
        (folder,) = tmp_path.glob("2*")
        shutil.rmtree(folder)

    done = played(endpoint, tmp_path, delete)
    assert done.code == 0, done.err
    folder = (tmp_path / "latest").resolve()
    assert {"manifest.json", "inputs.json", "results.jsonl", "summary.json"} <= {path.name for path in folder.iterdir()}
    assert document(folder, "manifest.json")["run_id"] == folder.name


def test_a_folder_named_latest_is_named_before_the_first_call_and_stays(endpoint: Gateway, tmp_path: Path) -> None:
    (tmp_path / "latest").mkdir()
    (tmp_path / "latest" / "mine.txt").write_text("mine")
    said: list[str] = []

    def listen(number: int) -> Answer | None:
        if number == 1:
            assert isinstance(sys.stderr, TextIOWrapper) and isinstance(sys.stderr.buffer, BytesIO)
            sys.stderr.flush()
            said.append(sys.stderr.buffer.getvalue().decode())
        return None

    endpoint.instead = listen
    done = run("--prompt", "v3", "--limit", "2", runs=tmp_path, **endpoint.settings)
    assert done.code == 0, done.err
    (line,) = [line for line in said[0].splitlines() if "latest" in line]
    assert line == latest_problem(tmp_path)
    assert f"mv {tmp_path / 'latest'} {tmp_path / 'latest'}-old" in line
    assert (tmp_path / "latest" / "mine.txt").read_text() == "mine"
    (folder,) = tmp_path.glob("2*")
    assert len(lines(folder)) >= 2 and document(folder, "summary.json")["counts"]["failed"] == 0
    shown = run("show", "last", runs=tmp_path, module="scripts.manage_runs")
    assert shown.code == 0


def test_a_link_or_a_file_named_latest_is_no_problem(tmp_path: Path) -> None:
    assert latest_problem(tmp_path) == ""
    (tmp_path / "latest").write_text("2026")
    assert latest_problem(tmp_path) == ""
    (tmp_path / "latest").unlink()
    (tmp_path / "latest").symlink_to(tmp_path)
    assert latest_problem(tmp_path) == ""


def test_a_folder_named_latest_among_the_nights_is_named_once(tmp_path: Path) -> None:
    taken = tmp_path / "nightly" / "latest"
    taken.mkdir(parents=True)
    done = run(
        "--limit", "20", "--quiet", runs=tmp_path, module="scripts.nightly", EVAL_BASELINES_DIR=str(tmp_path / "b")
    )
    assert [line for line in done.err.splitlines() if "is a folder" in line] == [latest_problem(taken.parent)]
    assert taken.is_dir() and not taken.is_symlink()
    (night,) = tmp_path.glob("nightly/2*/night.json")
    assert night.exists()
