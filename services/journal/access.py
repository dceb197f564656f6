"""Access to the journal: connections to its file, what their errors mean to the user, and locks between processes.

One writer per run, one deliverer, one opener. A lock ends with its holder.
"""

import errno
import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from evaluation.commands import write_command
from evaluation.errors import JournalError, JournalGone, UsageError
from services.run_folder import make_private_directory, run_folder

BUSY_SECONDS = 30.0
"""The time that a connection waits for another process to finish its transaction."""
SYNCHRONOUS = "FULL"
"""A commit has reached the disk when it returns: what was paid for outlasts a loss of power."""

RECOVER = "RECOVER"
"""Stands in advice for the command that recovers a journal, which depends on how this process was started."""
_ADVICE = {
    sqlite3.SQLITE_FULL: "the disk is full: free some space and go on; everything reported so far is kept",
    sqlite3.SQLITE_READONLY: "the journal may not be written: allow writing to the file and its directory",
    sqlite3.SQLITE_PERM: "access was refused: allow reading and writing for the file and its directory",
    sqlite3.SQLITE_CANTOPEN: "the journal cannot be opened: check that its directory exists and may be written",
    sqlite3.SQLITE_BUSY: "another process keeps the journal locked: wait until it ends and try again",
    sqlite3.SQLITE_LOCKED: "another process keeps the journal locked: wait until it ends and try again",
    sqlite3.SQLITE_CORRUPT: "the journal is damaged: restore a copy, or save what can be read of it with RECOVER",
    sqlite3.SQLITE_NOTADB: "this is not a journal, or it is damaged: move it away, or save what can be read of it with "
    "RECOVER",
    sqlite3.SQLITE_IOERR: "the disk reports an error: check the disk and its free space, then go on",
}

_GONE = (
    "was deleted or moved while it was in use, and what was answered went with it: put it back and resume the run, "
    "or start again"
)

_CODE_OF_ERRNO = {
    errno.ENOSPC: sqlite3.SQLITE_FULL,
    errno.EDQUOT: sqlite3.SQLITE_FULL,
    errno.EROFS: sqlite3.SQLITE_READONLY,
    errno.EACCES: sqlite3.SQLITE_PERM,
    errno.EPERM: sqlite3.SQLITE_PERM,
    errno.ENOENT: sqlite3.SQLITE_CANTOPEN,
    errno.ENOTDIR: sqlite3.SQLITE_CANTOPEN,
    errno.EISDIR: sqlite3.SQLITE_CANTOPEN,
    errno.EIO: sqlite3.SQLITE_IOERR,
    errno.ELOOP: sqlite3.SQLITE_CANTOPEN,
}

_OF_ONE_WRITE = (sqlite3.IntegrityError, sqlite3.DataError, sqlite3.InterfaceError, sqlite3.ProgrammingError)


def is_of_the_file(error: BaseException) -> bool:
    """True when the file or its disk is at fault, so that every other write would fail alike."""
    return isinstance(error, sqlite3.Error | JournalGone) and not isinstance(error, _OF_ONE_WRITE)


class Place:
    """Where the files of an open journal lie. A process writes on to a file that was deleted, and nobody reads it.

    Asking costs two looks at the directory, some microseconds.
    """

    def __init__(self, path: Path) -> None:
        self._paths = (path, path.with_name(f"{path.name}-wal"))
        self._found: dict[Path, tuple[int, int]] = {}
        self.check()

    def check(self) -> None:
        """Raises JournalGone unless the paths lead to the files to which they led when they first did."""
        for path in self._paths:
            try:
                entry = path.stat()
                found = (entry.st_dev, entry.st_ino)
            except (FileNotFoundError, NotADirectoryError):
                found = None
            known = self._found.get(path)
            if known is None and found is not None:
                self._found[path] = found
            elif found != known:
                raise JournalGone(_GONE)


def explain(path: Path, error: Exception) -> JournalError:
    """The error as one line: file, what is wrong, what to do."""
    if isinstance(error, JournalError):
        return type(error)(f"{path}: {error}")
    if isinstance(error, OSError):
        code = _CODE_OF_ERRNO.get(error.errno or 0, sqlite3.SQLITE_IOERR)
        detail = error.strerror or str(error)
    else:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        detail = " ".join(f"{type(error).__name__}: {error}".split())
    advice = _ADVICE.get(code, "the journal cannot store or read this: check the file, or name another one")
    advice = advice.replace(RECOVER, write_command("runs", "recover"))
    return JournalError(f"{path}: {advice} ({detail})")


def create_private_file(path: Path) -> None:
    """Creates an empty file for its owner only, unless it exists. SQLite gives its side files the same mode."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))


def connect_for_writing(path: Path) -> sqlite3.Connection:
    """A connection in autocommit mode: transactions are begun and ended by hand. Raises sqlite3.Error."""
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def connect_for_reading(path: Path) -> sqlite3.Connection:
    """A connection that cannot write, usable from any thread under the caller's lock. Raises sqlite3.Error."""
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )


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
        raise explain(path, error) from error
    try:
        _take(descriptor, path, what, wait=wait)
        _write_holder(descriptor, path, str(os.getpid()))
        try:
            yield
        finally:
            _write_holder(descriptor, path, "")
    finally:
        os.close(descriptor)


def hold_run(runs_directory: Path, run_id: str) -> AbstractContextManager[None]:
    """Holds `<runs_directory>/<run_id>/lock`: whoever writes a run holds it."""
    return hold(run_folder(runs_directory, run_id) / "lock", f"run {run_id!r}")


def is_held(runs_directory: Path, run_id: str) -> bool:
    """True where a process holds the run, as its lock file says: it names its holder as long as that works on the run.

    The lock itself is not tried, since a run that begins at that moment would find it taken.
    """
    try:
        holder = (run_folder(runs_directory, run_id) / "lock").read_text("ascii")[:20].strip()
        os.kill(int(holder), 0)
    except PermissionError:
        return True  # another user's process
    except (OSError, ValueError, OverflowError, UsageError):
        return False
    return True


def hold_named(runs_directory: Path, name: str) -> AbstractContextManager[None]:
    """Holds `<runs_directory>/<name>.lock`, for work that only one process at a time may do."""
    return hold(runs_directory / f"{name}.lock", name)


def _take(descriptor: int, path: Path, what: str, *, wait: bool) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip() or "unknown"
        raise JournalError(
            f"{path}: {what} is in use by process {holder}: wait until it ends, or stop it and try again"
        ) from None
    except OSError as error:
        raise explain(path, error) from error


def _write_holder(descriptor: int, path: Path, holder: str) -> None:
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, holder.encode(), 0)
    except OSError as error:
        raise explain(path, error) from error
