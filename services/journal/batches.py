"""The batches of a pass, in the journal before anything is sent: what a process that goes on takes up again."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from services.journal.journal import Journal
from services.journal.rows import from_stored, to_stored
from services.journal.writer import Write, insert_into
from services.stored_batch import StoredBatch

_COLUMNS = ("group_id", "endpoint", "intent", "ids", "batch_id", "status", "at")
_INSERT = insert_into("batches", _COLUMNS)


@dataclass(frozen=True, slots=True)
class JournaledBatches:
    """Those of one group of runs at one endpoint."""

    journal: Journal
    group_id: str
    endpoint: str
    """Its identity."""

    def known(self) -> Sequence[StoredBatch]:
        """All that were intended and not dropped, the oldest first."""
        rows = self.journal.rows(
            "SELECT intent, ids, batch_id, status, at FROM batches WHERE group_id = ? AND endpoint = ? ORDER BY id",
            (to_stored(self.group_id), to_stored(self.endpoint)),
        )
        return [
            StoredBatch(intent, tuple(ids.split()), from_stored(batch_id), from_stored(status), at)
            for intent, ids, batch_id, status, at in rows
        ]

    async def intend(self, batch: StoredBatch) -> None:
        """Writes down a batch that is to be made."""
        row = (
            *(to_stored(self.group_id), to_stored(self.endpoint), batch.intent, " ".join(batch.ids)),
            *(to_stored(batch.batch_id), to_stored(batch.status), batch.intended_at),
        )
        await self.journal.commit(Write(rows=((_INSERT, row),)))

    async def note(self, intent: str, batch_id: str, status: str) -> None:
        """Writes down its id and how it stands."""
        values = (to_stored(batch_id), to_stored(status), *self._key(intent))
        await self._change("UPDATE batches SET batch_id = ?, status = ?", values)

    async def drop(self, intent: str) -> None:
        """Forgets a batch that the endpoint does not have."""
        await self._change("DELETE FROM batches", self._key(intent))

    def _key(self, intent: str) -> tuple[str | bytes, ...]:
        return to_stored(self.group_id), to_stored(self.endpoint), intent

    async def _change(self, statement: str, values: tuple[str | bytes, ...]) -> None:
        def work(cursor: sqlite3.Cursor) -> None:
            cursor.execute(f"{statement} WHERE group_id = ? AND endpoint = ? AND intent = ?", values)

        await self.journal.commit(Write(work=work))
