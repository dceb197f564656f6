"""The tables of the journal, as numbered migrations that are applied once and recorded."""

import sqlite3
import time
from pathlib import Path

from evaluation.commands import write_command
from evaluation.errors import JournalError

APPLICATION_ID = 0x45564A4C
"""Marks the SQLite file as a journal ("EVJL")."""

_FIRST = (
    """
    CREATE TABLE bodies (
        hash TEXT PRIMARY KEY,       -- SHA-256 in hex of the UTF-8 text (surrogates passed through)
        text NOT NULL                -- TEXT; a BLOB of the same bytes when the text is not valid Unicode
    )
    """,
    """
    CREATE TABLE runs (
        id INTEGER PRIMARY KEY,
        run_id TEXT NOT NULL UNIQUE,
        group_id TEXT NOT NULL,
        parent_run_id TEXT,
        suite TEXT NOT NULL,
        created_at REAL NOT NULL,
        spec TEXT NOT NULL,          -- JSON
        arguments TEXT NOT NULL,     -- JSON
        inputs TEXT NOT NULL,        -- JSON, name -> hash of its body
        state TEXT NOT NULL,         -- running | finished | incomplete
        finished_at REAL,
        extra TEXT NOT NULL          -- JSON
    )
    """,
    "CREATE INDEX runs_by_age ON runs (created_at)",
    """
    CREATE TABLE calls (
        id INTEGER PRIMARY KEY,
        run_id TEXT NOT NULL,
        key TEXT NOT NULL,
        purpose TEXT NOT NULL,
        scenario_id TEXT NOT NULL,
        repeat INTEGER NOT NULL,
        turn INTEGER NOT NULL,
        sample INTEGER NOT NULL,
        model TEXT NOT NULL,         -- as asked for
        messages TEXT NOT NULL,      -- JSON, [[role, hash of its body], ...], with calls of tools [role, hash, {...}]
        answered_by TEXT NOT NULL,   -- the model that the endpoint says answered
        parameters TEXT NOT NULL,    -- JSON, as sent
        response TEXT NOT NULL,      -- hash of its body
        finish_reason TEXT NOT NULL,
        input_tokens INTEGER,
        output_tokens INTEGER,
        started_at REAL NOT NULL,
        ended_at REAL NOT NULL,
        attempts INTEGER NOT NULL,
        cost_usd REAL,
        cached INTEGER NOT NULL      -- 1: taken over from another run, not paid for by this one
    )
    """,
    "CREATE INDEX calls_by_run ON calls (run_id)",
    "CREATE INDEX calls_by_key ON calls (key, run_id)",
    """
    CREATE TABLE results (
        id INTEGER PRIMARY KEY,
        run_id TEXT NOT NULL,
        scenario_id TEXT NOT NULL,
        repeat INTEGER NOT NULL,
        turn INTEGER NOT NULL,
        state TEXT NOT NULL,         -- scored | failed | unparsed | skipped
        record TEXT NOT NULL,        -- JSON, see rows.py
        UNIQUE (run_id, scenario_id, repeat, turn)
    )
    """,
    """
    CREATE TABLE traits (
        endpoint TEXT NOT NULL,
        model TEXT NOT NULL,
        trait TEXT NOT NULL,
        value TEXT NOT NULL,         -- JSON
        PRIMARY KEY (endpoint, model, trait)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE outbox (
        id INTEGER PRIMARY KEY,      -- the order of delivery
        delivery_id TEXT NOT NULL UNIQUE,
        run_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        target TEXT NOT NULL,
        payload TEXT NOT NULL,       -- JSON
        state TEXT NOT NULL DEFAULT 'pending',
        reason TEXT NOT NULL DEFAULT '',
        attempts INTEGER NOT NULL DEFAULT 0,
        claimed_by TEXT NOT NULL DEFAULT ''
    )
    """,
    "CREATE INDEX outbox_by_state ON outbox (state, id)",
    "CREATE INDEX outbox_by_run ON outbox (run_id, state)",
)

_ENTRIES = "CREATE TABLE entries (id INTEGER PRIMARY KEY, kind, name, group_id, record)"
"""The highest id is the line that was noted last. The kind is run, comparison, night or sweep; the name the id of the
run, of the candidate, of the night or of the group; the group that of a sweep, whose line goes with the last of its
runs, else empty; the record JSON, see evaluation/reports/entries.py. In few words and without an index: a schema of
more than a page is spread over several, and a journal that is damaged there is harder to save."""

_BATCHES = "CREATE TABLE batches (id INTEGER PRIMARY KEY, group_id, intent, record)"
"""The intent is a digest of the batch, the record JSON: see batches.py. In few words for the same reason."""

MIGRATIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("bodies, runs, calls, results, traits, outbox", _FIRST),
    ("name a run's provenance", ("ALTER TABLE runs RENAME COLUMN extra TO provenance",)),
    (
        "input from the provider's cache, and what it saved",
        (
            "ALTER TABLE calls ADD COLUMN cached_input_tokens INTEGER",
            "ALTER TABLE calls ADD COLUMN saved_usd REAL NOT NULL DEFAULT 0",
        ),
    ),
    ("how likely each number of an answer was", ("ALTER TABLE calls ADD COLUMN numbers TEXT",)),
    # Nothing to change: an earlier program would take such a row for a turn that was never planned.
    ("results of whole conversations, at turn 0", ()),
    ("the calls of tools that an answer asked for", ("ALTER TABLE calls ADD COLUMN tool_calls TEXT",)),
    ("the raw call to an application, and its session", ("ALTER TABLE calls ADD COLUMN http TEXT",)),
    ("the lines of the index of all runs, comparisons, nights and sweeps", (_ENTRIES,)),
    ("calls that go in batches", (_BATCHES,)),
)
"""(what it does, statements), version 1 first. A migration that was released is never changed."""
ADDED_COLUMNS = {"calls": (None, 0.0, None, None, None)}
"""Table -> values of the columns that migrations put at its end, in the rows that were written before."""


_HEADER = b"SQLite format 3\0"


def refuse_other_files(path: Path) -> None:
    """Raises JournalError when the file holds something that is no database; SQLite would overwrite a short one."""
    with path.open("rb") as file:
        start = file.read(len(_HEADER))
    if start and start != _HEADER:
        raise JournalError(
            f"{path}: this is not a journal, or it is damaged (starts with {start!r}): "
            "move it away, name another file for the journal, or save what can be read with "
            f"{write_command('runs', 'recover')}"
        )


def prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Brings the file to the newest version; a no-op when it is there. The caller holds the opening lock.

    Raises JournalError when the file is another program's or a newer version's, sqlite3.Error when it is unusable.
    """
    version = _version(connection, path)
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        connection.execute("PRAGMA journal_mode = WAL")
    if version == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        _migrate(connection, version)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def refuse_older(connection: sqlite3.Connection, path: Path) -> None:
    """Raises JournalError for a journal that is not written to, and whose tables are of another version."""
    version = _version(connection, path)
    if version < len(MIGRATIONS):
        raise JournalError(
            f"{path}: the journal has schema version {version}, this program reads {len(MIGRATIONS)}: bring it there "
            f"with EVAL_RUNS_DIR={path.parent} {write_command('runs')}"
        )


def _version(connection: sqlite3.Connection, path: Path) -> int:
    """The number of migrations that the file has seen."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if application != APPLICATION_ID and tables:
        raise JournalError(f"{path}: this SQLite file belongs to another program: name another file for the journal")
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > len(MIGRATIONS):
        raise JournalError(
            f"{path}: the journal has schema version {version}, this program knows up to {len(MIGRATIONS)}: "
            "update the program, or name another file for the journal"
        )
    return version


def _migrate(connection: sqlite3.Connection, version: int) -> None:
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(
        "CREATE TABLE IF NOT EXISTS migrations "
        "(version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at REAL NOT NULL)"
    )
    for number, (name, statements) in enumerate(MIGRATIONS[version:], start=version + 1):
        for statement in statements:
            connection.execute(statement)
        connection.execute("INSERT INTO migrations VALUES (?, ?, ?)", (number, name, time.time()))
        connection.execute(f"PRAGMA user_version = {number}")
