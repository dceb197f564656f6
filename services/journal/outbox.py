"""The outbox: what is to be delivered elsewhere, committed together with what it tells of.

pending -> acknowledged (taken) -> verified (read back), or rejected (refused for good), or unconfirmed (unknown
whether it arrived). Whoever delivers holds the lock named "delivery"; a claim therefore keeps other tasks of the same
process off, and what a dead process had claimed is claimed again, with a higher count of attempts.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from services.journal.reader import Reader
from services.journal.records import Delivery, DeliveryEntry, DeliveryState
from services.journal.rows import Row, from_column, loaded, stored
from services.journal.writer import Insert, Write
from services.json_text import to_json

_ENQUEUE = Insert("outbox", ("delivery_id", "run_id", "kind", "target", "payload"), "ON CONFLICT DO NOTHING")
_ENTRY = "id, delivery_id, run_id, kind, target, payload, state, reason, attempts"
_PAGE = 200


def enqueued_rows(deliveries: Iterable[Delivery]) -> list[tuple[Insert, Row]]:
    """The rows to add to a write; a delivery that is in the outbox already stays as it is."""
    return [
        (
            _ENQUEUE,
            (
                delivery.id,
                stored(delivery.run_id),
                stored(delivery.kind),
                stored(delivery.target),
                stored(to_json(delivery.payload)),
            ),
        )
        for delivery in deliveries
    ]


def enqueue(deliveries: Iterable[Delivery]) -> Write[None]:
    """Puts deliveries into the outbox, in order."""
    return Write(rows=enqueued_rows(deliveries))


def claim(
    claimer: str, limit: int, *, run_id: str | None = None, kinds: Sequence[str] = ()
) -> Write[tuple[DeliveryEntry, ...]]:
    """Takes up to `limit` pending deliveries that `claimer` has not taken yet, oldest first.

    `claimer` names one delivering process; `run_id` and `kinds` narrow what is taken.
    """
    condition, values = _conditions(("pending",), run_id, kinds)

    def work(cursor: sqlite3.Cursor) -> tuple[DeliveryEntry, ...]:
        rows = cursor.execute(
            f"SELECT {_ENTRY} FROM outbox WHERE {condition} AND claimed_by <> ? ORDER BY id LIMIT ?",
            (*values, stored(claimer), limit),
        ).fetchall()
        cursor.executemany(
            "UPDATE outbox SET claimed_by = ?, attempts = attempts + 1 WHERE id = ?",
            [(stored(claimer), row[0]) for row in rows],
        )
        return tuple(_entry((*row[:-1], row[-1] + 1)) for row in rows)

    return Write(work=work)


def mark(delivery_ids: Iterable[str], state: DeliveryState, reason: str = "") -> Write[None]:
    """Records what became of deliveries. Marking them pending puts them back, to be claimed again."""
    values = [(state, stored(reason), delivery_id) for delivery_id in delivery_ids]

    def work(cursor: sqlite3.Cursor) -> None:
        cursor.executemany(
            "UPDATE outbox SET state = ?, reason = ?, claimed_by = '' WHERE delivery_id = ?",
            values,
        )

    return Write(work=work)


def counts(reader: Reader, run_id: str | None = None) -> dict[DeliveryState, int]:
    """How many deliveries stand in each state, of one run or of all; every state is there."""
    result: dict[DeliveryState, int] = dict.fromkeys(
        ("pending", "acknowledged", "verified", "rejected", "unconfirmed"), 0
    )
    where, values = ("", ()) if run_id is None else ("WHERE run_id = ?", (stored(run_id),))
    result.update(reader.rows(f"SELECT state, count(*) FROM outbox {where} GROUP BY state", values))
    return result


def entries(reader: Reader, states: Sequence[DeliveryState], run_id: str | None = None) -> Iterator[DeliveryEntry]:
    """Deliveries in any of the states, oldest first, page by page."""
    condition, values = _conditions(states, run_id, ())
    last = 0
    while rows := reader.rows(
        f"SELECT {_ENTRY} FROM outbox WHERE {condition} AND id > ? ORDER BY id LIMIT {_PAGE}", (*values, last)
    ):
        last = rows[-1][0]
        yield from map(_entry, rows)


def _conditions(states: Sequence[str], run_id: str | None, kinds: Sequence[str]) -> tuple[str, list[Any]]:
    conditions = [f"state IN ({', '.join('?' * len(states))})"]
    values: list[Any] = [*states]
    if run_id is not None:
        conditions.append("run_id = ?")
        values.append(stored(run_id))
    if kinds:
        conditions.append(f"kind IN ({', '.join('?' * len(kinds))})")
        values.extend(map(stored, kinds))
    return " AND ".join(conditions), values


def _entry(row: Row) -> DeliveryEntry:
    _, delivery_id, run_id, kind, target, payload, state, reason, attempts = row
    delivery = Delivery(loaded(run_id), loaded(kind), loaded(target), from_column(payload))
    return DeliveryEntry(delivery_id, delivery, state, loaded(reason), attempts)
