"""The one thread that writes: whatever was queued meanwhile goes into one transaction.

A caller in an event loop hands its write over at the end of the loop's current tick, so that all that became ready in
one tick shares a commit. A write that comes alone is committed at once. Where few follow one another closely, the
second commit waits a moment for more to share it; a write whose caller stands still until it is answered never waits.
"""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

from evaluation.errors import JournalError, JournalGone
from services.journal.access import Place, explain, is_of_the_file

T = TypeVar("T")
Stored: TypeAlias = str | bytes
"""A text as SQLite takes it."""
Row: TypeAlias = tuple[Any, ...]

SPACING_S = 0.015
"""From the start of one commit to the start of the next, in seconds. A commit costs about as much for one write as for
ten. What a killed process loses is what came within this time and the time of one commit."""
COMPANY = 16
"""So many writes do not wait for more."""
_KNOWN_BODIES = 5_000
"""Hashes of stored bodies that are remembered (about 150 bytes each) until all are forgotten. What saves asking
SQLite are the few texts that every call names, and those are soon known again."""


def insert_into(table: str, columns: Sequence[str], conflict: str = "") -> str:
    """The statement that inserts one row."""
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))}) {conflict}"


_BODIES = insert_into("bodies", ("hash", "text"), "ON CONFLICT DO NOTHING")


@dataclass(frozen=True, slots=True)
class Write(Generic[T]):
    """The work of one transaction: texts, then rows, then free work whose return value goes to the caller."""

    bodies: Mapping[str, Stored] = field(default_factory=dict)
    rows: Sequence[tuple[str, Row]] = ()
    """Statement and its values; those of one statement are executed together."""
    work: Callable[[sqlite3.Cursor], T] | None = None


@dataclass(frozen=True, slots=True)
class _Item:
    write: Write[Any]
    future: "asyncio.Future[Any] | Future[Any]"
    loop: asyncio.AbstractEventLoop | None


class Writer:
    """Owns the only writing connection of this process, to a file that was prepared, and the thread that uses it."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self._place = Place(path)
        self._connection = connection
        self._items: list[_Item] = []
        self._lock = threading.Lock()
        self._wake = threading.Event()
        """Set while something waits to be written."""
        self._hurry = threading.Event()
        """Set while something of it waits for no company."""
        self._waking: asyncio.AbstractEventLoop | None = None
        self._closing = False
        self._known: set[str] = set()
        self._data_version = -1
        self._thread = threading.Thread(target=self._run, name="journal-writer", daemon=True)
        self._thread.start()

    async def commit(self, write: Write[T]) -> T:
        """Returns once the write is on disk. Raises JournalError when it is not.

        Cancelling the caller does not undo the write.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._append(_Item(write, future, loop))
        if self._waking is not loop:
            self._waking = loop
            loop.call_soon(self._end_of_tick)
        return await future

    def commit_now(self, write: Write[T]) -> T:
        """The same for code outside an event loop: blocks until the write is on disk."""
        future: Future[T] = Future()
        self._append(_Item(write, future, None))
        self._at_once()
        return future.result()

    def close(self) -> None:
        """Commits what is queued, ends the thread, closes the connection. May be called again."""
        with self._lock:
            self._closing = True
        self._at_once()
        self._thread.join()
        self._connection.close()

    def check_place(self) -> None:
        """Raises JournalGone where the file is no longer at its path; every commit asks the same when it is done."""
        try:
            self._place.check()
        except JournalGone as gone:
            raise explain(self._path, gone) from None

    def _append(self, item: _Item) -> None:
        with self._lock:
            if self._closing:
                raise JournalError(f"{self._path}: the journal was closed: open it again before writing")
            self._items.append(item)

    def _end_of_tick(self) -> None:
        self._waking = None
        if len(self._items) >= COMPANY or any(item.write.work is not None for item in self._items):
            self._at_once()
        else:
            self._wake.set()

    def _at_once(self) -> None:
        self._hurry.set()
        self._wake.set()

    def _run(self) -> None:
        closing, next_start = False, 0.0
        while not closing:
            self._wake.wait()
            self._hurry.wait(next_start - time.monotonic())
            with self._lock:
                self._wake.clear()
                self._hurry.clear()
                items, self._items = self._items, []
                closing = self._closing
            if items:
                next_start = time.monotonic() + SPACING_S
                _answer(items, self._commit(items))

    def _commit(self, items: Sequence[_Item]) -> list[Any]:
        """One answer per item. A write that is refused for its own content takes no other down with it."""
        try:
            return self._transaction([item.write for item in items])
        except Exception as error:
            if len(items) > 1 and not is_of_the_file(error):
                return [answer for item in items for answer in self._commit([item])]
            return [explain(self._path, error)] * len(items)

    def _transaction(self, writes: Iterable[Write[Any]]) -> list[Any]:
        cursor = self._connection.cursor()
        try:
            cursor.execute("BEGIN IMMEDIATE")
            self._forget_bodies_that_others_may_have_removed(cursor)
            answers = self._apply(cursor, writes)
            cursor.execute("COMMIT")
            self._place.check()
        except BaseException:
            self._known.clear()
            if self._connection.in_transaction:
                with suppress(sqlite3.Error):
                    cursor.execute("ROLLBACK")
            raise
        return answers

    def _apply(self, cursor: sqlite3.Cursor, writes: Iterable[Write[Any]]) -> list[Any]:
        answers: list[Any] = []
        pending: dict[str, list[Row]] = {_BODIES: []}
        for write in writes:
            for key, text in write.bodies.items():
                if key not in self._known:
                    self._known.add(key)
                    pending[_BODIES].append((key, text))
            for statement, row in write.rows:
                pending.setdefault(statement, []).append(row)
            if write.work is None:
                answers.append(None)
            else:
                _flush(cursor, pending)
                answers.append(write.work(cursor))
        _flush(cursor, pending)
        return answers

    def _forget_bodies_that_others_may_have_removed(self, cursor: sqlite3.Cursor) -> None:
        data_version = cursor.execute("PRAGMA data_version").fetchone()[0]
        if data_version != self._data_version or len(self._known) > _KNOWN_BODIES:
            self._data_version = data_version
            self._known.clear()


def _flush(cursor: sqlite3.Cursor, pending: Mapping[str, list[Row]]) -> None:
    for statement, rows in pending.items():
        cursor.executemany(statement, rows)
        rows.clear()


def _answer(items: Sequence[_Item], answers: Sequence[Any]) -> None:
    """Wakes every waiter; those of one event loop with one call."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any] | Future[Any], Any]]] = {}
    for item, answer in zip(items, answers, strict=True):
        if item.loop is None:
            _settle([(item.future, answer)])
        else:
            by_loop.setdefault(item.loop, []).append((item.future, answer))
    for loop, settled in by_loop.items():
        with suppress(RuntimeError):  # the loop was closed: nobody waits there any more
            loop.call_soon_threadsafe(_settle, settled)


def _settle(settled: "Iterable[tuple[asyncio.Future[Any] | Future[Any], Any]]") -> None:
    for future, answer in settled:
        if future.done():  # cancelled while it waited
            continue
        if isinstance(answer, JournalError):
            future.set_exception(type(answer)(str(answer)))  # one for each waiter, whose traceback it gets
        else:
            future.set_result(answer)
