"""Reading back: what was acknowledged becomes verified once Langfuse can show it; the rest is named.

Much of a long run is read back while it goes on, so that its end waits for the last of it only. Only plain query
parameters are used, none of the structured filters, whose columns differ between servers.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import TypeAlias

from services.journal import DeliveryEntry
from services.langfuse.outbox import FIGURES, SCORES, TRACE, Projection, experiments, pages, place_of
from services.langfuse.rest import LangfuseRest, Rejected, Waiting, share_out
from services.langfuse.scores import timestamp
from services.langfuse.spans import Observation
from services.langfuse.traces import CellRef
from services.retrying import TryAgain

Seen: TypeAlias = dict[tuple[str, str], tuple[str | None, int | None]]
"""(trace id, observation id) -> name and version of the linked prompt."""

_OBSERVATIONS, _SCORES, _ITEMS = 1000, 100, 100
"""Most rows per page."""
_MARGIN_S = 1.0
_BY_ID = 3
"""Most traces that are asked for one by one."""
_AT_ONCE = 4
"""Requests for scores under way at a time."""
PAGE = 200
LONGEST_WAIT_S = 10.0


@dataclass
class Verifier:
    """Reads one run back: in passing while it goes on, and at its end until all is there or the deadline has passed."""

    rest: LangfuseRest
    projection: Projection
    _late: set[str] = field(default_factory=set)
    """Entries that were not there when they were asked for in passing; the end asks again."""
    _shown: set[str] = field(default_factory=set)
    """Traces that their experiment was seen to show."""
    _refused: bool = False

    async def in_passing(self) -> None:
        """Reads back what was acknowledged, each entry once and in full pages only.

        The requests are then no more than at the end, and a server that does not answer one is left alone until then.
        """
        if self._refused:
            return
        acknowledged = self.projection.entries(("acknowledged",))
        try:
            for page in pages((entry for entry in acknowledged if entry.id not in self._late), PAGE):
                if len(page) == PAGE:
                    missing = await self._page(page)
                    self._late |= missing.keys()
                    await self._see_items([e for e in page if e.delivery.kind == TRACE and e.id not in missing])
        except (TryAgain, Rejected, KeyError, TypeError, ValueError, AttributeError):
            # Whatever is the matter with reading, sending goes on; the end says what it is.
            self._refused = True

    async def run(self, deadline: float, progress: Callable[[str], None]) -> tuple[str, ...]:
        """Marks what can be read as verified; returns what is still missing, in words. `deadline`: on the clock."""

        async def look() -> Waiting | None:
            asked: float | None = None
            try:
                problems = await self._once() or await self._items()
            except TryAgain as failure:
                problems, asked = [f"reading back: {self.rest.where} {failure.message}"], failure.wait_s
            except Rejected as rejected:
                problems = [f"reading back: {self.rest.where} answers {rejected}"]
            said = f"waiting until everything can be read back ({len(problems)} to go)"
            return Waiting(tuple(problems), said, asked) if problems else None

        return await self.rest.timing.until(look, deadline, LONGEST_WAIT_S, progress)

    async def _once(self) -> list[str]:
        """One pass over what is not verified yet, page by page. Raises TryAgain and Rejected."""
        problems: list[str] = []
        waiting = self.projection.entries(("acknowledged", "unconfirmed"))
        for page in pages(waiting, PAGE):
            for found in (await self._page(page)).values():
                problems += found
        return problems

    async def _page(self, page: Sequence[DeliveryEntry]) -> dict[str, list[str]]:
        """Marks what can be read; what is missing of the others, by entry."""
        traces = await self._traces([entry for entry in page if entry.delivery.kind == TRACE])
        return traces | await self._scores([e for e in page if e.delivery.kind in (SCORES, FIGURES)])

    async def _traces(self, page: Sequence[DeliveryEntry]) -> dict[str, list[str]]:
        expected = self.projection.observations_of(page)
        spans = [span for spans in expected.values() for span in spans]
        seen = await seen_observations(self.rest, self.projection.environment, spans)
        problems = {entry.id: trace_problem(expected[entry.id], seen) for entry in page}
        await self.projection.settle([entry for entry in page if not problems[entry.id]], "verified")
        return {
            entry.id: [f"trace of {place_of(entry)}: {problems[entry.id]}{_because(entry)}"]
            for entry in page
            if problems[entry.id]
        }

    async def _scores(self, page: Sequence[DeliveryEntry]) -> dict[str, list[str]]:
        refused = self.projection.refused_scores()
        expected: dict[str, dict[str, str]] = {}
        for entry, results in self.projection.with_results(page):
            bodies = [] if self.projection.is_superseded(entry) else self.projection.bodies(entry, results)
            expected[entry.id] = {str(body["id"]): str(body["name"]) for body in bodies if body["id"] not in refused}
        seen = await seen_scores(self.rest, [score for scores in expected.values() for score in scores])
        missing = {
            entry.id: [name for score, name in expected[entry.id].items() if score not in seen] for entry in page
        }
        await self.projection.settle([entry for entry in page if not missing[entry.id]], "verified")
        return {
            entry.id: [f"score {name} of {place_of(entry)} cannot be read" for name in missing[entry.id]]
            for entry in page
            if missing[entry.id]
        }

    async def _items(self) -> list[str]:
        """Names experiments that lack verified traces of played cells as items; asked once all else is there."""
        verified = self.projection.entries(("verified",))
        expected = await self._see_items(entry for entry in verified if entry.delivery.kind == TRACE)
        return [
            f"experiment r{repeat} shows {len(traces & self._shown)} of {len(traces)} items"
            for repeat, traces in sorted(expected.items())
            if not traces <= self._shown
        ]

    async def _see_items(self, traces: Iterable[DeliveryEntry]) -> dict[int, set[str]]:
        """Looks for the items that the traces of played cells should be; repeat -> the trace ids of all of them."""
        run = self.projection.run
        expected: dict[int, set[str]] = {}
        for entry in traces:
            if not entry.delivery.payload["failed"]:
                trace = CellRef.from_json(entry.delivery.payload).trace_id(run.run_id)
                expected.setdefault(entry.delivery.payload["repeat"], set()).add(trace)
        for repeat, wanted in expected.items():
            unseen = wanted - self._shown
            if unseen:
                since = run.created_at - 86_400
                self._shown |= await seen_items(self.rest, experiments(run)[repeat - 1], since, unseen)
        return expected


def _because(entry: DeliveryEntry) -> str:
    return f" ({entry.reason})" if entry.reason else ""


async def seen_observations(rest: LangfuseRest, environment: str, expected: Sequence[Observation]) -> Seen:
    """Those of the expected observations that can be read.

    A few traces are asked for by id. Many are read as everything of the environment that began in their time, because
    a request per trace would use up the smaller plans' minutes.
    """
    traces = dict.fromkeys(observation.trace_id for observation in expected)
    wanted = {(observation.trace_id, observation.id) for observation in expected}
    if len(traces) <= _BY_ID:
        found = [await _observations(rest, {"traceId": trace}) for trace in traces]
        return {key: link for seen in found for key, link in seen.items() if key in wanted}
    starts = [observation.start_ns / 1e9 for observation in expected]
    begin, end = timestamp(min(starts) - _MARGIN_S), timestamp(max(starts) + _MARGIN_S)
    read = await _observations(rest, {"environment": environment, "fromStartTime": begin, "toStartTime": end})
    return {key: link for key, link in read.items() if key in wanted}


async def _observations(rest: LangfuseRest, conditions: Mapping[str, str | int]) -> Seen:
    rows = rest.rows("v2/observations", fields="core,basic,prompt", limit=_OBSERVATIONS, **conditions)
    # Without a prompt, the name is empty at some servers and null at others.
    return {
        (row["traceId"], row["id"]): (row.get("promptName") or None, row.get("promptVersion")) async for row in rows
    }


def trace_problem(expected: Sequence[Observation], seen: Seen) -> str:
    """Says what is missing of one trace; empty when all of it is there and linked as it was sent."""
    missing = [o for o in expected if (o.trace_id, o.id) not in seen]
    if missing:
        return f"{len(missing)} of {len(expected)} observations cannot be read"
    for observation in expected:
        name = observation.attributes.get("langfuse.observation.prompt.name")
        version = observation.attributes.get("langfuse.observation.prompt.version")
        if name is not None and seen[observation.trace_id, observation.id] != (name, version):
            return f"a generation is not linked to prompt {name} v{version}"
    return ""


async def seen_scores(rest: LangfuseRest, ids: Iterable[str]) -> set[str]:
    """Those of the score ids that can be read."""
    wanted = list(ids)
    seen: set[str] = set()

    async def read(start: int) -> None:
        part = ",".join(wanted[start : start + _SCORES])
        seen.update([row["id"] async for row in rest.rows("v3/scores", id=part, limit=_SCORES, fields="core")])

    await share_out(range(0, len(wanted), _SCORES), read, _AT_ONCE)
    return seen


async def seen_items(rest: LangfuseRest, experiment: str, since: float, wanted: Set[str]) -> set[str]:
    """Trace ids of items that an experiment shows, the newest first, until all wanted ones are among them.

    `since`: seconds since the epoch, before its first item.
    """
    start = timestamp(since)
    seen, left = set[str](), set(wanted)
    async for row in rest.rows(
        "experiment-items", experimentId=experiment, fromStartTime=start, limit=_ITEMS, fields="core"
    ):
        seen.add(row["traceId"])
        left.discard(row["traceId"])
        if not left:
            break
    return seen
