"""What delivery writes down in the outbox, and what a reader of it may conclude."""

import re
from collections.abc import Iterable, Iterator, Mapping

from services.journal import Delivery, DeliveryEntry, DeliveryState, Journal
from services.journal.outbox import Mark, entries, mark
from services.langfuse.outgoing_run import REJECTED_SCORE

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
    await journal.commit(
        mark([(entry.id, "pending", message if stored else not_stored(entry, message)) for entry in returned])
    )


async def settle(journal: Journal, done: Iterable[DeliveryEntry], state: DeliveryState, reason: str = "") -> None:
    """Records what became of entries."""
    await journal.commit(mark([(entry.id, state, reason) for entry in done]))


async def settle_scores(
    journal: Journal, done: Iterable[DeliveryEntry], refused: Mapping[str, tuple[str, str, str]]
) -> None:
    """Acknowledges score entries, and keeps each refused score as an entry of its own.

    `refused`: score id -> (run id, name, reason).
    """
    kept = [Delivery(run_id, REJECTED_SCORE, score, {"name": name}) for score, (run_id, name, _) in refused.items()]
    marks: list[Mark] = [(entry.id, "acknowledged", "") for entry in done]
    for delivery, (_, name, why) in zip(kept, refused.values(), strict=True):
        marks.append((delivery.id, "rejected", f"{name}: {why}"))
    await journal.commit(mark(marks, kept))


def refused_scores(journal: Journal, run_id: str) -> frozenset[str]:
    """Ids of the run's scores that were refused for good."""
    found = entries(journal, ("rejected",), run_id, (REJECTED_SCORE,))
    return frozenset(entry.delivery.target for entry in found)


def refusals(journal: Journal, run_id: str) -> Iterator[str]:
    """What was refused for good, each in one line with the reason."""
    for entry in entries(journal, ("rejected",), run_id):
        kind, payload = entry.delivery.kind, entry.delivery.payload
        if kind == REJECTED_SCORE:
            yield f"refused: score {entry.reason}"
        else:
            yield f"refused: {kind} of {payload.get('scenario_id', 'the run')} r{payload['repeat']}: {entry.reason}"


def was_delivered(journal: Journal, run_id: str) -> bool:
    """Whether anything of the run has reached the server."""
    return next(entries(journal, ("acknowledged", "verified"), run_id), None) is not None
