"""The journal: every answered call, result and delivery, committed before anything else is done with it."""

import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from evaluation.commands import write_command
from evaluation.errors import JournalError
from evaluation.records import Json, Purpose, Reply, Request, Result
from evaluation.run import Run, texts_of
from evaluation.runspec import digest
from services.journal import schema
from services.journal.access import (
    connect_for_writing,
    create_private_file,
    explain,
    hold,
)
from services.journal.outbox import Delivery, enqueued_rows
from services.journal.reader import Reader, RunState
from services.journal.rows import CALL_COLUMNS, Bodies, reply_of, result_of, to_stored, tool_part
from services.journal.writer import Write, Writer, insert_into
from services.json_text import to_json
from services.run_folder import make_private_directory

T = TypeVar("T")

KEY_FORMAT = 1
"""Counts up when the same question must no longer find its earlier answers."""
_TRAITS = insert_into(
    "traits",
    ("endpoint", "model", "trait", "value"),
    "ON CONFLICT (endpoint, model, trait) DO UPDATE SET value = excluded.value",
)
_RUNS = insert_into(
    "runs",
    (
        *("run_id", "group_id", "parent_run_id", "suite", "created_at", "spec", "arguments", "inputs", "state"),
        *("finished_at", "provenance"),
    ),
)
_ENTRIES = insert_into("entries", ("kind", "name", "group_id", "record"))
_TABLES = ("calls", "results", "outbox", "runs")
"""Those with rows of runs."""
_REFERENCES = (
    "SELECT response FROM calls",
    "SELECT value FROM calls, json_tree(calls.messages) WHERE json_tree.type = 'text'",
    "SELECT value FROM results, json_tree(results.record) WHERE json_tree.type = 'text' AND length(value) = 64",
    "SELECT value FROM runs, json_tree(runs.inputs) WHERE json_tree.type = 'text'",
)
"""Everything that names a body; a text of 64 characters that is no hash does no harm."""


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
            "messages": [[message.role, message.content, *tool_part(message)] for message in request.messages],
            "repeat": request.cell.repeat,
            "turn": request.turn,
            "sample": request.sample,
        }
    )


class Journal(Reader):
    """One open journal file. Methods raise JournalError; writes return once they are on disk.

    Processes may share a file. A run is written by one process at a time (`access.hold_run`).
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
            raise explain(path, error) from error

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
        """Commits a write (one of `outbox`, or of this module) together with whatever else is queued."""
        return await self.writer.commit(write)

    def commit_now(self, write: Write[T]) -> T:
        """The same for code outside an event loop."""
        return self.writer.commit_now(write)

    def create_run(self, run: Run) -> None:
        """Adds the run; blocks until it is on disk. Refused when the id is taken: a run is never rewritten."""
        bodies = Bodies()
        inputs = {name: bodies.add(text) for name, text in texts_of(run)}
        row = (
            to_stored(run.run_id),
            to_stored(run.group_id),
            None if run.parent_run_id is None else to_stored(run.parent_run_id),
            to_stored(run.spec.suite),
            run.created_at,
            to_stored(to_json(asdict(run.spec))),
            to_stored(to_json(asdict(run.request))),
            to_stored(to_json(inputs)),
            "running",
            None,
            to_stored(to_json(run.provenance)),
        )

        def work(cursor: sqlite3.Cursor) -> None:
            if cursor.execute("SELECT 1 FROM runs WHERE run_id = ?", row[:1]).fetchall():
                raise JournalError(
                    f"run {run.run_id!r} is in the journal already: resume it, or start one of another id"
                )
            cursor.execute(_RUNS, row)

        self.commit_now(Write(bodies=bodies, work=work))

    def finish_run(self, run_id: str, state: RunState, finished_at: float | None = None) -> None:
        """Sets how the run ended; blocks. `finished_at` in seconds since the epoch, now when it is not given."""
        self._set_state(run_id, state, time.time() if finished_at is None else finished_at)

    def resume_run(self, run_id: str) -> None:
        """Sets the run to running again; blocks."""
        self._set_state(run_id, "running", None)

    def _set_state(self, run_id: str, state: RunState, finished_at: float | None) -> None:
        """Refused when there is no such run."""

        def work(cursor: sqlite3.Cursor) -> None:
            values = (state, finished_at, to_stored(run_id))
            if not cursor.execute("UPDATE runs SET state = ?, finished_at = ? WHERE run_id = ?", values).rowcount:
                raise JournalError(
                    f"there is no run {run_id!r} in the journal: see what exists with {write_command('runs')}"
                )

        self.commit_now(Write(work=work))

    def note_entry(self, kind: str, name: str, record: Mapping[str, Json], group_id: str = "") -> None:
        """Notes a line of the index in the place of an earlier one of that kind and name; blocks.

        `group_id` is that of a sweep.
        """
        row = (kind, to_stored(name), to_stored(group_id), to_stored(to_json(record)))

        def work(cursor: sqlite3.Cursor) -> None:
            # Noted again it is the newest, and has the highest id.
            cursor.execute("DELETE FROM entries WHERE kind = ? AND name = ?", row[:2])
            cursor.execute(_ENTRIES, row)

        self.commit_now(Write(work=work))

    async def record_reply(self, run_id: str, key: str, request: Request, reply: Reply) -> None:
        """Commits an answered call."""
        await self.record_replies(run_id, [(key, request, reply)])

    async def record_replies(self, run_id: str, answered: Sequence[tuple[str, Request, Reply]]) -> None:
        """Commits answered calls, each with its key, all or none."""
        writes = [reply_of(run_id, *each) for each in answered]
        for key, request, _ in answered:
            # Before the commit: a caller cancelled meanwhile must not leave a committed reply unfindable.
            self.note_answered(run_id, key, request.cell.scenario_id)
        bodies = {key: text for write in writes for key, text in write.bodies.items()}
        await self.writer.commit(Write(bodies, tuple(row for write in writes for row in write.rows)))

    async def record_result(
        self, run_id: str, result: Result, outbox: Iterable[Delivery] = (), *, judged_again: bool = False
    ) -> None:
        """Commits a result with its deliveries. A failed or skipped one may be replaced, any other stays.

        `judged_again` says that its judge was asked once more, as the verdict could not be read: that is replaced too.
        """
        await self.writer.commit(result_of(run_id, result, enqueued_rows(outbox), judged_again=judged_again))

    def learn_trait(self, endpoint: str, model: str, trait: str, value: Json) -> None:
        """Stores a peculiarity of a model at an endpoint for later runs; blocks."""
        row = (to_stored(endpoint), to_stored(model), to_stored(trait), to_stored(to_json(value)))
        self.commit_now(Write(rows=((_TRAITS, row),)))

    def copy_calls(self, from_run: str, to_run: str, purposes: Sequence[Purpose]) -> None:
        """Gives one run the answers of another for some purposes, paid for by that one; blocks."""
        taken = {"run_id": "?", "cost_usd": "0.0", "cached": "1"}
        values = ", ".join(taken.get(column, column) for column in CALL_COLUMNS)
        sql = (
            f"INSERT INTO calls ({', '.join(CALL_COLUMNS)}) SELECT {values} FROM calls "
            f"WHERE run_id = ? AND purpose IN ({', '.join('?' * len(purposes))}) ORDER BY id"
        )

        def work(cursor: sqlite3.Cursor) -> None:
            cursor.execute(sql, (to_stored(to_run), to_stored(from_run), *purposes))

        self.commit_now(Write(work=work))

    def remove_runs(self, run_ids: Sequence[str]) -> None:
        """Removes runs with their calls, results and deliveries, and the texts that nobody else uses; blocks.

        With them go their lines of the index, and those of comparisons and sweeps whose pages lay in their folders.
        Verdicts that only these runs held can no longer be reused.
        """

        def work(cursor: sqlite3.Cursor) -> None:
            for table in _TABLES:
                cursor.executemany(
                    f"DELETE FROM {table} WHERE run_id = ?", [(to_stored(run_id),) for run_id in run_ids]
                )
            for kind in ("run", "comparison"):
                cursor.executemany(
                    f"DELETE FROM entries WHERE kind = '{kind}' AND name = ?",
                    [(to_stored(run_id),) for run_id in run_ids],
                )
            cursor.execute("DELETE FROM entries WHERE kind = 'sweep' AND group_id NOT IN (SELECT group_id FROM runs)")
            cursor.execute("DELETE FROM batches WHERE group_id NOT IN (SELECT group_id FROM runs)")
            cursor.execute(f"DELETE FROM bodies WHERE hash NOT IN ({' UNION '.join(_REFERENCES)})")

        self.commit_now(Write(work=work))
