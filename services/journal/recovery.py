"""Saving what can be read of a damaged journal into a new one.

Rows are read one by one past the damaged pages. A text is kept when it still has the hash that names it; a run, a call
or a result is kept when all its texts are. What is dropped is asked or scored again when its run is resumed.
"""

import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.errors import JournalError
from evaluation.runspec import digest
from services.journal.access import connect_for_reading, explain, hold, hold_run
from services.journal.journal import Journal
from services.journal.rows import body_hashes, from_column, from_stored
from services.journal.writer import Write, insert_into
from services.run_folder import RUN_ID

_BEYOND = 1_000_000
"""Row numbers that are tried one by one after the last readable row where the table's end cannot be read."""
_SIDE_FILES = ("-wal", "-shm")
_TABLES = ("bodies", "runs", "calls", "results", "traits", "outbox")
"""In this order: what a row names has been copied before it."""
_NOT_OF_ITS_SHAPE = (TypeError, ValueError, KeyError, AttributeError, IndexError)
"""The errors raised by reading a row whose columns hold something else than was written."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """The outcome of recovering a damaged journal."""

    set_aside: Path
    """The damaged file, under its new name."""
    saved: Mapping[str, int]
    """Table -> rows in the new journal."""
    dropped: Mapping[str, int]
    """Table -> rows that could be read and not be kept, because texts that they name are lost."""
    runs: tuple[str, ...]


def is_whole(path: Path) -> bool:
    """True when SQLite finds no damage in the file, and every text has its hash. Reads all of it."""
    try:
        with closing(connect_for_reading(path)) as connection:
            sound = connection.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",)
            bodies = connection.execute("SELECT hash, text FROM bodies")
            return sound and all(digest(from_stored(text)) == key for key, text in bodies)
    except (sqlite3.Error, ValueError):
        return False


def recover(path: Path) -> Recovered:
    """Puts a new journal with all that can be saved in the place of a damaged one, which is kept under another name.

    Raises JournalError when there is nothing to save, or a run is being played.
    """
    fresh = path.with_name(f"{path.name}.recovered")
    if not path.exists():
        raise JournalError(f"{path}: there is no journal: nothing can be saved")
    with hold(path.with_name(f"{path.name}.lock"), "the journal", wait=True), ExitStack() as stack:
        _remove(fresh)
        try:
            # Not read-only: what was committed last may still lie in the write-ahead log.
            damaged = stack.enter_context(closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)))
            if not damaged.execute("SELECT count(*) FROM sqlite_master WHERE name = 'bodies'").fetchone()[0]:
                raise JournalError(f"{path}: holds no journal that can be read: restore a copy of it")
            for run_id, state in _readable(damaged, "runs", ("run_id", "state")):
                if state == "running" and RUN_ID.fullmatch(from_stored(run_id)):
                    # Nobody plays a run whose id names no folder: that id is damaged.
                    stack.enter_context(hold_run(path.parent, from_stored(run_id)))
            with Journal.open(fresh) as journal:
                found = journal.commit_now(Write(work=lambda cursor: _Copy(damaged, cursor)))
        except sqlite3.Error as error:
            _remove(fresh)
            raise explain(path, error) from error
        damaged.close()
        aside = path.with_name(f"{path.name}.damaged-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}")
        for suffix in ("", *_SIDE_FILES):
            with suppress(FileNotFoundError):
                path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))
        fresh.rename(path)
        _remove(fresh)
    return Recovered(aside, found.saved, found.dropped, tuple(sorted(found.runs)))


def _remove(fresh: Path) -> None:
    for suffix in ("", *_SIDE_FILES, ".lock"):
        fresh.with_name(fresh.name + suffix).unlink(missing_ok=True)


class _Copy:
    """The rows copied so far, and what may follow."""

    def __init__(self, damaged: sqlite3.Connection, cursor: sqlite3.Cursor) -> None:
        self._bodies: set[str] = set()
        self.runs: set[str] = set()
        self.saved: dict[str, int] = {}
        self.dropped: dict[str, int] = {}
        for table in _TABLES:
            self._copy(table, damaged, cursor)

    def _copy(self, table: str, damaged: sqlite3.Connection, cursor: sqlite3.Cursor) -> None:
        columns = [row[1] for row in cursor.execute(f"PRAGMA table_info({table})").fetchall()]
        insert = insert_into(table, columns, "ON CONFLICT DO NOTHING")
        self.saved[table] = self.dropped[table] = 0
        for row in _readable(damaged, table, columns):
            try:
                kept = self._keeps(table, dict(zip(columns, row, strict=True)))
                inserted = kept and cursor.execute(insert, row).rowcount == 1
            except (sqlite3.IntegrityError, *_NOT_OF_ITS_SHAPE):
                inserted = False
            self.saved[table] += inserted
            self.dropped[table] += not inserted

    def _keeps(self, table: str, row: Mapping[str, Any]) -> bool:
        """True when the row, by column, is whole, and so is everything that it names."""
        if table == "bodies":
            kept: bool = digest(from_stored(row["text"])) == row["hash"]
            self._bodies.update([row["hash"]] if kept else [])
            return kept
        if table == "runs":
            parsed = [from_column(row[name]) for name in ("spec", "arguments", "provenance")]
            kept = all(isinstance(value, dict) for value in parsed) and self._has(from_column(row["inputs"]).values())
            self.runs.update([from_stored(row["run_id"])] if kept else [])
            return kept
        if table == "traits":
            return from_column(row["value"]) is not None
        if from_stored(row["run_id"]) not in self.runs:
            return False
        if table == "calls":
            return self._has([row["response"], *(key for _, key in from_column(row["messages"]))])
        if table == "results":
            return self._has(body_hashes(from_column(row["record"])))
        return from_column(row["payload"]) is not None

    def _has(self, keys: Iterable[Any]) -> bool:
        return all(key in self._bodies for key in keys)


def _readable(damaged: sqlite3.Connection, table: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Every row that can be read, in the order of row numbers; of a table without them, those before the damage."""
    names = ", ".join(columns)
    if table == "traits":
        with suppress(sqlite3.Error):
            yield from damaged.execute(f"SELECT {names} FROM {table}")
        return
    # Row numbers are positive here, and NOT INDEXED keeps damaged indices out of it.
    some = f"SELECT rowid, {names} FROM {table} NOT INDEXED WHERE rowid"
    last = 0
    while True:
        try:
            for number, *row in damaged.execute(f"{some} > ? ORDER BY rowid", (last,)):
                last = number
                yield tuple(row)
            return
        except sqlite3.Error:
            found = _next_readable(damaged, table, some, last)
        if found is None:
            return
        last, *row = found
        yield tuple(row)


def _next_readable(damaged: sqlite3.Connection, table: str, some: str, last: int) -> tuple[Any, ...] | None:
    """The first row after `last` that can be read on its own."""
    try:
        highest = damaged.execute(f"SELECT max(rowid) FROM {table}").fetchone()[0] or 0
    except sqlite3.Error:
        highest = last + _BEYOND
    for number in range(last + 1, highest + 1):
        with suppress(sqlite3.Error):
            row: tuple[Any, ...] | None = damaged.execute(f"{some} = ?", (number,)).fetchone()
            if row is not None:
                return row
    return None
