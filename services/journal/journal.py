"""The journal: every answered call, result and delivery, committed before anything else is done with it."""

import sqlite3
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from evaluation.records import Cell, Json, Purpose, Reply, Request, Result
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
from services.journal.records import CallTotals, Delivery, Place, Position, RunState, StoredRun
from services.journal.writer import Write, Writer

T = TypeVar("T")

KEY_FORMAT = 1
"""Counts up when the same question must no longer find its earlier answers."""


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


class Journal:
    """One open journal file. Methods raise JournalError; writes return once they are on disk.

    Processes may share a file. A run is written by one process at a time (`lock.hold_run`).
    """

    def __init__(self, path: Path, writer: Writer, reader: Reader) -> None:
        self.path = path
        self.writer = writer
        self.reader = reader

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
                    reader = Reader(path)
                except BaseException:
                    connection.close()
                    raise
        except (sqlite3.Error, OSError) as error:
            raise explained(path, error) from error
        return cls(path, Writer(path, connection), reader)

    def close(self) -> None:
        """Commits what is queued and leaves the file whole. May be called again."""
        # The reader first: the last connection to close folds the WAL into the file, and a reader may not.
        self.reader.close()
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
        self.reader.note_answered(run_id, key, request.cell.scenario_id)
        await self.writer.commit(write)

    async def record_result(self, run_id: str, result: Result, outbox: Iterable[Delivery] = ()) -> None:
        """Commits a result with its deliveries. A failed or skipped one may be replaced, any other stays."""
        await self.writer.commit(writes.result_of(run_id, result, outbox))

    def learn_trait(self, endpoint: str, model: str, trait: str, value: Json) -> None:
        """Stores a peculiarity of a model at an endpoint for later runs; blocks."""
        self.commit_now(writes.trait_of(endpoint, model, trait, value))

    def traits(self, endpoint: str) -> dict[str, dict[str, Json]]:
        """What was learned about an endpoint: model -> trait -> value."""
        return self.reader.traits(endpoint)

    def find_reply(self, run_id: str, key: str, request: Request) -> Reply | None:
        """What this run was answered at this position to this question. Costs no query when there is nothing."""
        return self.reader.find_reply(run_id, key, request)

    def find_reply_elsewhere(self, key: str, run_id: str = "") -> Reply | None:
        """What any other run was answered to this question, marked as cached."""
        reply = self.reader.find_reply_elsewhere(key, run_id)
        return None if reply is None else replace(reply, cached=True)

    def replies(self, run_id: str, purpose: Purpose) -> dict[tuple[str, int], Reply]:
        """(scenario id, sample) -> the newest reply that the run was given for this purpose. For small purposes."""
        return self.reader.replies(run_id, purpose)

    def answers(self, run_id: str, purpose: Purpose) -> dict[Place, Reply]:
        """(cell, turn, sample) -> the newest reply that the run was given for this purpose. For a run in memory."""
        return self.reader.answers(run_id, purpose)

    def copy_calls(self, from_run: str, to_run: str, purposes: Sequence[Purpose]) -> None:
        """Gives one run the answers of another for some purposes, paid for by that one; blocks."""
        self.commit_now(writes.copied_calls(from_run, to_run, purposes))

    def results(
        self, run_id: str, order: Sequence[str] = (), wanted: Collection[Position] | None = None
    ) -> Iterator[Result]:
        """The run's results, streamed: by scenario (in `order`, the rest by id), repeat and turn.

        Those in `wanted` alone where it is given: (scenario id, repeat, turn) of each.
        """
        return self.reader.results(run_id, order, wanted)

    def cell_results(self, run_id: str, cell: Cell) -> list[Result]:
        """The results of one cell, by turn."""
        return self.reader.results_by_cell(run_id, [cell])[cell]

    def results_by_cell(self, run_id: str, cells: Sequence[Cell]) -> dict[Cell, list[Result]]:
        """The results of each of some cells, by turn. For as many cells as fit in memory."""
        return self.reader.results_by_cell(run_id, cells)

    def final_positions(self, run_id: str) -> set[Position]:
        """(scenario id, repeat, turn) of every result that is scored or unparsed: what resuming leaves alone."""
        return self.reader.final_positions(run_id)

    def runs(self, limit: int | None = None, *, inputs: bool = True) -> Iterator[StoredRun]:
        """The newest `limit` runs, or all, newest first; their inputs, scenarios among them, only if wanted."""
        return self.reader.runs(limit, inputs=inputs)

    def run(self, run_id: str, *, inputs: bool = True) -> StoredRun:
        """One run, without its inputs if they are not wanted. Raises JournalError when there is none of that id."""
        return self.reader.run(run_id, inputs=inputs)

    def call_totals(self, run_id: str) -> dict[str, CallTotals]:
        """Purpose -> what its answered calls add up to in this run."""
        return self.reader.call_totals(run_id)

    def spent(self, run_id: str) -> float:
        """US dollars that the run has paid so far, as far as prices are known."""
        return self.reader.spent(run_id)
