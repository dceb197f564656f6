"""A batch of calls as it is written down before anything of it is sent, and where."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class StoredBatch:
    """A batch of one pass at one endpoint."""

    intent: str
    """Digest of its ids and time, by which the endpoint's list is searched for it."""
    ids: tuple[str, ...]
    """Of its lines."""
    batch_id: str
    """The endpoint's name for it; empty where it is not known whether it was made."""
    status: str
    """The last that was seen; empty before."""
    intended_at: float
    """Seconds since the epoch."""


class BatchStore(Protocol):
    """Where the batches of one pass at one endpoint are written down; what returns is on disk."""

    @property
    def group_id(self) -> str:
        """Of the pass."""

    def known(self) -> Sequence[StoredBatch]:
        """All of them, the oldest first."""

    async def intend(self, batch: StoredBatch) -> None:
        """Before anything is sent."""

    async def note(self, intent: str, batch_id: str, status: str) -> None:
        """What became of it."""

    async def drop(self, intent: str) -> None:
        """It was never made, or is no longer there."""

    def lost_since(self) -> float | None:
        """Seconds since the epoch, from which on batches may be missing here; None where none are."""

    async def found(self, batches: Sequence[StoredBatch]) -> None:
        """Writes down those that were missing, and that none is any more: all or nothing."""
