"""What one journal holds of a run, written into a run of another: calls, results and the texts that they name."""

import sqlite3
from collections.abc import Iterator
from typing import Any

from services.journal.journal import Journal
from services.journal.reader import Reader
from services.journal.rows import CALL_COLUMNS, RESULT_COLUMNS, to_stored
from services.journal.writer import Write, insert_into

_BODIES = """
    SELECT hash, text FROM bodies WHERE hash IN (
        SELECT response FROM calls WHERE run_id = :run
        UNION SELECT value FROM calls, json_tree(calls.messages) WHERE run_id = :run AND json_tree.type = 'text'
        UNION SELECT value FROM results, json_tree(results.record)
            WHERE run_id = :run AND json_tree.type = 'text' AND length(value) = 64)
"""


def take_over(journal: Journal, source: Reader, from_run: str, to_run: str) -> None:
    """Copies the calls and results of a run in `source`, all or nothing; blocks.

    A result whose place is taken stays as it is.
    """

    def work(cursor: sqlite3.Cursor) -> None:
        with source.reading() as reading:
            values = {"run": to_stored(from_run)}
            cursor.executemany(
                insert_into("bodies", ("hash", "text"), "ON CONFLICT DO NOTHING"), reading.execute(_BODIES, values)
            )
            for table, columns in (("calls", CALL_COLUMNS), ("results", RESULT_COLUMNS)):
                rows = reading.execute(
                    f"SELECT {', '.join(columns)} FROM {table} WHERE run_id = :run ORDER BY id", values
                )
                cursor.executemany(insert_into(table, columns, "ON CONFLICT DO NOTHING"), _renamed(rows, to_run))

    journal.commit_now(Write(work=work))


def _renamed(rows: sqlite3.Cursor, run_id: str) -> Iterator[tuple[Any, ...]]:
    """The rows under another run, whose id is their first column."""
    for _, *rest in rows:
        yield (to_stored(run_id), *rest)
