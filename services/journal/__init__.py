"""The journal: calls, results, runs and the outbox in one SQLite file."""

from services.journal.access import hold_named, hold_run, is_held
from services.journal.batches import JournaledBatches
from services.journal.journal import Journal, call_key, journal_file
from services.journal.outbox import Delivery, DeliveryEntry, DeliveryState
from services.journal.reader import Reader, RunState, StoredRun
from services.journal.taking_over import take_over

__all__ = [
    "Delivery",
    "DeliveryEntry",
    "DeliveryState",
    "Journal",
    "JournaledBatches",
    "Reader",
    "RunState",
    "StoredRun",
    "call_key",
    "hold_named",
    "hold_run",
    "is_held",
    "journal_file",
    "take_over",
]
