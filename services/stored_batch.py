"""A batch of calls as it is written down before anything of it is sent."""

from dataclasses import dataclass


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
