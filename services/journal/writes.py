"""The writes that the journal knows, as values: to be committed alone or together with others."""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from evaluation.errors import JournalError
from evaluation.records import Json, Purpose, Reply, Request, Result
from evaluation.run import Run
from evaluation.stored_inputs import texts_of
from services.journal.outbox import enqueued_rows
from services.journal.records import Delivery, RunState
from services.journal.rows import Bodies, call_row, result_row, stored
from services.journal.writer import Write, insert_into
from services.json_text import to_json

CALL_COLUMNS = (
    *("run_id", "key", "purpose", "scenario_id", "repeat", "turn", "sample", "model", "messages", "answered_by"),
    *("parameters", "response", "finish_reason", "input_tokens", "output_tokens", "started_at", "ended_at"),
    *("attempts", "cost_usd", "cached"),
)
_CALLS = insert_into("calls", CALL_COLUMNS)
_RESULTS = insert_into(
    "results",
    ("run_id", "scenario_id", "repeat", "turn", "state", "record"),
    "ON CONFLICT (run_id, scenario_id, repeat, turn) DO UPDATE SET state = excluded.state, record = excluded.record "
    "WHERE results.state NOT IN ('scored', 'unparsed')",
)
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
_TABLES = ("calls", "results", "outbox", "runs")
"""Those with rows of runs."""
_REFERENCES = (
    "SELECT response FROM calls",
    "SELECT value FROM calls, json_tree(calls.messages) WHERE json_tree.type = 'text'",
    "SELECT value FROM results, json_tree(results.record) WHERE json_tree.type = 'text' AND length(value) = 64",
    "SELECT value FROM runs, json_tree(runs.inputs) WHERE json_tree.type = 'text'",
)
"""Everything that names a body; a text of 64 characters that is no hash does no harm."""


def new_run(run: Run) -> Write[None]:
    """Adds a run. Refused when the id is taken: a run is never rewritten."""
    bodies = Bodies()
    inputs = {name: bodies.add(text) for name, text in texts_of(run)}
    row = (
        stored(run.run_id),
        stored(run.group_id),
        None if run.parent_run_id is None else stored(run.parent_run_id),
        stored(run.spec.suite),
        run.created_at,
        stored(to_json(asdict(run.spec))),
        stored(to_json(asdict(run.request))),
        stored(to_json(inputs)),
        "running",
        None,
        stored(to_json(run.provenance)),
    )

    def work(cursor: sqlite3.Cursor) -> None:
        if cursor.execute("SELECT 1 FROM runs WHERE run_id = ?", row[:1]).fetchall():
            raise JournalError(f"run {run.run_id!r} is in the journal already: resume it, or start one of another id")
        cursor.execute(_RUNS, row)

    return Write(bodies=bodies, work=work)


def run_state(run_id: str, state: RunState, finished_at: float | None) -> Write[None]:
    """Sets how the run stands. Refused when there is no such run."""

    def work(cursor: sqlite3.Cursor) -> None:
        values = (state, finished_at, stored(run_id))
        if not cursor.execute("UPDATE runs SET state = ?, finished_at = ? WHERE run_id = ?", values).rowcount:
            raise JournalError(f"there is no run {run_id!r} in the journal: `make runs` lists what exists")

    return Write(work=work)


def reply_of(run_id: str, key: str, request: Request, reply: Reply) -> Write[None]:
    """Adds an answered call."""
    bodies = Bodies()
    row = call_row(run_id, key, request, reply, bodies)
    return Write(bodies, ((_CALLS, row),))


def copied_calls(from_run: str, to_run: str, purposes: Sequence[Purpose]) -> Write[None]:
    """Adds one run's answered calls of some purposes to another: cached, at no cost."""
    taken = {"run_id": "?", "cost_usd": "0.0", "cached": "1"}
    values = ", ".join(taken.get(column, column) for column in CALL_COLUMNS)
    sql = (
        f"INSERT INTO calls ({', '.join(CALL_COLUMNS)}) SELECT {values} FROM calls "
        f"WHERE run_id = ? AND purpose IN ({', '.join('?' * len(purposes))}) ORDER BY id"
    )

    def work(cursor: sqlite3.Cursor) -> None:
        cursor.execute(sql, (stored(to_run), stored(from_run), *purposes))

    return Write(work=work)


def result_of(run_id: str, result: Result, outbox: Iterable[Delivery] = ()) -> Write[None]:
    """Adds a result, or replaces one that was not final, with its deliveries. Scored and unparsed are final."""
    bodies = Bodies()
    row = result_row(run_id, result, bodies)
    return Write(bodies, ((_RESULTS, row), *enqueued_rows(outbox)))


def trait_of(endpoint: str, model: str, trait: str, value: Json) -> Write[None]:
    """Adds or replaces a learned peculiarity of a model at an endpoint."""
    return Write(rows=((_TRAITS, (stored(endpoint), stored(model), stored(trait), stored(to_json(value)))),))


def remove_runs(run_ids: Sequence[str]) -> Write[int]:
    """Removes runs with their calls, results and deliveries, and the texts that nobody else uses.

    Returns how many runs there were. Verdicts that only these runs held can no longer be reused.
    """

    def work(cursor: sqlite3.Cursor) -> int:
        removed = 0
        for run_id in run_ids:
            for table in _TABLES:
                count = cursor.execute(f"DELETE FROM {table} WHERE run_id = ?", (stored(run_id),)).rowcount
                removed += count if table == "runs" else 0
        cursor.execute(f"DELETE FROM bodies WHERE hash NOT IN ({' UNION '.join(_REFERENCES)})")
        return removed

    return Write(work=work)
