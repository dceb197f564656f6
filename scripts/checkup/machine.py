"""The machine: Python, the runs folder with its locks, and the free space of its disk."""

import shutil
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from evaluation.errors import JournalError
from scripts.checkup.check import Check, ok, wrong
from services.journal.access import connect_for_writing, explain, hold

OLDEST_PYTHON = (3, 11)
LEAST_FREE_BYTES = 200_000_000
"""Some 20,000 exchanges with the files of their runs."""
RUNS_DIR = "set EVAL_RUNS_DIR to a folder on a local disk that you may write to"
_WAIT_MS = 50


def check_python() -> Check:
    """The interpreter that runs this."""
    found = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < OLDEST_PYTHON:
        return wrong("Python", f"{found} is too old", "install Python 3.11 or newer")
    return ok("Python", found)


def check_runs_folder(folder: Path) -> Check:
    """Whether a run can be kept there. Tried in a folder that is removed again; the runs folder itself is not made."""
    there = _nearest(folder)
    name = "runs folder"
    try:
        with tempfile.TemporaryDirectory(prefix=".doctor-", dir=there) as made:
            problem = _lock_problem(Path(made))
    except OSError as error:
        return wrong(name, f"{folder} cannot be written ({error.strerror})", RUNS_DIR)
    except JournalError as error:
        return wrong(name, f"{folder}: {error}", RUNS_DIR)
    if problem:
        return wrong(name, f"{folder}: {problem}, so that two commands could damage a journal there", RUNS_DIR)
    made_first = "" if there == folder else ", and is made by the first run"
    return ok(name, f"{folder} can be written, and locks hold there{made_first}")


def check_disk(folder: Path) -> Check:
    """The space that is left where the runs are kept."""
    try:
        free = shutil.disk_usage(_nearest(folder)).free
    except OSError as error:
        return wrong("disk", f"{folder}: its free space cannot be read ({error.strerror})", RUNS_DIR)
    shown = f"{free / 1e9:,.1f} GB free"
    if free < LEAST_FREE_BYTES:
        return wrong("disk", f"{shown} for {folder}: a large run fills it", "free some space, or set EVAL_RUNS_DIR")
    return ok("disk", shown)


def _nearest(folder: Path) -> Path:
    """The folder itself, or the nearest one above it that exists."""
    return next((each for each in (folder, *folder.absolute().parents) if each.exists()), folder)


def _lock_problem(folder: Path) -> str:
    """Why two processes would not keep out of each other's way in this folder; empty where they do."""
    lock = folder / "lock"
    with hold(lock, "the lock"):
        try:
            with hold(lock, "the lock"):
                return "a lock on a file does not hold"
        except JournalError:
            pass
    journal = folder / "journal.db"
    try:
        with closing(connect_for_writing(journal)) as first, closing(connect_for_writing(journal)) as second:
            mode = first.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            if mode != "wal":
                return f"SQLite offers no write-ahead log there (mode {mode})"
            second.execute(f"PRAGMA busy_timeout = {_WAIT_MS}")
            first.execute("BEGIN IMMEDIATE")
            try:
                second.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return ""
            return "SQLite's lock does not hold"
    except sqlite3.Error as error:
        raise explain(journal, error) from None
