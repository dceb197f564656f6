"""The outbox: what is to be delivered elsewhere, committed together with what it is about.

pending -> acknowledged (taken) -> verified (read back), or rejected (refused for good), or unconfirmed (unknown
whether it arrived). Whoever delivers holds the lock named "delivery"; a claim therefore keeps other tasks of the same
process off, and what a dead process had claimed is claimed again, with a higher count of attempts.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from evaluation.records import Json
from evaluation.runspec import digest
from services.journal.reader import Reader
from services.journal.rows import from_column, from_stored, to_stored
from services.journal.writer import Row, Write, insert_into
from services.json_text import to_json

DeliveryState: TypeAlias = Literal["pending", "acknowledged", "verified", "rejected", "unconfirmed"]
Mark: TypeAlias = tuple[str, DeliveryState, str]
"""Delivery id, its new state, and the reason; empty where there is nothing to say."""

ALL: tuple[DeliveryState, ...] = get_args(DeliveryState)
OPEN: tuple[DeliveryState, ...] = ("pending", "acknowledged", "unconfirmed")
"""States in which something is left to do."""
_ENQUEUE = insert_into("outbox", ("delivery_id", "run_id", "kind", "target", "payload"), "ON CONFLICT DO NOTHING")
_ENTRY = "id, delivery_id, run_id, kind, target, payload, state, reason, attempts"
_PAGE = 200


@dataclass(frozen=True, slots=True)
class Delivery:
    """One thing to deliver elsewhere, committed together with what it is about."""

    run_id: str
    kind: str
    target: str
    """Id of what is made or changed there; with run and kind it makes the delivery unique."""
    payload: Json

    @property
    def id(self) -> str:
        """The same for the same run, kind and target: enqueuing twice is enqueuing once."""
        return digest([self.run_id, self.kind, self.target])


@dataclass(frozen=True, slots=True)
class DeliveryEntry:
    """A delivery as it stands in the outbox."""

    id: str
    delivery: Delivery
    state: DeliveryState
    reason: str
    """Why it was rejected or could not be confirmed; empty otherwise."""
    attempts: int
    """The number of times it was claimed. Above 1: an earlier attempt ended without a known outcome or was put back."""


def enqueued_rows(deliveries: Iterable[Delivery]) -> list[tuple[str, Row]]:
    """The rows to add to a write; a delivery that is in the outbox already stays as it is."""
    return [
        (
            _ENQUEUE,
            (
                each.id,
                to_stored(each.run_id),
                to_stored(each.kind),
                to_stored(each.target),
                to_stored(to_json(each.payload)),
            ),
        )
        for each in deliveries
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
            (*values, to_stored(claimer), limit),
        ).fetchall()
        cursor.executemany(
            "UPDATE outbox SET claimed_by = ?, attempts = attempts + 1 WHERE id = ?",
            [(to_stored(claimer), row[0]) for row in rows],
        )
        return tuple(_entry((*row[:-1], row[-1] + 1)) for row in rows)

    return Write(work=work)


def mark(marks: Iterable[Mark], added: Iterable[Delivery] = ()) -> Write[None]:
    """Records what became of deliveries, of those `added` too. Pending ones are back, to be claimed again."""
    values = [(state, to_stored(reason), delivery_id) for delivery_id, state, reason in marks]

    def work(cursor: sqlite3.Cursor) -> None:
        cursor.executemany(
            "UPDATE outbox SET state = ?, reason = ?, claimed_by = '' WHERE delivery_id = ?",
            values,
        )

    return Write(rows=enqueued_rows(added), work=work)


def counts(reader: Reader, run_id: str | None = None) -> dict[DeliveryState, int]:
    """The number of deliveries in each state, of one run or of all; every state is there."""
    condition, values = _conditions(ALL, run_id)
    found = reader.rows(f"SELECT state, count(*) FROM outbox WHERE {condition} GROUP BY state", values)
    return {**dict.fromkeys(ALL, 0), **dict(found)}


def entries(
    reader: Reader, states: Sequence[DeliveryState] = ALL, run_id: str | None = None, kinds: Sequence[str] = ()
) -> Iterator[DeliveryEntry]:
    """Deliveries in any of the states, oldest first, page by page; `run_id` and `kinds` narrow them."""
    condition, values = _conditions(states, run_id, kinds)
    last = 0
    while rows := reader.rows(
        f"SELECT {_ENTRY} FROM outbox WHERE {condition} AND id > ? ORDER BY id LIMIT {_PAGE}", (*values, last)
    ):
        last = rows[-1][0]
        yield from map(_entry, rows)


def find(reader: Reader, delivery: Delivery) -> DeliveryEntry | None:
    """A delivery as it stands in the outbox, whatever its payload; None where it is not there."""
    rows = reader.rows(f"SELECT {_ENTRY} FROM outbox WHERE delivery_id = ?", (delivery.id,))
    return _entry(rows[0]) if rows else None


def open_runs(reader: Reader) -> list[str]:
    """Runs that have something left to deliver or to verify, oldest first."""
    condition, values = _conditions(OPEN)
    found = reader.rows(f"SELECT run_id FROM outbox WHERE {condition} GROUP BY run_id ORDER BY min(id)", values)
    return [from_stored(run_id) for (run_id,) in found]


def _conditions(states: Sequence[str], run_id: str | None = None, kinds: Sequence[str] = ()) -> tuple[str, list[Any]]:
    conditions = [f"state IN ({', '.join('?' * len(states))})"]
    values: list[Any] = [*states]
    if run_id is not None:
        conditions.append("run_id = ?")
        values.append(to_stored(run_id))
    if kinds:
        conditions.append(f"kind IN ({', '.join('?' * len(kinds))})")
        values.extend(map(to_stored, kinds))
    return " AND ".join(conditions), values


def _entry(row: Row) -> DeliveryEntry:
    _, delivery_id, run_id, kind, target, payload, state, reason, attempts = row
    delivery = Delivery(from_stored(run_id), from_stored(kind), from_stored(target), from_column(payload))
    return DeliveryEntry(delivery_id, delivery, state, from_stored(reason), attempts)
