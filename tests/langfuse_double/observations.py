"""Observations v2: filters, field groups and cursor pages over what was exported."""

import json
from collections.abc import Callable
from typing import Any

from tests.langfuse_double.span_meaning import (
    below,
    decoded,
    end,
    environment,
    is_root,
    level,
    observation_type,
    prompt_link,
    start,
    text,
)
from tests.langfuse_double.store import Store, StoredSpan
from tests.langfuse_double.wire import Answer, Call, JsonObject, chosen_fields, cursor_page, invalid, iso, moment

GROUPS: dict[str, tuple[str, ...]] = {
    "core": ("id", "traceId", "startTime", "endTime", "projectId", "parentObservationId", "type"),
    "basic": (
        "name",
        "level",
        "statusMessage",
        "version",
        "environment",
        "bookmarked",
        "public",
        "userId",
        "sessionId",
        "isRootObservation",
    ),
    "time": ("completionStartTime", "createdAt", "updatedAt"),
    "io": ("input", "output"),
    "metadata": ("metadata",),
    "model": ("model", "internalModelId", "modelParameters"),
    "usage": ("usageDetails", "costDetails", "totalCost", "usagePricingTierName"),
    "prompt": ("promptId", "promptName", "promptVersion"),
    "metrics": ("latency", "timeToFirstToken"),
    "trace_context": ("tags", "release", "traceName"),
}
FILTERS = ("name", "userId", "sessionId", "type", "traceId", "level", "version")
LONGEST_METADATA = 200
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    ">": lambda actual, wanted: bool(actual > wanted),
    ">=": lambda actual, wanted: bool(actual >= wanted),
    "<": lambda actual, wanted: bool(actual < wanted),
    "<=": lambda actual, wanted: bool(actual <= wanted),
    "contains": lambda actual, wanted: str(wanted) in str(actual),
    "does not contain": lambda actual, wanted: str(wanted) not in str(actual),
    "matches": lambda actual, wanted: str(wanted).lower() in str(actual).lower(),
    "starts with": lambda actual, wanted: str(actual).startswith(str(wanted)),
    "ends with": lambda actual, wanted: str(actual).endswith(str(wanted)),
}
OPERATORS_OF_LISTS = ("any of", "none of", "all of")
KINDS_OF_LISTS = ("stringOptions", "categoryOptions", "arrayOptions")
KINDS = (*KINDS_OF_LISTS, "datetime", "string", "number", "stringObject", "numberObject", "boolean", "null")


def listing(store: Store, call: Call) -> Answer:
    """GET v2/observations, newest start first. A span that was sent twice is shown twice."""
    fields = chosen_fields(call, frozenset(GROUPS), frozenset({"core", "basic"}))
    if call.one("parseIoAsJson") == "true":
        raise invalid("parseIoAsJson is not supported any more")
    if call.one("cursor") is None:
        store.poll("observations")
    trace_id, in_time = call.one("traceId"), _in_time(call)
    spans = store.spans if trace_id is None else store.trace(trace_id)
    found = [
        (span, row)
        for span in spans
        if store.readable("observations", span.mark)
        and in_time(span)
        and _wanted(call, span, row := observation(store, span))
    ]
    page, meta = cursor_page(call, found, lambda entry: _order(entry[0]), call.whole("limit", 50, high=1000))
    names = [name for group in fields for name in GROUPS[group]]
    expanded = call.many("expandMetadata") or frozenset()
    data = [{name: _cut(row[name], expanded) if name == "metadata" else row[name] for name in names} for _, row in page]
    return Answer(200, {"data": data, "meta": meta})


def observation(store: Store, span: StoredSpan) -> JsonObject:
    """All fields of one observation."""
    link = prompt_link(store, span)
    prompt = store.prompt(*link) if link else None
    prefix = "langfuse.observation."
    cost = decoded(span.attributes.get(prefix + "cost_details")) or {}
    return {
        "id": span.id,
        "traceId": span.trace_id,
        "startTime": iso(start(span)),
        "endTime": iso(end(span)),
        "projectId": store.project_id,
        "parentObservationId": span.parent_id,
        "type": observation_type(span),
        "isRootObservation": is_root(span),
        "name": span.name,
        "level": level(span),
        "statusMessage": text(span, prefix + "status_message") or span.status_message or None,
        "version": text(span, "langfuse.version"),
        "environment": environment(span),
        "bookmarked": False,
        "public": text(span, "langfuse.trace.public") == "True",
        "userId": text(span, "user.id"),
        "sessionId": text(span, "session.id"),
        "completionStartTime": decoded(span.attributes.get(prefix + "completion_start_time")),
        "createdAt": iso(span.stored_at),
        "updatedAt": iso(span.stored_at),
        "input": span.attributes.get(prefix + "input"),
        "output": span.attributes.get(prefix + "output"),
        "metadata": below(span, prefix + "metadata") or {},
        "model": text(span, prefix + "model.name"),
        "internalModelId": None,
        "modelParameters": decoded(span.attributes.get(prefix + "model.parameters")),
        "usageDetails": decoded(span.attributes.get(prefix + "usage_details")) or {},
        "costDetails": cost,
        "totalCost": cost.get("total", sum(cost.values())) if cost else None,
        "usagePricingTierName": None,
        "promptId": prompt.id if prompt else None,
        "promptName": link[0] if link else store.settings.name_without_prompt,
        "promptVersion": link[1] if link else None,
        "latency": (span.end_ns - span.start_ns) / 1e9,
        "timeToFirstToken": None,
        "tags": list(span.attributes.get("langfuse.trace.tags") or []),
        "release": text(span, "langfuse.release"),
        "traceName": text(span, "langfuse.trace.name"),
    }


def _order(span: StoredSpan) -> tuple[Any, ...]:
    return (-span.start_ns, span.trace_id, span.id, span.sequence)


def _cut(metadata: JsonObject, expanded: frozenset[str]) -> JsonObject:
    return {
        key: value[:LONGEST_METADATA] if isinstance(value, str) and key not in expanded else value
        for key, value in metadata.items()
    }


def _wanted(call: Call, span: StoredSpan, row: JsonObject) -> bool:
    conditions = call.one("filter")
    if conditions is not None:
        return all(_holds(condition, row) for condition in _conditions(conditions))
    if any(call.one(name) not in (None, row[name]) for name in FILTERS):
        return False
    environments = call.many("environment")
    root = call.one("isRootObservation")
    return (
        (environments is None or row["environment"] in environments)
        and (root is None or (root == "true") == row["isRootObservation"])
        and ("parentObservationId" not in call.query or call.one("parentObservationId") == span.parent_id)
    )


def _in_time(call: Call) -> Callable[[StoredSpan], bool]:
    """True where a span began between the query's times, which count only without a structured filter."""
    begin, until = call.moment("fromStartTime"), call.moment("toStartTime")
    if call.one("filter") is not None:
        return lambda _: True
    return lambda span: (begin is None or start(span) >= begin) and (until is None or start(span) < until)


def _conditions(text: str) -> list[JsonObject]:
    try:
        conditions = json.loads(text)
    except ValueError as error:
        raise invalid("filter is not JSON") from error
    if not isinstance(conditions, list) or not all(isinstance(part, dict) for part in conditions):
        raise invalid("filter is not a list of conditions")
    return conditions


def _holds(condition: JsonObject, row: JsonObject) -> bool:
    """One condition of the structured filter, of the kinds that a read-back needs."""
    column = {"traceTags": "tags"}.get(condition.get("column", ""), condition.get("column"))
    if column not in row:
        raise invalid(f"unknown filter column {condition.get('column')!r}")
    actual, wanted, operator = row[column], condition.get("value"), str(condition.get("operator"))
    kind = condition.get("type")
    if kind not in KINDS:
        raise invalid(f"unknown filter type {kind!r}")
    if kind == "datetime":
        actual, wanted = moment(actual), moment(wanted)
    if operator in OPERATORS_OF_LISTS:
        if not isinstance(wanted, list) or kind not in KINDS_OF_LISTS:
            raise invalid(f"operator {operator!r} of {condition.get('column')!r} needs a list of options")
        values = actual if isinstance(actual, list) else [actual]
        if operator == "all of":
            return all(each in values for each in wanted)
        return any(value in wanted for value in values) == (operator == "any of")
    if operator in ("is null", "is not null"):
        return (actual is None) == (operator == "is null")
    return _compared(actual, operator, wanted)


def _compared(actual: Any, operator: str, wanted: Any) -> bool:
    if operator in ("=", "<>"):
        return bool(actual == wanted) == (operator == "=")
    if actual is None:
        return False
    if operator not in COMPARISONS:
        raise invalid(f"unknown filter operator {operator!r}")
    return COMPARISONS[operator](actual, wanted)
