"""What Langfuse can show of what was sent: spans with their prompt links, scores by id, items by experiment.

Only plain query parameters are used, none of the structured filters, whose columns differ between servers.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TypeAlias

from services.langfuse.observations import Observation
from services.langfuse.rest import LangfuseRest
from services.langfuse.scores import timestamp

Seen: TypeAlias = dict[tuple[str, str], tuple[str | None, int | None]]
"""(trace id, observation id) -> name and version of the linked prompt."""

_OBSERVATIONS, _SCORES, _ITEMS = 1000, 100, 100
"""Most rows per page."""
_MARGIN_S = 1.0
_BY_ID = 3
"""Most traces that are asked for one by one."""
_AT_ONCE = 4
"""Requests for scores under way at a time."""


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
    parameters = {"fields": "core,basic,prompt", "limit": _OBSERVATIONS, **conditions}
    rows = rest.by_cursor("v2/observations", parameters)
    return {(row["traceId"], row["id"]): (row.get("promptName"), row.get("promptVersion")) async for row in rows}


def trace_problem(expected: Sequence[Observation], seen: Seen) -> str:
    """What is missing of one trace; empty when all of it is there and linked as it was sent."""
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
    parts = [wanted[start : start + _SCORES] for start in range(0, len(wanted), _SCORES)]
    seen: set[str] = set()

    async def read() -> None:
        while parts:
            try:
                seen.update(await _scores(rest, parts.pop()))
            except BaseException:
                parts.clear()  # the others ask no more either: the server may have asked for patience
                raise

    ends = await asyncio.gather(*(read() for _ in range(_AT_ONCE)), return_exceptions=True)
    for end in ends:
        if end is not None:
            raise end
    return seen


async def _scores(rest: LangfuseRest, ids: Sequence[str]) -> set[str]:
    parameters: dict[str, str | int] = {"id": ",".join(ids), "limit": _SCORES, "fields": "core"}
    return {row["id"] async for row in rest.by_cursor("v3/scores", parameters)}


async def seen_items(rest: LangfuseRest, experiment: str, since: float, wanted: Set[str]) -> set[str]:
    """Trace ids of items that an experiment shows, the newest first, until all wanted ones are among them.

    `since`: seconds since the epoch, before its first item.
    """
    parameters: dict[str, str | int] = {
        "experimentId": experiment,
        "fromStartTime": timestamp(since),
        "limit": _ITEMS,
        "fields": "core",
    }
    seen, left = set[str](), set(wanted)
    async for row in rest.by_cursor("experiment-items", parameters):
        seen.add(row["traceId"])
        left.discard(row["traceId"])
        if not left:
            break
    return seen
