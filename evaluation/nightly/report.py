"""One night with all of its grounds, gathered once for all of its reports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.comparison.compare import Comparison
from evaluation.comparison.gate import RegressionResult
from evaluation.nightly.alarm import NightGate
from evaluation.nightly.attribution import Attribution
from evaluation.nightly.baseline import Approval
from evaluation.nightly.changes import Changes
from evaluation.nightly.night import Night
from evaluation.records import Json
from evaluation.statistics.paired import ScenarioPair


@dataclass(frozen=True, slots=True)
class LatestAnswer:
    """The newest version, where it is not in production: whether it may follow the baseline. It raises no alarm."""

    version: str
    run_id: str
    comparison: Comparison
    gate: RegressionResult

    def to_json(self) -> dict[str, Json]:
        row = self.comparison.primary
        return {
            "version": self.version,
            "run_id": self.run_id,
            "difference": None if row is None else row.estimate.difference,
            "ci95": None if row is None else row.estimate.ci95,
            "gate": self.gate.to_json(),
        }


@dataclass(frozen=True, slots=True)
class NightReport:
    """A night and its grounds. None or empty where it did not come so far."""

    night: Night
    earlier: Sequence[Night] = ()
    """The nights before it, oldest first."""
    gate: NightGate | None = None
    changes: Changes | None = None
    attribution: Attribution | None = None
    comparison: Comparison | None = None
    """Production against the baseline."""
    repeat: Comparison | None = None
    """Production against its own repetition: the A/A comparison."""
    latest: LatestAnswer | None = None
    approval: Approval | None = None
    links: Mapping[str, str] = field(default_factory=dict)
    """Title -> address."""
    notes: Sequence[str] = ()
    next_command: str = ""

    @property
    def worst(self) -> Sequence[ScenarioPair]:
        """Scenarios whose overall fell most, the deepest fall first."""
        return () if self.comparison is None else self.comparison.worst

    def to_json(self) -> dict[str, Json]:
        """night.json."""
        return {
            **self.night.to_json(),
            "gate": None if self.gate is None else self.gate.to_json(),
            "changes": None if self.changes is None else list(self.changes.details),
            "cause": None if self.changes is None else self.changes.cause,
            "attribution": None if self.attribution is None else self.attribution.to_json(),
            "latest": None if self.latest is None else self.latest.to_json(),
            "notes": list(self.notes),
            "links": dict(self.links),
            "next_command": self.next_command,
        }
