"""Writing scores: what is refused at the door, what is dropped behind it, and what replaces what."""

import math
import re
from dataclasses import replace
from typing import Any
from uuid import uuid4

from tests.langfuse_double.bodies import checked
from tests.langfuse_double.store import DroppedScore, Mark, Store, StoredScore
from tests.langfuse_double.wire import Answer, Call, JsonObject, Refused, invalid, missing, moment

ENVIRONMENT = re.compile(r"(?!langfuse)[a-z0-9_-]{1,40}")
DATA_TYPES = ("NUMERIC", "BOOLEAN", "CATEGORICAL", "TEXT", "CORRECTION")
MAX_ID = 800
LISTS_SINCE = (4, 59)


def create(store: Store, call: Call) -> Answer:
    """POST scores: a list from 4.59 on, a single object before.

    What a current server does with a single object is not documented, so it is refused here: nothing may rely on it.
    """
    if len(call.body) > store.settings.max_score_body:
        raise Refused(413, "Body exceeded 1mb limit", "PayloadTooLargeError")
    body = call.document()
    if store.settings.at_least(*LISTS_SINCE):
        if not isinstance(body, list):
            raise invalid("expected array, received object")
        return _many(store, body, call.rejected)
    if not isinstance(body, dict):
        raise invalid("expected object, received array")
    # Before lists came, a score had no timestamp of its own: the field is not known and is ignored.
    score = {name: value for name, value in body.items() if name != "timestamp"}
    return Answer(200, {"id": _accept(store, score, call.rejected, store.mark())})


def delete(store: Store, call: Call) -> Answer:
    """DELETE scores/{id}: every identity with this id."""
    found = store.scores_by("id", [call.path["id"]])
    if not found:
        raise missing("Score not found")
    for score in found:
        store.remove_score(score.identity)
    return Answer(202, {"message": "Score deletion request has been accepted."})


def _many(store: Store, bodies: list[Any], rejected: frozenset[str]) -> Answer:
    errors = []
    mark = store.mark()
    for body in bodies:
        try:
            _accept(store, body, rejected, mark)
        except Refused as refused:
            errors.append({"message": refused.answer.document["message"]})
    if not errors:
        return Answer(202, {"message": "Accepted"})
    return Answer(207, {"accepted": len(bodies) - len(errors), "rejected": len(errors), "errors": errors})


def _accept(store: Store, body: Any, rejected: frozenset[str], mark: Mark) -> str:
    """The id under which the score is kept, or would be if its config did not forbid it; Refused when invalid."""
    checked(store, "CreateScoreRequest", body)
    if not isinstance(body, dict) or body.get("name") in rejected:
        raise invalid("the score was refused")
    body = {**body, "id": body.get("id") or str(uuid4())}
    _check_shape(body)
    config = store.configs.get(str(body.get("configId")))
    reason = _drop_reason(body, config)
    if reason is not None:
        store.dropped.append(DroppedScore(body, reason))
        return str(body["id"])
    score = _stored(store, body, config, mark)
    store.put_score(score)
    return score.id


def by_a_person(store: Store, body: JsonObject, author: str) -> None:
    """The rows that the user interface stores when a person scores an item of a queue."""
    identity = _accept(store, {"source": "ANNOTATION", **body}, frozenset(), store.mark())
    for score in store.scores_by("id", [identity]):
        store.put_score(replace(score, author=author))


def _check_shape(body: JsonObject) -> None:
    targets = [name for name in ("traceId", "sessionId", "datasetRunId") if body.get(name)]
    if len(targets) != 1:
        raise invalid(f"provide exactly one of traceId, sessionId and datasetRunId, not {targets or 'none'}")
    if body.get("observationId") and targets != ["traceId"]:
        raise invalid("observationId needs traceId")
    if not isinstance(body.get("name"), str) or not body["name"]:
        raise invalid("name must not be empty")
    if not isinstance(body["id"], str) or len(body["id"]) > MAX_ID:
        raise invalid(f"id must be text of at most {MAX_ID} characters")
    environment = body.get("environment")
    if environment is not None and not ENVIRONMENT.fullmatch(environment):
        raise invalid(f"environment {environment!r} is not allowed")
    source, kind = body.get("source") or "API", body.get("dataType")
    if source not in ("API", "ANNOTATION"):
        raise invalid(f"source {source!r} is not accepted")
    if source == "ANNOTATION" and kind != "CORRECTION" and not body.get("configId"):
        raise invalid("source ANNOTATION needs a configId")
    _check_value(body.get("value"), kind)


def _check_value(value: Any, kind: str | None) -> None:
    is_number = type(value) in (int, float) and math.isfinite(value)
    if not is_number and not isinstance(value, str):
        raise invalid(f"value must be a finite number or text, not {value!r}")
    if kind is not None and kind not in DATA_TYPES:
        raise invalid(f"dataType {kind!r} is not known")
    if kind in ("NUMERIC", "BOOLEAN") and not is_number:
        raise invalid(f"a {kind} value must be a number")
    if kind == "BOOLEAN" and value not in (0, 1):
        raise invalid("a BOOLEAN value must be 0 or 1")
    if kind in ("CATEGORICAL", "TEXT", "CORRECTION") and is_number:
        raise invalid(f"a {kind} value must be text")
    if kind == "TEXT" and not 1 <= len(value) <= 500:
        raise invalid("a TEXT value must have 1 to 500 characters")


def _drop_reason(body: JsonObject, config: JsonObject | None) -> str | None:
    """Why the worker throws the accepted score away; none when it is kept."""
    if not body.get("configId"):
        return None
    if config is None:
        return f"no score config {body['configId']!r}"
    if config["isArchived"]:
        return f"the score config {config['name']!r} is archived"
    kind, value = config["dataType"], body["value"]
    if body.get("dataType") not in (None, kind) or isinstance(value, str) == (kind in ("NUMERIC", "BOOLEAN")):
        return f"the config {config['name']!r} is {kind}"
    if kind == "NUMERIC":
        low, high = config["minValue"], config["maxValue"]
        if (low is not None and value < low) or (high is not None and value > high):
            return f"{value!r} is outside {low!r} to {high!r}"
    if kind == "CATEGORICAL" and value not in [category["label"] for category in config["categories"]]:
        return f"no category {value!r}"
    return None


def _stored(store: Store, body: JsonObject, config: JsonObject | None, mark: Mark) -> StoredScore:
    value, now = body["value"], store.now()
    inferred = "CATEGORICAL" if isinstance(value, str) else "NUMERIC"
    kind = config["dataType"] if config else body.get("dataType") or inferred
    name = "output" if kind == "CORRECTION" else (config["name"] if config else body["name"])
    at = moment(body["timestamp"]) if body.get("timestamp") else now
    before = store.score((body["id"], name, at.date()))
    return StoredScore(
        id=body["id"],
        name=name,
        value=value if isinstance(value, str) else float(value),
        data_type=kind,
        trace_id=body.get("traceId"),
        observation_id=body.get("observationId"),
        session_id=body.get("sessionId"),
        dataset_run_id=body.get("datasetRunId"),
        comment=body.get("comment"),
        metadata=body.get("metadata"),
        environment=body.get("environment") or "default",
        config_id=body.get("configId"),
        queue_id=body.get("queueId"),
        source=body.get("source") or "API",
        timestamp=at,
        created_at=before.created_at if before else now,
        updated_at=now,
        mark=before.mark if before else mark,
        writes=before.writes + 1 if before else 1,
    )
