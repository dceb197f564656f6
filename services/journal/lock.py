"""Locks between processes: one writer per run, one deliverer, one opener. They end with their holder."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evaluation.errors import JournalError
from services.journal.connections import explained, make_private_directory


@contextmanager
def hold(path: Path, what: str, *, wait: bool = False) -> Iterator[None]:
    """Holds the lock file, with this process's id inside, until the block ends.

    `what` names the thing locked, for the message. Without `wait`, a lock that is taken raises JournalError with its
    holder's process id. The file stays behind: removing it would let two processes lock two files of one name.
    """
    try:
        make_private_directory(path.parent)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise explained(path, error) from error
    try:
        _take(descriptor, path, what, wait=wait)
        _write_holder(descriptor, path, str(os.getpid()))
        try:
            yield
        finally:
            _write_holder(descriptor, path, "")
    finally:
        os.close(descriptor)


@contextmanager
def hold_run(runs_directory: Path, run_id: str) -> Iterator[None]:
    """Holds `<runs_directory>/<run_id>/lock`: whoever writes a run holds it."""
    if not run_id or run_id in {".", ".."} or any(character in run_id for character in "/\\\0"):
        raise JournalError(f"{runs_directory}: {run_id!r} cannot be a run id: name a run that `make runs` lists")
    if (runs_directory / run_id).is_symlink():
        raise JournalError(f"{runs_directory / run_id}: is a link, and a run has a folder of its own: remove the link")
    with hold(runs_directory / run_id / "lock", f"run {run_id!r}"):
        yield


@contextmanager
def hold_named(runs_directory: Path, name: str) -> Iterator[None]:
    """Holds `<runs_directory>/<name>.lock`, for work that only one process at a time may do."""
    with hold(runs_directory / f"{name}.lock", name):
        yield


def _take(descriptor: int, path: Path, what: str, *, wait: bool) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip() or "unknown"
        raise JournalError(
            f"{path}: {what} is in use by process {holder}: wait until it ends, or stop it and try again"
        ) from None
    except OSError as error:
        raise explained(path, error) from error


def _write_holder(descriptor: int, path: Path, holder: str) -> None:
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, holder.encode(), 0)
    except OSError as error:
        raise explained(path, error) from error
