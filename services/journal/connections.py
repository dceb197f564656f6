"""Connections to the journal file, and what their errors mean to the user."""

import errno
import os
import sqlite3
from pathlib import Path

from evaluation.errors import JournalError

BUSY_SECONDS = 30.0
"""The time that a connection waits for another process to finish its transaction."""

_ADVICE = {
    sqlite3.SQLITE_FULL: "the disk is full: free some space and go on; everything reported so far is kept",
    sqlite3.SQLITE_READONLY: "the journal may not be written: allow writing to the file and its directory",
    sqlite3.SQLITE_PERM: "access was refused: allow reading and writing for the file and its directory",
    sqlite3.SQLITE_CANTOPEN: "the journal cannot be opened: check that its directory exists and may be written",
    sqlite3.SQLITE_BUSY: "another process keeps the journal locked: wait until it ends and try again",
    sqlite3.SQLITE_LOCKED: "another process keeps the journal locked: wait until it ends and try again",
    sqlite3.SQLITE_CORRUPT: "the journal is damaged: restore a copy, or save what can be read of it with "
    'make runs ARGS="recover"',
    sqlite3.SQLITE_NOTADB: "this is not a journal, or it is damaged: move it away, or name another file",
    sqlite3.SQLITE_IOERR: "the disk reports an error: check the disk and its free space, then go on",
}

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
    return isinstance(error, sqlite3.Error) and not isinstance(error, _OF_ONE_WRITE)


def explained(path: Path, error: Exception) -> JournalError:
    """The error as one line: file, what is wrong, what to do."""
    if isinstance(error, JournalError):
        return JournalError(f"{path}: {error}")
    if isinstance(error, OSError):
        code = _CODE_OF_ERRNO.get(error.errno or 0, sqlite3.SQLITE_IOERR)
        detail = error.strerror or str(error)
    else:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        detail = " ".join(f"{type(error).__name__}: {error}".split())
    advice = _ADVICE.get(code, "the journal cannot store or read this: check the file, or name another one")
    return JournalError(f"{path}: {advice} ({detail})")


def make_private_directory(path: Path) -> None:
    """Creates the directory and its missing parents for their owner only; existing ones stay as they are."""
    missing = []
    while not path.exists():
        missing.append(path)
        path = path.parent
    for directory in reversed(missing):
        directory.mkdir(mode=0o700, exist_ok=True)


def create_private_file(path: Path) -> None:
    """Creates an empty file for its owner only, unless it exists. SQLite gives its side files the same mode."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))


def connect_for_writing(path: Path) -> sqlite3.Connection:
    """A connection in autocommit mode: transactions are begun and ended by hand. Raises sqlite3.Error."""
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA synchronous = FULL")
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
