"""A generation of production as Langfuse lists it, without its texts, and whether it is one of the tool's own."""

import hashlib
import re
from collections.abc import Collection, Mapping, Set
from dataclasses import asdict, dataclass
from typing import Any

from evaluation.moments import moment, week_of
from evaluation.records import Json

EVALUATIONS = "langfuse.experiment"
"""The beginning of the attributes that an experiment's spans bear."""
SDK_EXPERIMENT = "sdk-experiment"
"""Environment of experiments that Langfuse's own SDK runs."""
OF_LANGFUSE = "langfuse"
"""Environments of Langfuse's own work, such as its judges, begin so; no client may choose such a name."""
NO_PROMPT = "no prompt"
_RUN = re.compile(r"\d{8}T\d{6}Z-[a-z0-9-]{0,60}-[0-9a-f]{6}")
"""The id of a run, which its traces bear as a tag."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One generation, without input and output."""

    id: str
    trace_id: str
    started_at: str
    """ISO 8601, UTC."""
    ended_at: str
    name: str
    level: str
    environment: str
    cluster: str
    """A digest of the user, else of the session, else of the trace: whose responses tend to be alike."""
    session_id: str
    """As the application named it, which may be a person's name: its other turns are read by it."""
    prompt_name: str
    """Empty without a prompt."""
    prompt_version: int | None
    tags: tuple[str, ...]
    parent_id: str
    project_id: str

    @property
    def version(self) -> str:
        """The prompt version as reports name it."""
        if not self.prompt_name:
            return NO_PROMPT
        return self.prompt_name if self.prompt_version is None else f"{self.prompt_name} v{self.prompt_version}"

    @property
    def week(self) -> str:
        """The week of its start by ISO 8601, UTC: 2026-W47."""
        return week_of(moment(self.started_at))

    @property
    def key(self) -> str:
        """Names it in its project."""
        return f"{self.trace_id}|{self.id}"

    @property
    def session(self) -> str:
        """A digest of its session, for files that others read; empty without one."""
        return _digest(f"session|{self.session_id}") if self.session_id else ""

    def to_json(self) -> Json:
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Observation":
        return cls(**{**value, "tags": tuple(value["tags"])})


def read_observation(row: Mapping[str, Any]) -> Observation:
    """One row of the list, with the fields of core, basic, prompt and trace_context. Raises ValueError without ids,
    or with a time that is none."""
    identity, trace, started = row.get("id"), row.get("traceId"), row.get("startTime")
    if not (isinstance(identity, str) and identity and isinstance(trace, str) and trace and isinstance(started, str)):
        raise ValueError("has no id, trace or start")
    moment(started)
    ended = row.get("endTime")
    user, session = _text(row, "userId"), _text(row, "sessionId")
    version = row.get("promptVersion")
    name = _text(row, "promptName")
    tags = row.get("tags")
    return Observation(
        id=identity,
        trace_id=trace,
        started_at=started,
        ended_at=ended if isinstance(ended, str) and _is_moment(ended) else started,
        name=_text(row, "name"),
        level=_text(row, "level"),
        environment=_text(row, "environment") or "default",
        cluster=_digest(f"user|{user}" if user else f"session|{session}" if session else f"trace|{trace}"),
        session_id=session,
        prompt_name=name,
        prompt_version=version if name and isinstance(version, int) and not isinstance(version, bool) else None,
        tags=tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
        parent_id=_text(row, "parentObservationId"),
        project_id=_text(row, "projectId"),
    )


def why_left_out(
    observation: Observation, own_environment: str, asked_for: Collection[str], evaluated: Set[str]
) -> str:
    """Why a generation is none of production's answers; empty where it is one.

    `own_environment` is that of the tool's own traces, left out unless it is `asked_for` by name; `evaluated` holds the
    trace ids of experiments.
    """
    environment = observation.environment
    if environment == SDK_EXPERIMENT or environment.startswith(OF_LANGFUSE):
        return "of Langfuse's own evaluations"
    if observation.trace_id in evaluated or any(_RUN.fullmatch(tag) for tag in observation.tags):
        return "of an evaluation"
    if environment == own_environment and environment not in asked_for:
        return "in the environment of evaluations"
    if observation.level == "ERROR":
        return "ended in an error"
    return ""


def bears_experiment(metadata: object) -> bool:
    """True where the metadata of an observation say that an experiment made it."""
    if not isinstance(metadata, dict):
        return False
    own = metadata.get("attributes")
    keys = [*metadata, *(own if isinstance(own, dict) else ())]
    return any(isinstance(key, str) and key.startswith(EVALUATIONS) for key in keys)


def _is_moment(text: str) -> bool:
    try:
        moment(text)
    except (ValueError, OverflowError):
        return False
    return True


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Repeats:
    """Generations that a list shows twice, one behind the other, as a server does that was sent one twice.

    Asked of each generation of a list in its order.
    """

    def __init__(self) -> None:
        self._at = ""
        self._together: set[str] = set()

    def is_repeated(self, observation: Observation) -> bool:
        """True where it was asked about before."""
        if observation.started_at != self._at:
            self._at, self._together = observation.started_at, set()
        known = observation.key in self._together
        self._together.add(observation.key)
        return known
