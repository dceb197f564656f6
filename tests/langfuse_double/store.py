"""The memory of the double: spans, scores, prompts, datasets, configs and queues, and when a row becomes readable."""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import uuid4

from tests.langfuse_double.wire import JsonObject

Identity = tuple[str, str, date]
"""The key by which a later score replaces another: id, name and the UTC date of the timestamp."""


@dataclass(frozen=True, slots=True)
class Mark:
    """From when on a row is readable: after a moment and after a number of reads of its endpoint."""

    reads: Mapping[str, int]
    polls: int
    not_before: datetime


@dataclass(frozen=True, slots=True)
class StoredSpan:
    """One span as it arrived. A span sent twice is stored twice."""

    trace_id: str
    id: str
    parent_id: str | None
    name: str
    start_ns: int
    end_ns: int
    attributes: Mapping[str, Any]
    resource: Mapping[str, Any]
    scope: str
    scope_version: str
    status: str
    """UNSET, OK or ERROR."""
    status_message: str
    sequence: int
    stored_at: datetime
    mark: Mark


@dataclass(frozen=True, slots=True)
class StoredScore:
    """The newest write of one score identity; `writes` counts how often it was sent."""

    id: str
    name: str
    value: float | str
    data_type: str
    trace_id: str | None
    observation_id: str | None
    session_id: str | None
    dataset_run_id: str | None
    comment: str | None
    metadata: JsonObject | None
    environment: str
    config_id: str | None
    queue_id: str | None
    source: str
    timestamp: datetime
    created_at: datetime
    updated_at: datetime
    mark: Mark
    writes: int = 1
    author: str | None = None
    """User id of the person who gave it in the user interface."""

    @property
    def identity(self) -> Identity:
        return (self.id, self.name, self.timestamp.date())


@dataclass(frozen=True, slots=True)
class DroppedScore:
    """A score that was answered with 2xx and then thrown away, as the server's worker does."""

    body: JsonObject
    reason: str


@dataclass
class PromptRow:
    """One version of a prompt. Tags belong to all versions and are kept in `Store.prompt_tags`."""

    name: str
    version: int
    kind: str
    prompt: Any
    config: Any
    labels: list[str]
    commit_message: str | None
    updated_at: datetime
    id: str = field(default_factory=lambda: str(uuid4()))


@dataclass
class Settings:
    """The behaviour of the double; tests may change it while the double runs."""

    version: str
    clock: Callable[[], datetime]
    check_bodies: bool
    max_score_body: int
    polls: int = 0
    seconds: float = 0.0
    name_without_prompt: str | None = ""
    """The promptName of an observation without a prompt: empty at a server 4.16, null where a store keeps nulls."""
    link_requires_prompt: bool = False
    """True: a generation is linked only to a prompt version that exists in the project."""

    def at_least(self, *wanted: int) -> bool:
        return tuple(int(part) for part in self.version.split("-")[0].lstrip("v").split(".")) >= wanted


class Store:
    """All that was sent. Every access from a test goes through `lock`, which the query helpers take."""

    def __init__(self, settings: Settings, project_id: str) -> None:
        self.lock = threading.RLock()
        self.settings = settings
        self.project_id = project_id
        self.spans: list[StoredSpan] = []
        self.dropped: list[DroppedScore] = []
        self.prompts: dict[str, list[PromptRow]] = {}
        self.prompt_tags: dict[str, list[str]] = {}
        self.datasets: dict[str, JsonObject] = {}
        self.items: dict[str, JsonObject] = {}
        self.item_writes: dict[str, int] = defaultdict(int)
        self.configs: dict[str, JsonObject] = {}
        self.queues: dict[str, JsonObject] = {}
        self.queue_items: dict[str, JsonObject] = {}
        self.comments: dict[str, JsonObject] = {}
        self.problems: list[str] = []
        """Bodies with unknown fields or of a wrong shape, and paths that no current server knows."""
        self._scores: dict[Identity, StoredScore] = {}
        self._index: dict[str, dict[str, dict[Identity, None]]] = {
            kind: defaultdict(dict) for kind in ("id", "trace_id", "dataset_run_id")
        }
        self._by_trace: dict[str, list[StoredSpan]] = defaultdict(list)
        self._reads: dict[str, int] = defaultdict(int)

    def now(self) -> datetime:
        return self.settings.clock().astimezone(UTC)

    def mark(self) -> Mark:
        """The readability of what is stored now; one for all rows of a request."""
        until = self.now() + timedelta(seconds=self.settings.seconds)
        return Mark(dict(self._reads), self.settings.polls, until)

    def poll(self, kind: str) -> None:
        """Counts one reading of a kind of rows; further pages of the same reading are not counted."""
        self._reads[kind] += 1

    def readable(self, kind: str, mark: Mark) -> bool:
        return self._reads[kind] - mark.reads.get(kind, 0) > mark.polls and self.now() >= mark.not_before

    def add_spans(self, spans: Iterable[StoredSpan]) -> None:
        for span in spans:
            self.spans.append(span)
            self._by_trace[span.trace_id].append(span)

    def trace(self, trace_id: str) -> list[StoredSpan]:
        return list(self._by_trace.get(trace_id, ()))

    def put_score(self, score: StoredScore) -> None:
        if score.identity in self._scores:
            self.remove_score(score.identity)
        self._scores[score.identity] = score
        for kind, index in self._index.items():
            key = getattr(score, kind)
            if key is not None:
                index[key][score.identity] = None

    def remove_score(self, identity: Identity) -> None:
        score = self._scores.pop(identity)
        for kind, index in self._index.items():
            index[getattr(score, kind) or ""].pop(identity, None)

    def score(self, identity: Identity) -> StoredScore | None:
        return self._scores.get(identity)

    def scores(self) -> list[StoredScore]:
        return list(self._scores.values())

    def scores_by(self, kind: str, keys: Iterable[str]) -> list[StoredScore]:
        """Scores whose `id`, `trace_id` or `dataset_run_id` is one of the keys, without a scan of all."""
        index = self._index[kind]
        return [self._scores[identity] for key in keys for identity in index.get(key, ())]

    def prompt(self, name: str, version: int) -> PromptRow | None:
        return next((row for row in self.prompts.get(name, ()) if row.version == version), None)
