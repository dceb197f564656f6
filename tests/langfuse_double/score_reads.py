"""Scores v3: filters, field groups and cursor pages."""

from collections.abc import Callable
from typing import Any

from tests.langfuse_double.store import Store, StoredScore
from tests.langfuse_double.wire import Answer, Call, JsonObject, chosen_fields, cursor_page, invalid, iso

GROUPS = frozenset({"core", "subject", "details", "annotation"})
ATTRIBUTES = {
    "id": "id",
    "name": "name",
    "source": "source",
    "dataType": "data_type",
    "environment": "environment",
    "configId": "config_id",
    "queueId": "queue_id",
    "traceId": "trace_id",
    "sessionId": "session_id",
    "observationId": "observation_id",
    "experimentId": "dataset_run_id",
}


def listing(store: Store, call: Call) -> Answer:
    """GET v3/scores, newest timestamp first."""
    fields = chosen_fields(call, GROUPS, frozenset({"core"}))
    limit = call.whole("limit", 50, high=100)
    _check_targets(call)
    if call.one("cursor") is None:
        store.poll("scores")
    tests = _tests(call)
    rows = [
        score
        for score in _candidates(store, call)
        if store.readable("scores", score.mark) and all(test(score) for test in tests)
    ]
    page, meta = cursor_page(call, rows, _order, limit)
    return Answer(200, {"data": [shown(store, score, fields) for score in page], "meta": {"limit": limit, **meta}})


def shown(store: Store, score: StoredScore, fields: frozenset[str]) -> JsonObject:
    """One score with the asked field groups; its value has the type of its data type."""
    row: JsonObject = {
        "id": score.id,
        "projectId": store.project_id,
        "name": score.name,
        "value": bool(score.value) if score.data_type == "BOOLEAN" else score.value,
        "dataType": score.data_type,
        "source": score.source,
        "timestamp": iso(score.timestamp),
        "environment": score.environment,
        "createdAt": iso(score.created_at),
        "updatedAt": iso(score.updated_at),
    }
    if "details" in fields:
        row.update({"comment": score.comment, "configId": score.config_id, "metadata": score.metadata or {}})
    if "subject" in fields:
        row["subject"] = _subject(score)
    if "annotation" in fields:
        row.update({"authorUserId": score.author, "queueId": score.queue_id})
    return row


def _subject(score: StoredScore) -> JsonObject:
    if score.observation_id:
        return {"kind": "observation", "id": score.observation_id, "traceId": score.trace_id}
    if score.trace_id:
        return {"kind": "trace", "id": score.trace_id}
    if score.session_id:
        return {"kind": "session", "id": score.session_id}
    return {"kind": "experiment", "id": score.dataset_run_id}


def _order(score: StoredScore) -> tuple[Any, ...]:
    return (-score.timestamp.timestamp(), score.id, score.name)


def _check_targets(call: Call) -> None:
    given = [name for name in ("traceId", "sessionId", "experimentId") if call.one(name)]
    if len(given) > 1:
        raise invalid(f"{given[0]} and {given[1]} exclude each other")
    if call.one("observationId") and given != ["traceId"]:
        raise invalid("observationId needs traceId")
    kinds = call.many("dataType") or frozenset()
    bounded = call.one("valueMin") is not None or call.one("valueMax") is not None
    if bounded and {kind.upper() for kind in kinds} != {"NUMERIC"}:
        raise invalid("valueMin and valueMax need dataType NUMERIC")
    if call.one("value") is not None and len(kinds) != 1:
        raise invalid("value needs a single dataType")


def _candidates(store: Store, call: Call) -> list[StoredScore]:
    for name, kind in (("id", "id"), ("traceId", "trace_id"), ("experimentId", "dataset_run_id")):
        keys = call.many(name)
        if keys is not None:
            return store.scores_by(kind, keys)
    return store.scores()


def _tests(call: Call) -> list[Callable[[StoredScore], bool]]:
    tests: list[Callable[[StoredScore], bool]] = []
    for parameter, attribute in ATTRIBUTES.items():
        wanted = call.many(parameter)
        if wanted is not None:
            folded = parameter in ("source", "dataType")
            tests.append(_one_of(attribute, frozenset(map(str.upper, wanted)) if folded else wanted))
    tests.extend(_value_tests(call))
    begin, end = call.moment("fromTimestamp"), call.moment("toTimestamp")
    if begin is not None:
        tests.append(lambda score: score.timestamp >= begin)
    if end is not None:
        tests.append(lambda score: score.timestamp < end)
    return tests


def _one_of(attribute: str, wanted: frozenset[str]) -> Callable[[StoredScore], bool]:
    return lambda score: getattr(score, attribute) in wanted


def _value_tests(call: Call) -> list[Callable[[StoredScore], bool]]:
    tests: list[Callable[[StoredScore], bool]] = []
    low, high, exact = call.number("valueMin"), call.number("valueMax"), call.many("value")
    if low is not None:
        tests.append(lambda score: isinstance(score.value, float) and score.value >= low)
    if high is not None:
        tests.append(lambda score: isinstance(score.value, float) and score.value <= high)
    if exact is not None:
        tests.append(lambda score: _as_filter(score) in {_number_or_text(value) for value in exact})
    return tests


def _as_filter(score: StoredScore) -> float | str:
    if score.data_type == "BOOLEAN":
        return "true" if score.value else "false"
    return score.value


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
