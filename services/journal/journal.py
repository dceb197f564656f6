"""The journal: every answered call, result and delivery, committed before anything else is done with it."""

import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from evaluation.records import Json, Purpose, Reply, Request, Result
from evaluation.run import Run
from evaluation.runspec import digest
from services.journal import schema, writes
from services.journal.connections import (
    connect_for_writing,
    create_private_file,
    explained,
    make_private_directory,
)
from services.journal.lock import hold
from services.journal.reader import Reader
from services.journal.records import Delivery, RunState
from services.journal.writer import Write, Writer

T = TypeVar("T")

KEY_FORMAT = 1
"""Counts up when the same question must no longer find its earlier answers."""


def journal_file(runs: Path) -> Path:
    """Where the journal of a folder of runs lies."""
    return runs / "evals.db"


def call_key(endpoint: str, request: Request, parameters: Mapping[str, Json]) -> str:
    """SHA-256 in hex of what decides a reply: the same for the same question, whichever run asks it.

    `endpoint` is its identity, without key or user info; `parameters` are those really sent.
    """
    return digest(
        {
            "format": KEY_FORMAT,
            "endpoint": endpoint,
            "purpose": request.purpose,
            "model": request.model,
            "parameters": dict(parameters),
            "messages": [[message.role, message.content] for message in request.messages],
            "repeat": request.cell.repeat,
            "turn": request.turn,
            "sample": request.sample,
        }
    )


class Journal(Reader):
    """One open journal file. Methods raise JournalError; writes return once they are on disk.

    Processes may share a file. A run is written by one process at a time (`lock.hold_run`).
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        super().__init__(path)
        self.writer = Writer(path, connection)

    @classmethod
    def in_folder(cls, runs: Path) -> "Journal":
        """The journal of a folder of runs; see `open`."""
        return cls.open(journal_file(runs))

    @classmethod
    def open(cls, path: Path) -> "Journal":
        """Opens the file, creates it (for its owner only) or brings it to the newest schema version."""
        try:
            make_private_directory(path.parent)
            with hold(path.with_name(f"{path.name}.lock"), "the journal", wait=True):
                create_private_file(path)
                schema.refuse_other_files(path)
                connection = connect_for_writing(path)
                try:
                    schema.prepare(connection, path)
                    return cls(path, connection)
                except BaseException:
                    connection.close()
                    raise
        except (sqlite3.Error, OSError) as error:
            raise explained(path, error) from error

    def close(self) -> None:
        """Commits what is queued and leaves the file whole. May be called again."""
        # The reader first: the last connection to close folds the WAL into the file, and a reader may not.
        super().close()
        self.writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    async def commit(self, write: Write[T]) -> T:
        """Commits a write (of writes.py or outbox.py) together with whatever else is queued."""
        return await self.writer.commit(write)

    def commit_now(self, write: Write[T]) -> T:
        """The same for code outside an event loop."""
        return self.writer.commit_now(write)

    def create_run(self, run: Run) -> None:
        """Adds the run; blocks until it is on disk."""
        self.commit_now(writes.new_run(run))

    def finish_run(self, run_id: str, state: RunState, finished_at: float | None = None) -> None:
        """Sets how the run ended; blocks. `finished_at` in seconds since the epoch, now when it is not given."""
        self.commit_now(writes.run_state(run_id, state, time.time() if finished_at is None else finished_at))

    def resume_run(self, run_id: str) -> None:
        """Sets the run to running again; blocks."""
        self.commit_now(writes.run_state(run_id, "running", None))

    async def record_reply(self, run_id: str, key: str, request: Request, reply: Reply) -> None:
        """Commits an answered call."""
        write = writes.reply_of(run_id, key, request, reply)
        # Before the commit: a caller cancelled meanwhile must not leave a committed reply unfindable.
        self.note_answered(run_id, key, request.cell.scenario_id)
        await self.writer.commit(write)

    async def record_result(self, run_id: str, result: Result, outbox: Iterable[Delivery] = ()) -> None:
        """Commits a result with its deliveries. A failed or skipped one may be replaced, any other stays."""
        await self.writer.commit(writes.result_of(run_id, result, outbox))

    def learn_trait(self, endpoint: str, model: str, trait: str, value: Json) -> None:
        """Stores a peculiarity of a model at an endpoint for later runs; blocks."""
        self.commit_now(writes.trait_of(endpoint, model, trait, value))

    def copy_calls(self, from_run: str, to_run: str, purposes: Sequence[Purpose]) -> None:
        """Gives one run the answers of another for some purposes, paid for by that one; blocks."""
        self.commit_now(writes.copied_calls(from_run, to_run, purposes))
