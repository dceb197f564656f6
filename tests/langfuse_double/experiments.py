"""Experiments and their items, derived from the experiment attributes of spans as the server derives them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from tests.langfuse_double import score_reads
from tests.langfuse_double.span_meaning import ExperimentPart, below, end, environment, experiment_part, level, start
from tests.langfuse_double.store import Store, StoredScore, StoredSpan
from tests.langfuse_double.wire import Answer, Call, JsonObject, chosen_fields, cursor_page, invalid, iso

LIST_GROUPS = frozenset({"core", "metadata", "scores"})
ITEM_GROUPS = frozenset({"core", "dataset", "io", "metadata", "itemMetadata", "experimentMetadata", "scores"})
SCORE_FIELDS = frozenset({"core", "subject"})
SCORE_WINDOW = timedelta(days=1)
"""Item scores stamped further from the item than this are not shown here, only by the scores endpoint."""


@dataclass(frozen=True, slots=True)
class Member:
    """A span that belongs to an experiment."""

    span: StoredSpan
    part: ExperimentPart


def members(spans: Iterable[StoredSpan]) -> list[Member]:
    return [Member(span, part) for span in spans if (part := experiment_part(span)) is not None]


def item_roots(found: Iterable[Member]) -> list[Member]:
    """At most one root per experiment and item id, the first that arrived: a repetition inside one experiment and a
    span that was sent twice are not seen as further items."""
    roots: dict[tuple[str, str], Member] = {}
    for member in found:
        if member.span.id == member.part.root_observation_id:
            roots.setdefault((member.part.id, member.part.item_id), member)
    return list(roots.values())


def item_scores(store: Store, root: StoredSpan) -> list[StoredScore]:
    """Scores on the item's root observation, then scores of its whole trace."""
    of_trace = store.scores_by("trace_id", [root.trace_id])
    on_root = [score for score in of_trace if score.observation_id == root.id]
    return on_root + [score for score in of_trace if score.observation_id is None]


def listing(store: Store, call: Call) -> Answer:
    """GET experiments, latest activity first."""
    fields = chosen_fields(call, LIST_GROUPS, frozenset({"core"}))
    groups: dict[str, list[Member]] = {}
    for member in _readable_members(store, call, "id"):
        groups.setdefault(member.part.id, []).append(member)
    rows = [rows for rows in groups.values() if _matches(call, rows[0].part, id_name="id", name_name="name")]
    page, meta = cursor_page(
        call,
        rows,
        lambda rows: (-max(row.span.end_ns for row in rows), rows[0].part.id),
        call.whole("limit", 50, 1, 100),
    )
    score_limit = call.whole("scoreLimit", 50, high=50)
    return Answer(200, {"data": [_experiment(store, rows, fields, score_limit) for rows in page], "meta": meta})


def list_items(store: Store, call: Call) -> Answer:
    """GET experiment-items, newest first."""
    fields = chosen_fields(call, ITEM_GROUPS, frozenset({"core", "dataset"}))
    wanted = call.many("experimentItemId")
    rows = [
        member
        for member in item_roots(_readable_members(store, call, "experimentId"))
        if _matches(call, member.part, id_name="experimentId", name_name="experimentName")
        and (wanted is None or member.part.item_id in wanted)
    ]
    page, meta = cursor_page(call, rows, _order, call.whole("limit", 50, 1, 100))
    score_limit = call.whole("scoreLimit", 50, high=50)
    return Answer(200, {"data": [_item(store, member, fields, score_limit) for member in page], "meta": meta})


def _order(member: Member) -> tuple[Any, ...]:
    return (-member.span.start_ns, member.span.trace_id, member.span.id, member.part.id)


def _readable_members(store: Store, call: Call, id_name: str) -> list[Member]:
    """Those in the call's time, and of the experiments that it names, if any."""
    wanted = call.many(id_name)
    begin, until = call.moment("fromStartTime"), call.moment("toStartTime")
    if begin is None:
        raise invalid("fromStartTime is required")
    if call.one("cursor") is None:
        store.poll("experiments")
    return members(
        span
        for span in store.spans
        if (wanted is None or span.attributes.get("langfuse.experiment.id") in wanted)
        and start(span) >= begin
        and (until is None or start(span) < until)
        and store.readable("experiments", span.mark)
    )


def _matches(call: Call, part: ExperimentPart, *, id_name: str, name_name: str) -> bool:
    tests = ((id_name, part.id), (name_name, part.name), ("datasetId", part.dataset_id))
    return all((wanted := call.many(name)) is None or value in wanted for name, value in tests)


def _experiment(store: Store, rows: list[Member], fields: frozenset[str], score_limit: int) -> JsonObject:
    part = rows[0].part
    descriptions = {row.part.description for row in rows}
    shown: JsonObject = {
        "id": part.id,
        "name": part.name,
        "description": descriptions.pop() if len(descriptions) == 1 else None,
        "startTime": iso(min(start(row.span) for row in rows)),
        "endTime": iso(max(end(row.span) for row in rows)),
        "itemCount": len({row.part.item_id for row in rows}),
        "datasetId": part.dataset_id,
    }
    if "metadata" in fields:
        shown["metadata"] = part.metadata
    if "scores" in fields:
        scores = store.scores_by("dataset_run_id", [part.id])
        shown["scores"] = _shown_scores(store, scores, score_limit)
    return shown


def _item(store: Store, member: Member, fields: frozenset[str], score_limit: int) -> JsonObject:
    span, part = member.span, member.part
    shown: JsonObject = {
        "id": span.id,
        "traceId": span.trace_id,
        "startTime": iso(start(span)),
        "endTime": iso(end(span)),
        "level": level(span),
        "environment": environment(span),
        "experimentId": part.id,
        "experimentName": part.name,
        "experimentItemId": part.item_id,
    }
    groups: dict[str, JsonObject] = {
        "dataset": {"experimentDatasetId": part.dataset_id, "experimentItemVersion": part.item_version},
        "io": {
            "input": span.attributes.get("langfuse.observation.input"),
            "output": span.attributes.get("langfuse.observation.output"),
            "expectedOutput": part.expected_output,
        },
        "metadata": {"metadata": below(span, "langfuse.observation.metadata")},
        "itemMetadata": {"experimentItemMetadata": part.item_metadata},
        "experimentMetadata": {"experimentMetadata": part.metadata, "experimentDescription": part.description},
    }
    for group in fields & groups.keys():
        shown.update(groups[group])
    if "scores" in fields:
        near = [score for score in item_scores(store, span) if abs(score.timestamp - start(span)) <= SCORE_WINDOW]
        shown["scores"] = _shown_scores(store, near, score_limit)
    return shown


def _shown_scores(store: Store, scores: list[StoredScore], limit: int) -> list[JsonObject]:
    readable = [score for score in scores if store.readable("experiments", score.mark)]
    return [score_reads.shown(store, score, SCORE_FIELDS) for score in readable[:limit]]
