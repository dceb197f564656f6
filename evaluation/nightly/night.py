"""One night: its record, how it stands, what a trend needs of it, and with all of its grounds the report on it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from pydantic import TypeAdapter

from evaluation.comparison.compare import Comparison
from evaluation.comparison.document import conversations_json
from evaluation.comparison.gate import RegressionResult
from evaluation.nightly.alarm import NightGate
from evaluation.nightly.attribution import Attribution, Changes
from evaluation.nightly.baseline import Approval
from evaluation.nightly.production import ProductionWatch
from evaluation.records import Json
from evaluation.statistics.paired import ScenarioPair

SCHEMA_VERSION = 1

NightState: TypeAlias = Literal[
    "running",
    "interrupted",
    "ok",
    "alarm",
    "unmeasured",
    "incomplete",
    "no_baseline",
    "refused",
    "judge_unfit",
    "failed",
]
UNFINISHED = ("running", "interrupted", "unmeasured", "incomplete")
"""States from which a night goes on when it is started again: something is left that may succeed."""
STOPPED = ("running", "interrupted")
"""Those of a night whose process ended before its time."""
GOES_ON_HOURS = 12.0
"""The age up to which an unfinished night is gone on with; an older one is history."""
BATCHES_GO_ON_HOURS = 36.0
"""The same for a stopped night in batches: a batch may take a day, and the night of the next day takes it up."""

NAMED = "%Y%m%dT%H%M%SZ"
"""The form of a night's id, which is its start."""

SPARKS = "▁▂▃▄▅▆▇█"

Role: TypeAlias = Literal["production", "latest", "baseline_prompt", "repeat"]


@dataclass(frozen=True, slots=True)
class Night:
    """One night. Times are ISO 8601, UTC."""

    night_id: str
    """Its start: 20261120T020000Z."""
    prompt: str
    """Name of the prompt that is watched."""
    arguments: Json
    """All that decides what is measured: an unfinished night goes on only under the same."""
    state: NightState = "running"
    ended_at: str | None = None
    exit_code: int | None = None
    headline: str = ""
    reasons: tuple[str, ...] = ()
    runs: Mapping[str, str] = field(default_factory=dict)
    """Role -> run id; one run may have two roles."""
    version: str | None = None
    """Of the prompt in production that night."""
    baseline_run_id: str | None = None
    overall: float | None = None
    """Mean of production that night."""
    difference: float | None = None
    """Production minus baseline, over the exchanges that both have."""
    noise_floor: float | None = None
    rehearsal: bool = False
    reference: str = ""
    """As the prompt was named; empty for that of the settings."""
    bridged: str | None = None
    """The run in which tonight's judge scored a part of the baseline."""
    sample: str | None = None
    """The sample of production's responses that was drawn tonight."""
    production: float | None = None
    """Overall of that sample less that of the approved one."""

    @property
    def date(self) -> str:
        """The day on which it began, UTC: 2026-11-20."""
        return f"{self.night_id[:4]}-{self.night_id[4:6]}-{self.night_id[6:8]}"

    @property
    def started_at(self) -> float:
        """Seconds since the epoch. Raises ValueError for an id that no night has."""
        return started_at(self.night_id)

    @property
    def ended(self) -> bool:
        return self.state not in ("running", "interrupted")

    def to_json(self) -> dict[str, Json]:
        return {"schema_version": SCHEMA_VERSION, "date": self.date, **asdict(self)}


NIGHT = TypeAdapter(Night)
"""Reads what `to_json` wrote; fields that a later version adds are passed over."""


def started_at(night_id: str) -> float:
    """When a night began, in seconds since the epoch, as its id says. Raises ValueError for an id that no night has."""
    return datetime.strptime(night_id[:16], NAMED).replace(tzinfo=UTC).timestamp()


def longest_age(nights: Iterable[Night], usual_hours: float, *, in_batches: bool) -> float:
    """Hours up to which these nights are gone on with, where others are up to `usual_hours`."""
    stopped = any(night.state in STOPPED for night in nights)
    return max(usual_hours, BATCHES_GO_ON_HOURS) if in_batches and stopped else usual_hours


def goes_on(night: Night, prompt: str, arguments: Json, age_hours: float, longest_hours: float = GOES_ON_HOURS) -> bool:
    """True where a start now goes on with this night, which is `age_hours` old and may be `longest_hours`."""
    same = night.prompt == prompt and night.arguments == arguments
    return same and night.state in UNFINISHED and "production" in night.runs and age_hours <= longest_hours


def worth_posting(night: Night, earlier: Sequence[Night]) -> bool:
    """True where people should hear of it: of whatever is not well, and of the first night that is well again.

    `earlier` are the nights before it, oldest first.
    """
    return night.state != "ok" or _state_before(earlier) != "ok"


def recovers(night: Night, earlier: Sequence[Night]) -> bool:
    """True where it is well after one that was not; the first night with a baseline recovers from nothing."""
    return night.state == "ok" and _state_before(earlier) not in ("ok", "no_baseline")


def _state_before(earlier: Sequence[Night]) -> NightState:
    """Of the last night that ended; "ok" without any."""
    return next((before.state for before in reversed(earlier) if before.ended), "ok")


def beyond_policy(nights: Sequence[Night], keep_nights: int, oldest_day: str) -> list[Night]:
    """The nights whose runs may go: older than `oldest_day` (2026-11-20) and not among the newest `keep_nights`.

    `nights` are sorted, oldest first.
    """
    candidates = nights[: max(0, len(nights) - keep_nights)]
    return [night for night in candidates if night.date < oldest_day]


def sparkline(values: Sequence[float | None]) -> str:
    """One character per value, lowest to highest of those given; a blank where there is none."""
    known = [value for value in values if value is not None]
    if not known:
        return " " * len(values)
    low, width = min(known), max(known) - min(known)
    return "".join(
        " " if value is None else SPARKS[round((value - low) / width * (len(SPARKS) - 1)) if width > 1e-9 else 3]
        for value in values
    )


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
            "gate": asdict(self.gate),
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
    production: ProductionWatch | None = None
    """Production's responses against the approved sample; None where they are not watched."""
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
            "conversations": None if self.comparison is None else conversations_json(self.comparison.conversations),
            "production_watch": None if self.production is None else self.production.to_json(),
            "notes": list(self.notes),
            "links": dict(self.links),
            "next_command": self.next_command,
        }
