"""What delivery writes down in the outbox, and what a reader of it may conclude."""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping

from services.journal import Delivery, DeliveryEntry, DeliveryState, Journal
from services.journal.outbox import enqueued_rows, entries, mark
from services.journal.writer import Write
from services.langfuse.outgoing_run import REJECTED_SCORE

ALL: tuple[DeliveryState, ...] = ("pending", "acknowledged", "verified", "rejected", "unconfirmed")
OPEN: tuple[DeliveryState, ...] = ("pending", "acknowledged", "unconfirmed")
"""States in which something is left to do."""
_NOT_STORED = re.compile(r"not stored by attempt ([0-9]+): ")


def not_stored(entry: DeliveryEntry, message: str) -> str:
    """The reason that lets the next attempt go out at once: this one certainly had no effect."""
    return f"not stored by attempt {entry.attempts}: {message}"


def may_be_stored(entry: DeliveryEntry) -> bool:
    """Whether an earlier attempt may have arrived: every one before this that does not say otherwise."""
    match = _NOT_STORED.match(entry.reason)
    return entry.attempts > 1 and (match is None or int(match[1]) != entry.attempts - 1)


async def put_back(journal: Journal, returned: Iterable[DeliveryEntry], message: str, *, stored: bool) -> None:
    """Makes entries pending again; `stored` says whether they may have arrived."""
    for entry in returned:
        reason = message if stored else not_stored(entry, message)
        await journal.writer.commit(mark([entry.id], "pending", reason))


async def settle(journal: Journal, done: Iterable[DeliveryEntry], state: DeliveryState, reason: str = "") -> None:
    """Records what became of entries."""
    await journal.writer.commit(mark([entry.id for entry in done], state, reason))


async def settle_scores(
    journal: Journal, done: Iterable[DeliveryEntry], refused: Mapping[str, tuple[str, str, str]]
) -> None:
    """Acknowledges score entries, and keeps each refused score as an entry of its own.

    `refused`: score id -> (run id, name, reason).
    """
    kept = {
        score: Delivery(run_id, REJECTED_SCORE, score, {"name": name}) for score, (run_id, name, _) in refused.items()
    }
    marks = [mark([entry.id for entry in done], "acknowledged")]
    marks += [mark([kept[score].id], "rejected", f"{name}: {why}") for score, (_, name, why) in refused.items()]

    def work(cursor: sqlite3.Cursor) -> None:
        for step in marks:
            assert step.work is not None
            step.work(cursor)

    await journal.writer.commit(Write(rows=enqueued_rows(kept.values()), work=work))


def kinds_of(journal: Journal, run_id: str, kinds: Iterable[str]) -> Iterator[DeliveryEntry]:
    """All deliveries of some kinds of a run, oldest first, page by page."""
    wanted = frozenset(kinds)
    return (entry for entry in entries(journal.reader, ALL, run_id) if entry.delivery.kind in wanted)


def open_runs(journal: Journal) -> list[str]:
    """Runs that have something left to deliver or to verify, oldest first."""
    rows = journal.reader.rows(
        "SELECT run_id FROM outbox WHERE state IN ('pending', 'acknowledged', 'unconfirmed') "
        "GROUP BY run_id ORDER BY min(id)"
    )
    return [str(run_id) for (run_id,) in rows]


def refused_scores(journal: Journal, run_id: str) -> frozenset[str]:
    """Ids of the run's scores that were refused for good."""
    found = entries(journal.reader, ("rejected",), run_id)
    return frozenset(entry.delivery.target for entry in found if entry.delivery.kind == REJECTED_SCORE)


def refusals(journal: Journal, run_id: str) -> Iterator[str]:
    """What was refused for good, each in one line with the reason."""
    for entry in entries(journal.reader, ("rejected",), run_id):
        kind, payload = entry.delivery.kind, entry.delivery.payload
        if kind == REJECTED_SCORE:
            yield f"refused: score {entry.reason}"
        else:
            yield f"refused: {kind} of {payload.get('scenario_id', 'the run')} r{payload['repeat']}: {entry.reason}"


def was_delivered(journal: Journal, run_id: str) -> bool:
    """Whether anything of the run has reached the server."""
    return next(entries(journal.reader, ("acknowledged", "verified"), run_id), None) is not None
