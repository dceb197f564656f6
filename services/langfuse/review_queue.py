"""Annotation queues: where people score traces in Langfuse. A queue cannot be changed once it is made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote

from evaluation.errors import UsageError
from services.langfuse.rest import LangfuseRest, Rejected, Unknown

_PAGE = 100
_TRIES = 3


class QueueTarget(NamedTuple):
    """What is to be scored."""

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
    """The person's user id; empty where the server does not tell."""
    timestamp: str


async def find_queue(rest: LangfuseRest, name: str) -> Mapping[str, Any] | None:
    """The queue of that name."""
    async for row in rest.by_page("annotation-queues"):
        if row["name"] == name:
            found: Mapping[str, Any] = row
            return found
    return None


async def ensure_queue(rest: LangfuseRest, name: str, config_ids: Sequence[str], description: str) -> tuple[str, str]:
    """(id of the queue, a note that is empty when all is well); made when there is none of that name.

    Raises UsageError when the server refuses to make one, as plans do that allow few queues.
    """
    refusal = ""
    for _ in range(_TRIES):
        queue = await find_queue(rest, name)
        if queue is not None:
            missing = set(config_ids) - set(queue["scoreConfigIds"])
            lacks = f"queue {name!r} lacks {len(missing)} of the rubric's scores, and a queue cannot be changed"
            return str(queue["id"]), f"{lacks}: name a new one" if missing else ""
        if refusal:
            break
        body = {"name": name, "description": description, "scoreConfigIds": list(config_ids)}
        try:
            made = (await rest.posted_once("annotation-queues", json=body)).json()
            return str(made["id"]), ""
        except Unknown:
            continue  # names are unique: looking tells whether it was made
        except Rejected as rejected:
            refusal = str(rejected)
    raise UsageError(f"{rest.where} makes no queue {name!r} ({refusal or 'no answer'}): make it there, or name another")


async def add_items(rest: LangfuseRest, queue: str, targets: Sequence[QueueTarget]) -> tuple[int, int]:
    """Puts into the queue what it does not hold yet; (how many were added, how many were there)."""
    path = f"annotation-queues/{quote(queue, safe='')}/items"
    wanted = list(dict.fromkeys(targets))
    known = await _held(rest, path)
    there = sum(target in known for target in wanted)
    for target in wanted:
        if target not in known:
            await _add(rest, path, target)
    return len(wanted) - there, there


async def queue_scores(rest: LangfuseRest, queue: str) -> list[QueueScore]:
    """What people have scored in the queue so far: numbers on traces and observations."""
    parameters: dict[str, str | int] = {
        "source": "ANNOTATION",
        "queueId": queue,
        "fields": "core,details,subject,annotation",
        "limit": _PAGE,
    }
    return [score async for row in rest.by_cursor("v3/scores", parameters) if (score := _score(row)) is not None]


async def _add(rest: LangfuseRest, path: str, target: QueueTarget) -> None:
    body = {"objectId": target.id, "objectType": target.kind}
    for _ in range(_TRIES):
        try:
            await rest.posted_once(path, json=body)
        except Unknown as unknown:
            # An item may stand in a queue twice, so it is looked for before it is added again.
            last = unknown
            if target in await _held(rest, path):
                return
        else:
            return
    raise last


async def _held(rest: LangfuseRest, path: str) -> set[QueueTarget]:
    return {QueueTarget(row["objectType"], row["objectId"]) async for row in rest.by_page(path)}


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
