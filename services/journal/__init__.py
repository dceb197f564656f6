"""The journal: calls, results, runs and the outbox in one SQLite file."""

from services.journal.journal import Journal, call_key, journal_file
from services.journal.lock import hold_named, hold_run
from services.journal.records import Delivery, DeliveryEntry, DeliveryState, RunState, StoredRun

__all__ = [
    "Delivery",
    "DeliveryEntry",
    "DeliveryState",
    "Journal",
    "RunState",
    "StoredRun",
    "call_key",
    "hold_named",
    "hold_run",
    "journal_file",
]
