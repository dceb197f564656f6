"""The sender: claims what the outbox holds, sends it, and writes down what is known to have happened.

A score may be sent twice, as it replaces itself. A span may not: the server keeps both. Spans therefore go out in one
try with a known outcome; where the outcome is not known, they are looked for a minute later, and sent again only when
nothing of them is there.
"""

import gzip
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from evaluation.errors import UsageError
from services.journal import DeliveryEntry
from services.journal.outbox import claim
from services.langfuse.outbox import FIGURES, SCORES, TRACE, Projection, may_be_stored, place_of
from services.langfuse.readback import seen_observations, seen_scores, trace_problem
from services.langfuse.rest import TRACES, LangfuseRest, NotStored, Rejected, Unknown
from services.langfuse.scores import Body, ScoreMode, check, post_scores, split_within
from services.langfuse.spans import Observation, encode
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


@dataclass
class Sender:
    """Sends what one run has in the outbox. One task uses it, in the process that holds the lock named `delivery`."""

    rest: LangfuseRest
    projection: Projection
    mode: ScoreMode
    held_since: float
    """When the lock was taken, on the clock: what other processes sent went out before."""
    _doubts: dict[str, tuple[DeliveryEntry, float]] = field(default_factory=dict)
    """Entry id -> a trace that may have arrived, and when to look for it, on the clock."""
    _claimer: str = field(default_factory=lambda: f"{os.getpid()}-{secrets.token_hex(4)}")

    async def send(self) -> None:
        """Sends what is pending.

        Raises TryAgain when the server takes nothing at the moment, UsageError when it refuses the keys: what was
        claimed is then back in the outbox.
        """
        while entries := await self._claim((TRACE,), CLAIM_TRACES):
            await self._send_traces(entries)
        while entries := await self._claim((SCORES, FIGURES), CLAIM_SCORES):
            await self._send_scores(entries)

    async def look(self) -> None:
        """Looks for the doubtful traces that are due: found ones are acknowledged, absent ones pending again."""
        now = self.rest.timing.clock()
        if entries := [entry for entry, due in self._doubts.values() if due <= now]:
            await self._look_for(entries)
            for entry in entries:
                del self._doubts[entry.id]

    def next_look(self) -> float | None:
        """Seconds until a doubtful trace is due; None without one."""
        if not self._doubts:
            return None
        return max(0.0, min(due for _, due in self._doubts.values()) - self.rest.timing.clock())

    async def _claim(self, kinds: Sequence[str], limit: int) -> tuple[DeliveryEntry, ...]:
        return await self.projection.journal.commit(
            claim(self._claimer, limit, run_id=self.projection.run.run_id, kinds=kinds)
        )

    async def _send_traces(self, entries: Sequence[DeliveryEntry]) -> None:
        fresh = await self._fresh(entries)
        left = {entry.id: entry for entry in fresh}
        parts = split_within(await self._project(fresh, left), _text, MAX_TEXT)
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
            due = self.rest.timing.clock() + SETTLING_S
            self._doubts |= {entry.id: (left.pop(entry.id), due) for entry, _ in part}
            await self.projection.put_back(left.values(), failure.message, stored=False)
            raise
        except (NotStored, UsageError) as failure:
            await self.projection.put_back(left.values(), str(failure), stored=False)
            raise

    async def _fresh(self, entries: Sequence[DeliveryEntry]) -> list[DeliveryEntry]:
        """Those that certainly have not arrived; the others are to be looked for, or need not go out any more."""
        fresh: list[DeliveryEntry] = []
        for entry in entries:
            if may_be_stored(entry):
                self._doubts[entry.id] = entry, self.held_since + SETTLING_S
            elif self.projection.is_superseded(entry):
                await self.projection.settle([entry], "verified", "superseded by a later attempt")
            else:
                fresh.append(entry)
        return fresh

    async def _project(self, entries: Sequence[DeliveryEntry], left: dict[str, DeliveryEntry]) -> list[Projected]:
        """Entries with their spans; one that cannot be made into spans is refused here, and the others go on."""
        projected = []
        for entry, results in self.projection.with_results(entries):
            try:
                projected.append((entry, self.projection.observations(entry, results)))
            except (KeyError, IndexError, ValueError, TypeError) as error:
                await self.projection.settle([left.pop(entry.id)], "rejected", f"cannot be shown as a trace: {error!r}")
        return projected

    async def _post_spans(self, part: Sequence[Projected]) -> bool:
        """One request; False when the server refuses it as a whole and a part of it may be all right."""
        entries = [entry for entry, _ in part]
        spans = [observation for _, observations in part for observation in observations]
        try:
            content = gzip.compress(encode(spans), compresslevel=5)
            response = await self.rest.send_once("POST", TRACES, content=content, headers=_SPAN_HEADERS)
        except Rejected as rejected:
            if rejected.status == 404:
                raise UsageError(f"{self.rest.where} has no {TRACES}: check LANGFUSE_BASE_URL") from None
            if len(part) > 1:
                return False
            await self.projection.settle(entries, "rejected", str(rejected))
            return True
        partial = response.json().get("partialSuccess") or {}
        # Which spans were refused is not said; reading back names the traces that are not whole.
        reason = f"server refused spans: {str(partial.get('errorMessage', ''))[:200]}" if partial else ""
        await self.projection.settle(entries, "acknowledged", reason)
        return True

    async def _look_for(self, entries: Sequence[DeliveryEntry]) -> None:
        expected = self.projection.observations_of(entries)
        try:
            spans = [span for spans in expected.values() for span in spans]
            seen = await seen_observations(self.rest, self.projection.environment, spans)
        except (TryAgain, Rejected) as failure:
            await self.projection.settle(entries, "unconfirmed", f"sent, and cannot be read back: {failure}")
            return
        for entry in entries:
            found = [o for o in expected[entry.id] if (o.trace_id, o.id) in seen]
            if not found:
                await self.projection.put_back([entry], "not there a minute later", stored=False)
            elif trace_problem(expected[entry.id], seen):
                reason = f"sent, and only {len(found)} of {len(expected[entry.id])} observations are there"
                await self.projection.settle([entry], "unconfirmed", reason)
            else:
                await self.projection.settle([entry], "acknowledged")

    async def _send_scores(self, entries: Sequence[DeliveryEntry]) -> None:
        try:
            bodies, refused = self._check_scores(entries)
            # Scores of a cell that was judged again are there under the same ids, with what they said before.
            again = any(entry.delivery.payload.get("verdict", 1) > 1 for entry in entries)
            if self.mode == "single" and not again and any(entry.attempts > 1 for entry in entries):
                there = await seen_scores(self.rest, list(bodies))
                bodies = {score: known for score, known in bodies.items() if score not in there}
            answers = await post_scores(self.rest, [body for body, _ in bodies.values()], self.mode)
            refused |= {score: (bodies[score][1], why) for score, why in answers.items()}
        except (TryAgain, UsageError) as failure:
            await self.projection.put_back(entries, str(failure), stored=True)
            raise
        except Rejected as rejected:
            await self.projection.put_back(entries, str(rejected), stored=True)
            raise UsageError(f"{self.rest.where} takes no scores ({rejected}): check LANGFUSE_BASE_URL") from None
        await self.projection.settle_scores(entries, refused)

    def _check_scores(
        self, entries: Sequence[DeliveryEntry]
    ) -> tuple[dict[str, tuple[Body, str]], dict[str, tuple[str, str]]]:
        """Score id -> body and name for people, of those that may go out; name and reason of the others."""
        bodies: dict[str, tuple[Body, str]] = {}
        refused: dict[str, tuple[str, str]] = {}
        for entry, results in self.projection.with_results(entries):
            if self.projection.is_superseded(entry):
                continue
            for body in self.projection.bodies(entry, results):
                score, name = str(body["id"]), f"{body['name']} of {place_of(entry)}"
                if problem := check(body, self.projection.scores.kind):
                    refused[score] = (name, problem)
                else:
                    bodies[score] = (body, name)
        return bodies, refused


def _text(projected: Projected) -> int:
    """Characters of its attributes."""
    return sum(len(value) for span in projected[1] for value in span.attributes.values() if isinstance(value, str))
