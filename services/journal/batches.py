"""The batches of a pass, in the journal before anything is sent: what a process that goes on takes up again."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from services.journal.journal import Journal
from services.journal.rows import from_column, from_stored, to_stored
from services.journal.writer import Write, insert_into
from services.json_text import to_json
from services.stored_batch import StoredBatch

COLUMNS = ("group_id", "intent", "record")
LOST = "lost"
"""In the place of an intent: batches of the pass may be missing, those made since a time."""
_INSERT = insert_into("batches", COLUMNS)


@dataclass(frozen=True, slots=True)
class JournaledBatches:
    """Those of one group of runs at one endpoint."""

    journal: Journal
    group_id: str
    endpoint: str
    """Its identity."""

    def known(self) -> Sequence[StoredBatch]:
        """All that were intended and not dropped, the oldest first."""
        return [_batch(record) for record in self._records() if record.get("endpoint") == self.endpoint]

    def of_others(self) -> dict[str, int]:
        """Group -> calls in batches that it has not read to the end, of the other groups at this endpoint."""
        found: dict[str, int] = {}
        for group, record in self.journal.rows("SELECT group_id, record FROM batches WHERE intent != ?", (LOST,)):
            name, held = from_stored(group), from_column(record)
            if name != self.group_id and held.get("endpoint") == self.endpoint:
                found[name] = found.get(name, 0) + len(held["ids"])
        return found

    def lost_since(self) -> float | None:
        """From when on batches may be missing, in seconds since the epoch; None where none are.

        A recovered journal says so of each pass that was not finished, until its endpoint was asked.
        """
        held = [record for record in self._records() if "since" in record and self.endpoint not in record["asked"]]
        return min((float(record["since"]) for record in held), default=None)

    async def found(self, batches: Sequence[StoredBatch]) -> None:
        """Writes down what was missing, and that this endpoint was asked for it."""

        def work(cursor: sqlite3.Cursor) -> None:
            of = (to_stored(self.group_id), LOST)
            rows = cursor.execute("SELECT id, record FROM batches WHERE group_id = ? AND intent = ?", of).fetchall()
            for row_id, record in rows:
                held = from_column(record)
                asked = to_stored(to_json({**held, "asked": [*held["asked"], self.endpoint]}))
                cursor.execute("UPDATE batches SET record = ? WHERE id = ?", (asked, row_id))
            cursor.executemany(_INSERT, [(of[0], batch.intent, self._record(batch)) for batch in batches])

        await self.journal.commit(Write(work=work))

    async def intend(self, batch: StoredBatch) -> None:
        """Writes down a batch that is to be made."""
        row = (to_stored(self.group_id), batch.intent, self._record(batch))
        await self.journal.commit(Write(rows=((_INSERT, row),)))

    async def note(self, intent: str, batch_id: str, status: str) -> None:
        """Writes down its id and how it stands."""

        def work(cursor: sqlite3.Cursor) -> None:
            for row_id, record in cursor.execute(
                "SELECT id, record FROM batches WHERE intent = ?", (intent,)
            ).fetchall():
                batch = replace(_batch(from_column(record)), batch_id=batch_id, status=status)
                cursor.execute("UPDATE batches SET record = ? WHERE id = ?", (self._record(batch), row_id))

        await self.journal.commit(Write(work=work))

    async def drop(self, intent: str) -> None:
        """Forgets a batch that the endpoint does not have."""

        def work(cursor: sqlite3.Cursor) -> None:
            cursor.execute("DELETE FROM batches WHERE intent = ?", (intent,))

        await self.journal.commit(Write(work=work))

    def _records(self) -> list[Mapping[str, Any]]:
        """What the journal holds of the pass, the oldest first: batches, and that some may be missing."""
        sql = "SELECT record FROM batches WHERE group_id = ? ORDER BY id"
        return [from_column(record) for (record,) in self.journal.rows(sql, (to_stored(self.group_id),))]

    def _record(self, batch: StoredBatch) -> str | bytes:
        return to_stored(to_json({**asdict(batch), "endpoint": self.endpoint}))


def lost_row(group_id: str, since: float) -> tuple[str | bytes, ...]:
    """The row that says of a pass that batches of it may be missing, made `since` (seconds since the epoch)."""
    return to_stored(group_id), LOST, to_stored(to_json({"since": since, "asked": []}))


def _batch(record: Mapping[str, Any]) -> StoredBatch:
    fields = {name: record[name] for name in StoredBatch.__slots__ if name != "ids"}
    return StoredBatch(**fields, ids=tuple(record["ids"]))
