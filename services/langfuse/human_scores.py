"""People's scores: sent as scores of the traces, under names of their own, and given in annotation queues.

One name means one scale. A queue cannot be changed once it is made.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import quote

from evaluation.errors import UsageError
from services.langfuse.masking import Outgoing, fit_json
from services.langfuse.readback import seen_scores
from services.langfuse.rest import FIRST_PAGE, LangfuseRest, Rejected, Unknown, Waiting
from services.langfuse.score_names import Figure, ScoreKind, score_name
from services.langfuse.scores import Body, score_body
from services.langfuse.traces import turn_observation

SETTLING_S = 30.0
"""The time that scores are looked for after they were sent: long enough for the server to take them in."""
_LONGEST_PAUSE_S = 2.0
_PAGE = 100


class QueueTarget(NamedTuple):
    """The target that is to be scored."""

    kind: str
    """TRACE or OBSERVATION."""
    id: str


@dataclass(frozen=True, slots=True)
class QueueScore:
    """One value that a person gave to an item of a queue."""

    target: QueueTarget
    name: str
    value: float
    comment: str
    author: str
    """The person's user id; empty where the server does not say."""
    timestamp: str


def human_kinds(suite: str, metrics: Iterable[str], low: float, high: float) -> tuple[ScoreKind, ...]:
    """Name, type and range of people's scores."""
    return tuple(ScoreKind(score_name(suite, "human", metric), "NUMERIC", low, high) for metric in metrics)


def scored_observation(record: Mapping[str, Any]) -> str:
    """The generation of a record's response: of production the one that was met, of a single turn the trace's root."""
    if "observation_id" in record:
        return str(record["observation_id"])
    return turn_observation(record["trace_id"], record.get("turns", 1), record["turn"])


def queue_target(record: Mapping[str, Any]) -> QueueTarget:
    """The target that a person is to open: the trace of a single turn, the turn's own observation of a conversation."""
    if record.get("turns", 1) == 1 and "observation_id" not in record:
        return QueueTarget("TRACE", record["trace_id"])
    return QueueTarget("OBSERVATION", scored_observation(record))


def human_scores(
    records: Iterable[Mapping[str, Any]], environment: str, fit: Outgoing, configs: Mapping[str, str]
) -> Iterator[Body]:
    """The bodies of reviews' scores. Their ids follow from response, name and reviewer, and their timestamps are those
    of the responses, so that sending a changed review replaces what was sent before."""
    for record in records:
        trace, observation = record["trace_id"], scored_observation(record)
        rubric = record.get("rubric") or {}
        metadata = {"reviewer": record["reviewer"], "blind": record.get("blind", True)}
        metadata |= {"rubric": rubric.get("name"), "rubric_version": rubric.get("version")}
        for metric, value in record["scores"].items():
            if value is None:
                continue
            comment = " ".join(text for text in (record.get("rationale", {}).get(metric, ""), record["notes"]) if text)
            yield score_body(
                Figure(score_name(record["suite"], "human", metric), value, comment),
                "NUMERIC",
                subject=f"{trace}|{observation}|{record['reviewer']}",
                target={"traceId": trace, "observationId": observation},
                environment=environment,
                metadata=fit_json(metadata, fit),
                at=record["timestamp"],
                fit=fit,
                configs=configs,
            )


async def unconfirmed_scores(rest: LangfuseRest, ids: Sequence[str]) -> list[str]:
    """Those of the sent scores that cannot be read back within half a minute."""
    timing, left = rest.timing, list(ids)

    async def look() -> Waiting | None:
        seen = await seen_scores(rest, left)
        left[:] = [each for each in left if each not in seen]
        return Waiting(tuple(left), "") if left else None

    return list(await timing.until(look, timing.clock() + SETTLING_S, _LONGEST_PAUSE_S, lambda _: None))


async def find_queue(rest: LangfuseRest, name: str) -> Mapping[str, Any] | None:
    """The queue of that name."""
    async for row in rest.rows("annotation-queues", **FIRST_PAGE):
        if row["name"] == name:
            return dict(row)
    return None


async def ensure_queue(rest: LangfuseRest, name: str, config_ids: Sequence[str], description: str) -> tuple[str, str]:
    """(id of the queue, a note that is empty when all is well); made when there is none of that name.

    Raises UsageError when the server refuses to make one, as plans do that allow few queues.
    """
    queue = await find_queue(rest, name)
    if queue is None:
        body = {"name": name, "description": description, "scoreConfigIds": list(config_ids)}
        try:
            queue = await rest.make("annotation-queues", body, lambda: find_queue(rest, name))
        except (Rejected, Unknown) as refusal:
            queue = await find_queue(rest, name)  # names are unique: somebody else may just have made it
            if queue is None:
                why = f"{rest.where} makes no queue {name!r} ({refusal})"
                raise UsageError(f"{why}: make it there, or name another") from None
    missing = set(config_ids) - set(queue["scoreConfigIds"])
    lacks = f"queue {name!r} lacks {len(missing)} of the rubric's scores, and a queue cannot be changed"
    return str(queue["id"]), f"{lacks}: name a new one" if missing else ""


async def add_items(rest: LangfuseRest, queue: str, targets: Sequence[QueueTarget]) -> tuple[int, int]:
    """Puts into the queue what it does not hold yet; (how many were added, how many were there)."""
    path = f"annotation-queues/{quote(queue, safe='')}/items"
    wanted = list(dict.fromkeys(targets))

    async def current_targets() -> set[QueueTarget]:
        return {QueueTarget(row["objectType"], row["objectId"]) async for row in rest.rows(path, **FIRST_PAGE)}

    async def find(target: QueueTarget) -> QueueTarget | None:
        return target if target in await current_targets() else None

    known = await current_targets()
    missing = [target for target in wanted if target not in known]
    for target in missing:
        # An item may stand in a queue twice, so it is looked for before it is added again.
        await rest.make(path, {"objectId": target.id, "objectType": target.kind}, partial(find, target))
    return len(missing), len(wanted) - len(missing)


async def queue_scores(rest: LangfuseRest, queue: str) -> list[QueueScore]:
    """The scores of people in the queue so far: numbers on traces and observations."""
    rows = rest.rows(
        "v3/scores", source="ANNOTATION", queueId=queue, fields="core,details,subject,annotation", limit=_PAGE
    )
    return [score async for row in rows if (score := _score(row)) is not None]


def _score(row: Mapping[str, Any]) -> QueueScore | None:
    subject, value = row.get("subject") or {}, row.get("value")
    kind = {"trace": "TRACE", "observation": "OBSERVATION"}.get(subject.get("kind", ""))
    if kind is None or isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return QueueScore(
        target=QueueTarget(kind, subject["id"]),
        name=row["name"],
        value=float(value),
        comment=str(row.get("comment") or ""),
        author=str(row.get("authorUserId") or ""),
        timestamp=row["timestamp"],
    )
