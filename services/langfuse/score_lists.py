"""Posting scores: validated here, in lists below the size limit, with every refused one found and named."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from evaluation.records import Json
from services.json_text import to_line
from services.langfuse.names import MAX_NAME, ScoreKind
from services.langfuse.preflight import ScoreMode
from services.langfuse.rest import LangfuseRest, Rejected

Body: TypeAlias = dict[str, Json]
Refusals: TypeAlias = dict[str, str]
"""Score id -> why the server, or the check before sending, refuses it."""

MAX_BYTES = 900_000
"""Of one list; the server takes less than 1,000,000."""
_HEADERS = {"content-type": "application/json"}


async def post_scores(rest: LangfuseRest, bodies: Iterable[Body], mode: ScoreMode) -> Refusals:
    """Sends all bodies; sending one again replaces it. Raises TryAgain when patience ends, UsageError for the keys."""
    refusals: Refusals = {}
    if mode == "single":
        for body in bodies:
            refusals |= await _post_single(rest, body)
        return refusals
    for part in lists(bodies):
        refusals |= await _post_list(rest, part)
    return refusals


def lists(bodies: Iterable[Body]) -> Iterator[list[tuple[str, bytes]]]:
    """(score id, JSON) in groups whose list stays below the size limit."""
    part: list[tuple[str, bytes]] = []
    size = 2
    for body in bodies:
        text = to_line(body).encode()
        if part and size + len(text) + 1 > MAX_BYTES:
            yield part
            part, size = [], 2
        part.append((str(body["id"]), text))
        size += len(text) + 1
    if part:
        yield part


def check(body: Body, kind_of: Callable[[str], ScoreKind]) -> str:
    """Why the server would refuse or silently drop this score; empty when it is good."""
    name, value = body["name"], body["value"]
    if not name or len(name) > MAX_NAME:
        return f"name {name!r} does not have 1 to {MAX_NAME} characters"
    targets = [target for target in ("traceId", "sessionId", "datasetRunId") if body.get(target)]
    if len(targets) != 1:
        return f"has {len(targets)} targets"
    if len(to_line(body).encode()) > MAX_BYTES:
        return f"is larger than {MAX_BYTES:,} bytes"
    return kind_of(name).problem(value)


async def _post_list(rest: LangfuseRest, part: Sequence[tuple[str, bytes]]) -> Refusals:
    """One list; when the server refuses some of it without saying which, both halves, down to the single score."""
    content = b"[" + b",".join(text for _, text in part) + b"]"
    try:
        response = await rest.repeated("POST", "scores", content=content, headers=_HEADERS)
    except Rejected as rejected:
        if rejected.status == 404:
            raise
        message = str(rejected)
    else:
        if response.status != 207:
            return {}
        errors = response.json().get("errors") or [{}]
        message = str(errors[0].get("message", "refused without a reason"))[:300]
    if len(part) == 1:
        return {part[0][0]: message}
    middle = len(part) // 2
    return await _post_list(rest, part[:middle]) | await _post_list(rest, part[middle:])


async def _post_single(rest: LangfuseRest, body: Body) -> Refusals:
    try:
        await rest.repeated("POST", "scores", json=body)
    except Rejected as rejected:
        if rejected.status == 404:
            raise
        return {str(body["id"]): str(rejected)}
    return {}
