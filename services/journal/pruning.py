"""Taking runs out of the journal, with the texts that nobody else uses."""

import sqlite3
from collections.abc import Sequence

from services.journal.rows import stored
from services.journal.writer import Write

_TABLES = ("calls", "results", "outbox", "runs")
_REFERENCES = (
    "SELECT response FROM calls",
    "SELECT value FROM calls, json_tree(calls.messages) WHERE json_tree.type = 'text'",
    "SELECT value FROM results, json_tree(results.record) WHERE json_tree.type = 'text' AND length(value) = 64",
    "SELECT value FROM runs, json_tree(runs.inputs) WHERE json_tree.type = 'text'",
)
"""Everything that names a body; a text of 64 characters that is no hash does no harm."""


def remove_runs(run_ids: Sequence[str]) -> Write[int]:
    """Removes runs with their calls, results and deliveries. Returns how many runs there were.

    Verdicts that only these runs held can no longer be reused.
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
