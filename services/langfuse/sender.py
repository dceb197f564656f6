"""The sender: claims what the outbox holds, sends it, and writes down what is known to have happened.

A score may be sent twice, as it replaces itself. A span may not: the server keeps both. Spans therefore go out in one
try with a known outcome; where the outcome is not known, they are looked for a minute later, and sent again only when
nothing of them is there.
"""

import gzip
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from evaluation.errors import UsageError
from services.journal import DeliveryEntry, Journal
from services.journal.outbox import claim
from services.langfuse.observations import Observation, encoded
from services.langfuse.outbox import (
    FIGURES,
    SCORES,
    TRACE,
    may_be_stored,
    place_of,
    put_back,
    settle,
    settle_scores,
    superseded,
)
from services.langfuse.preflight import ScoreMode
from services.langfuse.projection import Projection
from services.langfuse.readback import seen_observations, seen_scores, trace_problem
from services.langfuse.rest import TRACES, LangfuseRest, NotStored, Rejected, Unknown
from services.langfuse.score_lists import Body, check, post_scores, split_within
from services.langfuse.timing import Timing
from services.retrying import TryAgain

SETTLING_S = 60.0
"""The wait before a span batch of unknown outcome is looked for: long enough for the server to have taken it in."""
CLAIM_TRACES = 100
CLAIM_SCORES = 200
MAX_TEXT = 2_000_000
"""Characters of attributes in one span request; far below the server's limits, as a request is one unit of doubt."""
_SPAN_HEADERS = {
    "content-type": "application/x-protobuf",
    "content-encoding": "gzip",
    "x-langfuse-ingestion-version": "4",
}


Projected: TypeAlias = tuple[DeliveryEntry, list[Observation]]
"""An entry with its spans."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A trace that may have arrived, and when to look for it, on the sender's clock."""

    entry: DeliveryEntry
    due: float


@dataclass
class Sender:
    """Sends one outbox to one server. One task uses it, in the process that holds the lock named `delivery`."""

    rest: LangfuseRest
    journal: Journal
    projection_of: Callable[[str], Projection]
    """Of a run, by its id."""
    mode: ScoreMode
    claimer: str
    timing: Timing = field(default_factory=Timing)
    doubts: list[Doubt] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._started = self.timing.clock()

    async def send(self, run_id: str) -> None:
        """Sends what is pending of one run.

        Raises TryAgain when the server takes nothing at the moment, UsageError when it refuses the keys: what was
        claimed is then back in the outbox.
        """
        while entries := await self._claim(run_id, (TRACE,), CLAIM_TRACES):
            await self._send_traces(self.projection_of(run_id), entries)
        while entries := await self._claim(run_id, (SCORES, FIGURES), CLAIM_SCORES):
            await self._send_scores(self.projection_of(run_id), entries)

    async def look(self) -> None:
        """Looks for the doubtful traces that are due: found ones are acknowledged, absent ones pending again."""
        now = self.timing.clock()
        due = [doubt.entry for doubt in self.doubts if doubt.due <= now]
        for run_id in dict.fromkeys(entry.delivery.run_id for entry in due):
            mine = [entry for entry in due if entry.delivery.run_id == run_id]
            await self._look_for(self.projection_of(run_id), mine)
            done = {entry.id for entry in mine}
            self.doubts = [doubt for doubt in self.doubts if doubt.entry.id not in done]

    def next_look(self) -> float | None:
        """Seconds until a doubtful trace is due; None without one."""
        if not self.doubts:
            return None
        return max(0.0, min(doubt.due for doubt in self.doubts) - self.timing.clock())

    async def _claim(self, run_id: str, kinds: Sequence[str], limit: int) -> tuple[DeliveryEntry, ...]:
        return await self.journal.commit(claim(self.claimer, limit, run_id=run_id, kinds=kinds))

    async def _send_traces(self, projection: Projection, entries: Sequence[DeliveryEntry]) -> None:
        fresh = await self._fresh(entries)
        left = {entry.id: entry for entry in fresh}
        parts = split_within(await self._projected(projection, fresh, left), _text, MAX_TEXT)
        part: list[Projected] = []
        try:
            for batch in parts:
                waiting = [batch]
                while waiting:
                    part = waiting.pop()
                    if await self._post_spans(part):
                        for entry, _ in part:
                            del left[entry.id]
                    else:
                        middle = len(part) // 2
                        waiting += [part[middle:], part[:middle]]
        except Unknown as failure:
            due = self.timing.clock() + SETTLING_S
            self.doubts += [Doubt(left.pop(entry.id), due) for entry, _ in part]
            await put_back(self.journal, left.values(), failure.message, stored=False)
            raise
        except (NotStored, UsageError) as failure:
            await put_back(self.journal, left.values(), str(failure), stored=False)
            raise

    async def _fresh(self, entries: Sequence[DeliveryEntry]) -> list[DeliveryEntry]:
        """Those that certainly have not arrived; the others are to be looked for, or need not go out any more."""
        fresh: list[DeliveryEntry] = []
        for entry in entries:
            if may_be_stored(entry):
                # When its earlier attempt went out is not known: not after this process began.
                self.doubts.append(Doubt(entry, self._started + SETTLING_S))
            elif superseded(self.journal, entry):
                await settle(self.journal, [entry], "verified", "superseded by a later attempt")
            else:
                fresh.append(entry)
        return fresh

    async def _projected(
        self, projection: Projection, entries: Sequence[DeliveryEntry], left: dict[str, DeliveryEntry]
    ) -> list[Projected]:
        """Entries with their spans; one that cannot be made into spans is refused here, and the others go on."""
        projected = []
        for entry, results in projection.with_results(entries):
            try:
                projected.append((entry, projection.observations(entry, results)))
            except (KeyError, IndexError, ValueError, TypeError) as error:
                await settle(self.journal, [left.pop(entry.id)], "rejected", f"cannot be shown as a trace: {error!r}")
        return projected

    async def _post_spans(self, part: Sequence[Projected]) -> bool:
        """One request; False when the server refuses it as a whole and a part of it may be all right."""
        entries = [entry for entry, _ in part]
        spans = [observation for _, observations in part for observation in observations]
        try:
            content = gzip.compress(encoded(spans), compresslevel=5)
            response = await self.rest.posted_once(TRACES, content=content, headers=_SPAN_HEADERS)
        except Rejected as rejected:
            if rejected.status == 404:
                raise UsageError(f"{self.rest.where} has no {TRACES}: check LANGFUSE_BASE_URL") from None
            if len(part) > 1:
                return False
            await settle(self.journal, entries, "rejected", str(rejected))
            return True
        partial = response.json().get("partialSuccess") or {}
        # Which spans were refused is not said; reading back names the traces that are not whole.
        reason = f"server refused spans: {str(partial.get('errorMessage', ''))[:200]}" if partial else ""
        await settle(self.journal, entries, "acknowledged", reason)
        return True

    async def _look_for(self, projection: Projection, entries: Sequence[DeliveryEntry]) -> None:
        expected = {
            entry.id: projection.observations(entry, results) for entry, results in projection.with_results(entries)
        }
        try:
            spans = [span for spans in expected.values() for span in spans]
            seen = await seen_observations(self.rest, projection.environment, spans)
        except (TryAgain, Rejected) as failure:
            await settle(self.journal, entries, "unconfirmed", f"sent, and cannot be read back: {failure}")
            return
        for entry in entries:
            found = [o for o in expected[entry.id] if (o.trace_id, o.id) in seen]
            if not found:
                await put_back(self.journal, [entry], "not there a minute later", stored=False)
            elif trace_problem(expected[entry.id], seen):
                reason = f"sent, and only {len(found)} of {len(expected[entry.id])} observations are there"
                await settle(self.journal, [entry], "unconfirmed", reason)
            else:
                await settle(self.journal, [entry], "acknowledged")

    async def _send_scores(self, projection: Projection, entries: Sequence[DeliveryEntry]) -> None:
        try:
            bodies, refused = self._checked(projection, entries)
            if self.mode == "single" and any(entry.attempts > 1 for entry in entries):
                there = await seen_scores(self.rest, list(bodies))
                bodies = {score: known for score, known in bodies.items() if score not in there}
            answers = await post_scores(self.rest, [body for body, _ in bodies.values()], self.mode)
            refused |= {score: (bodies[score][1], why) for score, why in answers.items()}
        except (TryAgain, UsageError) as failure:
            await put_back(self.journal, entries, str(failure), stored=True)
            raise
        except Rejected as rejected:
            await put_back(self.journal, entries, str(rejected), stored=True)
            raise UsageError(f"{self.rest.where} takes no scores ({rejected}): check LANGFUSE_BASE_URL") from None
        await settle_scores(self.journal, entries, refused)

    def _checked(
        self, projection: Projection, entries: Sequence[DeliveryEntry]
    ) -> tuple[dict[str, tuple[Body, str]], dict[str, tuple[str, str]]]:
        """Score id -> body and name for people, of those that may go out; name and reason of the others."""
        bodies: dict[str, tuple[Body, str]] = {}
        refused: dict[str, tuple[str, str]] = {}
        for entry, results in projection.with_results(entries):
            if superseded(self.journal, entry):
                continue
            for body in projection.bodies(entry, results):
                score, name = str(body["id"]), f"{body['name']} of {place_of(entry)}"
                if problem := check(body, projection.scores.kind):
                    refused[score] = (name, problem)
                else:
                    bodies[score] = (body, name)
        return bodies, refused


def _text(projected: Projected) -> int:
    """Characters of its attributes."""
    return sum(len(value) for span in projected[1] for value in span.attributes.values() if isinstance(value, str))
