"""What Langfuse can show of what was sent: spans with their prompt links, scores by id, items by experiment."""

import json
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from services.langfuse.observations import Observation
from services.langfuse.rest import LangfuseRest
from services.langfuse.score_projection import timestamp

Seen: TypeAlias = dict[tuple[str, str], tuple[str | None, int | None]]
"""(trace id, observation id) -> name and version of the linked prompt."""

_OBSERVATIONS, _SCORES, _ITEMS = 1000, 100, 100
"""Most rows per page."""
_MARGIN_S = 1.0


async def seen_observations(rest: LangfuseRest, run_id: str, expected: Sequence[Observation]) -> Seen:
    """Those of the run's observations that lie in the time of the expected ones and can be read."""
    if not expected:
        return {}
    begin = min(observation.start_ns for observation in expected) / 1e9 - _MARGIN_S
    end = max(observation.start_ns for observation in expected) / 1e9 + _MARGIN_S
    conditions = [
        {"type": "datetime", "column": "startTime", "operator": ">=", "value": timestamp(begin)},
        {"type": "datetime", "column": "startTime", "operator": "<=", "value": timestamp(end)},
        {"type": "arrayOptions", "column": "tags", "operator": "any of", "value": [run_id]},
    ]
    parameters: dict[str, str | int] = {
        "fields": "core,basic,prompt,trace_context",
        "limit": _OBSERVATIONS,
        "filter": json.dumps(conditions),
    }
    wanted = {(observation.trace_id, observation.id) for observation in expected}
    seen: Seen = {}
    while True:
        answer = await rest.get("v2/observations", parameters)
        for row in answer["data"]:
            key = (row["traceId"], row["id"])
            if key in wanted:
                seen[key] = (row.get("promptName"), row.get("promptVersion"))
        cursor = answer["meta"].get("cursor")
        if not cursor:
            return seen
        parameters["cursor"] = cursor


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
    seen: set[str] = set()
    for start in range(0, len(wanted), _SCORES):
        part = wanted[start : start + _SCORES]
        parameters: dict[str, str | int] = {"id": ",".join(part), "limit": _SCORES, "fields": "core"}
        while True:
            answer = await rest.get("v3/scores", parameters)
            seen.update(row["id"] for row in answer["data"])
            cursor = answer["meta"].get("cursor")
            if not cursor:
                break
            parameters["cursor"] = cursor
    return seen


async def seen_items(rest: LangfuseRest, experiment: str, since: float) -> set[str]:
    """Trace ids of the items that an experiment shows. `since`: seconds since the epoch, before its first item."""
    parameters: dict[str, str | int] = {
        "experimentId": experiment,
        "fromStartTime": timestamp(since),
        "limit": _ITEMS,
        "fields": "core",
    }
    seen: set[str] = set()
    while True:
        answer = await rest.get("experiment-items", parameters)
        seen.update(row["traceId"] for row in answer["data"])
        cursor = answer["meta"].get("cursor")
        if not cursor:
            return seen
        parameters["cursor"] = cursor
