"""Records of the journal beside those of the core: runs, and what waits for delivery."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from evaluation.records import Cell, Json
from evaluation.runspec import RunSpec, digest

RunState: TypeAlias = Literal["running", "finished", "incomplete"]
DeliveryState: TypeAlias = Literal["pending", "acknowledged", "verified", "rejected", "unconfirmed"]
Place: TypeAlias = tuple[Cell, int, int]
"""Cell, turn, sample: where a call stands in its run."""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """One run as the journal holds it: what it measures, what it was asked with, and the texts that it was made of."""

    run_id: str
    group_id: str
    """Runs made in one pass share it."""
    parent_run_id: str | None
    """The run whose replies were scored again; None for a run of its own."""
    created_at: float
    """Seconds since the epoch, UTC."""
    spec: RunSpec
    arguments: Json
    """As given and as resolved: what resuming goes on with."""
    inputs: Mapping[str, str]
    """Name -> text (prompt, rubric, scenarios, ...); each text is stored once, however many runs share it."""
    state: RunState = "running"
    finished_at: float | None = None
    provenance: Mapping[str, Json] = field(default_factory=dict)
    """Package versions, commit and the like: shown in the manifest, never compared."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One thing to deliver elsewhere, committed together with what it tells of."""

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
