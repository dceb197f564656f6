"""Posting scores: validated here, in lists below the size limit, with every refused one found and named."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias, TypeVar

from evaluation.records import Json
from services.json_text import to_line
from services.langfuse.names import MAX_NAME, ScoreKind
from services.langfuse.preflight import ScoreMode
from services.langfuse.rest import LangfuseRest, Rejected

T = TypeVar("T")
Body: TypeAlias = dict[str, Json]
Refusals: TypeAlias = dict[str, str]
"""Score id -> why the server, or the check before sending, refuses it."""

MAX_BYTES = 900_000
"""Of one list; the server takes less than 1,000,000."""
_HEADERS = {"content-type": "application/json"}


async def post_scores(rest: LangfuseRest, bodies: Iterable[Body], mode: ScoreMode) -> Refusals:
    """Sends all bodies; sending one again replaces it. Raises TryAgain when patience ends, UsageError for the keys."""
    refusals: Refusals = {}
    texts = ((str(body["id"]), to_line(body).encode()) for body in bodies)
    # A score on its own is a list of which no other score shares the request.
    for part in split_within(texts, lambda text: len(text[1]) + 1, MAX_BYTES - 2 if mode == "list" else 0):
        refusals |= await _post(rest, part, mode)
    return refusals


def split_within(items: Iterable[T], size_of: Callable[[T], int], most: int) -> Iterator[list[T]]:
    """In order, one group for each request: none larger than `most` unless a single item is."""
    group: list[T] = []
    size = 0
    for item in items:
        own = size_of(item)
        if group and size + own > most:
            yield group
            group, size = [], 0
        group.append(item)
        size += own
    if group:
        yield group


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


async def _post(rest: LangfuseRest, part: Sequence[tuple[str, bytes]], mode: ScoreMode) -> Refusals:
    """One request; when the server refuses some of it without saying which, both halves, down to the single score."""
    joined = b",".join(text for _, text in part)
    content = b"[" + joined + b"]" if mode == "list" else joined
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
    return await _post(rest, part[:middle], mode) | await _post(rest, part[middle:], mode)
