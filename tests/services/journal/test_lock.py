"""Locks: held by one living process, named when taken, free when the holder dies."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.errors import JournalError, UsageError
from services.journal import hold_named, hold_run

HOLDER = """
import sys
from pathlib import Path
from services.journal import hold_run
with hold_run(Path(sys.argv[1]), "run-1"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_lock_of_another_living_process_is_refused_and_ends_with_it(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "held\n"
        with (
            pytest.raises(JournalError, match=rf"run-1/lock: run 'run-1' is in use by process {process.pid}:"),
            hold_run(tmp_path, "run-1"),
        ):
            pass
        with hold_run(tmp_path, "run-2"):
            pass
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    with hold_run(tmp_path, "run-1"):
        assert (tmp_path / "run-1" / "lock").read_text() == str(os.getpid())


def test_a_lock_is_free_after_the_block_also_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), hold_named(tmp_path, "delivery"):
        raise ZeroDivisionError
    with hold_named(tmp_path, "delivery"):
        with pytest.raises(JournalError, match="delivery is in use by process"), hold_named(tmp_path, "delivery"):
            pass
        with hold_named(tmp_path, "other"):
            pass
    assert (tmp_path / "delivery.lock").read_text() == ""


def test_a_lock_belongs_to_its_owner_alone(tmp_path: Path) -> None:
    with hold_run(tmp_path / "runs", "run-1"):
        for path, mode in (("runs", 0o700), ("runs/run-1", 0o700), ("runs/run-1/lock", 0o600)):
            assert stat.S_IMODE((tmp_path / path).stat().st_mode) == mode


@pytest.mark.parametrize("run_id", ["", ".", "..", "../elsewhere", "a/b", "a\\b", "a\0b"])
def test_a_run_id_cannot_lead_out_of_the_directory(tmp_path: Path, run_id: str) -> None:
    with pytest.raises(UsageError, match="is not a run's name"), hold_run(tmp_path / "runs", run_id):
        pass
    assert list(tmp_path.iterdir()) == []
