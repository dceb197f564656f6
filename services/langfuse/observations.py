"""Reading what applications left in Langfuse: generations page by page, and the texts of single traces and sessions.

Nothing is written. Servers 4.x in their default mode answer 404 to every older way to read traces.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from evaluation.errors import UsageError
from evaluation.moments import iso, moment
from evaluation.records import Json
from services.json_text import to_line
from services.langfuse.rest import LangfuseRest, Rejected, Timing

PATH = "v2/observations"
PAGE = 1000
"""Observations of one page without texts; the server gives no more."""
PAGE_WITH_TEXTS = 50
"""The server's answers end at about 5 MB."""
_ITEMS, _SCORES = 100, 100
_SHAPE_PAGES = 5
"""Of the ids of one trace, the newest first: a trace of more observations than that is read no further."""
_MARGIN = timedelta(seconds=1)
_TRACE, _SESSION = timedelta(days=1), timedelta(days=30)
"""A trace, or the earlier turns of a session, are looked for within so much of a generation: a server reads a time
range faster than everything."""
WITHOUT_TEXTS = "core,basic,prompt,trace_context"
WITH_COSTS = f"{WITHOUT_TEXTS},usage"
_WITH_TEXTS = "core,basic,prompt,trace_context,metadata,io"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which generations are read. What is None or empty limits nothing."""

    since: str
    """ISO 8601, UTC; the first moment."""
    until: str
    """The first moment that is too late."""
    prompt_name: str = ""
    prompt_version: int | None = None
    environments: tuple[str, ...] = ()
    tag: str = ""
    user_id: str = ""
    session_id: str = ""

    def parameters(self) -> dict[str, str]:
        """The query. A structured filter takes the place of every other parameter, so it then holds all of them."""
        if not (self.prompt_name or self.tag or len(self.environments) > 1):
            return self.plain_parameters()
        conditions = [
            _condition("string", "type", "=", "GENERATION"),
            _condition("datetime", "startTime", ">=", self.since),
            _condition("datetime", "startTime", "<", self.until),
        ]
        for column, value in (
            ("promptName", self.prompt_name),
            ("userId", self.user_id),
            ("sessionId", self.session_id),
        ):
            if value:
                conditions.append(_condition("string", column, "=", value))
        if self.prompt_version is not None:
            conditions.append(_condition("number", "promptVersion", "=", self.prompt_version))
        if self.tag:
            conditions.append(_condition("arrayOptions", "tags", "any of", [self.tag]))
        if self.environments:
            conditions.append(_condition("stringOptions", "environment", "any of", list(self.environments)))
        return {"filter": to_line(conditions)}

    def plain_parameters(self) -> dict[str, str]:
        """The query for a server that refuses the structured filter: `holds` leaves out what it cannot say."""
        found = {
            "type": "GENERATION",
            "fromStartTime": self.since,
            "toStartTime": self.until,
            "environment": ",".join(self.environments),
            "userId": self.user_id,
            "sessionId": self.session_id,
        }
        return {name: value for name, value in found.items() if value}

    def holds(self, row: Mapping[str, Any]) -> bool:
        """True for a row that is wanted, whatever the server made of the query."""
        tags = row.get("tags")
        return (
            row.get("type") == "GENERATION"
            and (not self.prompt_name or row.get("promptName") == self.prompt_name)
            and (self.prompt_version is None or row.get("promptVersion") == self.prompt_version)
            and (not self.environments or (row.get("environment") or "default") in self.environments)
            and (not self.tag or (isinstance(tags, list) and self.tag in tags))
            and (not self.user_id or row.get("userId") == self.user_id)
            and (not self.session_id or row.get("sessionId") == self.session_id)
        )


@dataclass(frozen=True, slots=True)
class Page:
    """Rows of a list, and where the next ones begin; an empty cursor ends it."""

    rows: Sequence[Mapping[str, Any]]
    cursor: str


class Pace:
    """Requests at an even distance, so that others who share the plan's limit are left room."""

    def __init__(self, per_minute: int, timing: Timing) -> None:
        self._apart_s, self._timing = 60.0 / per_minute, timing
        self._next = timing.clock()

    async def wait(self) -> None:
        """Returns when the next request may begin."""
        now = self._timing.clock()
        begin = max(now, self._next)
        self._next = begin + self._apart_s
        if begin > now:
            await self._timing.sleep(begin - now)


class ObservationReader:
    """Reads from one project. Raises what `LangfuseRest.get` raises, and UsageError for answers of another form."""

    def __init__(self, rest: LangfuseRest, per_minute: int) -> None:
        self._rest = rest
        self._pace = Pace(per_minute, rest.timing)
        self.requests = 0

    async def pages(self, wanted: Wanted, cursor: str = "", fields: str = WITHOUT_TEXTS) -> AsyncIterator[Page]:
        """Generations without their texts, the newest first, from a cursor on."""
        conditions = wanted.parameters()
        while True:
            parameters: dict[str, str | int] = {
                **conditions,
                "fields": fields,
                "limit": PAGE,
                **({"cursor": cursor} if cursor else {}),
            }
            try:
                page = await self._page(parameters)
            except Rejected as rejected:
                if rejected.status != 400 or conditions == wanted.plain_parameters():
                    raise
                conditions = wanted.plain_parameters()
                continue
            yield page
            if not page.cursor or page.cursor == cursor:
                return
            cursor = page.cursor

    async def of_trace(self, trace_id: str, started_at: str) -> Sequence[Mapping[str, Any]]:
        """The generations of a trace with their texts, the newest of those that began no later than that moment."""
        return await self._with_texts({"traceId": trace_id}, started_at, _TRACE)

    async def shape_of(self, trace_id: str, started_at: str) -> Sequence[Mapping[str, Any]]:
        """Ids, parents and types of all in a trace, of any type, that began no later than that moment; no texts."""
        at, rows, cursor = moment(started_at), list[Mapping[str, Any]](), ""
        for _ in range(_SHAPE_PAGES):
            parameters: dict[str, str | int] = {
                "traceId": trace_id,
                "fromStartTime": iso(at - _TRACE),
                "toStartTime": iso(at + _MARGIN),
                "fields": "core",
                "limit": PAGE,
                **({"cursor": cursor} if cursor else {}),
            }
            page = await self._page(parameters)
            rows += page.rows
            if not page.cursor or page.cursor == cursor:
                break
            cursor = page.cursor
        return rows

    async def of_session(self, session_id: str, started_at: str) -> Sequence[Mapping[str, Any]]:
        """The same of a session."""
        return await self._with_texts({"sessionId": session_id}, started_at, _SESSION)

    async def experiment_traces(self, wanted: Wanted) -> AsyncIterator[list[str]]:
        """Trace ids of all experiments of that time, page by page; none where the server has no experiments."""
        cursor = ""
        since = iso(moment(wanted.since) - _TRACE)
        while True:
            parameters: dict[str, str | int] = {
                "fromStartTime": since,
                "toStartTime": iso(moment(wanted.until) + _TRACE),
                "fields": "core",
                "limit": _ITEMS,
                **({"cursor": cursor} if cursor else {}),
            }
            try:
                page = await self._page(parameters, "experiment-items")
            except Rejected as rejected:
                if rejected.status != 404:
                    raise
                return
            yield [str(row["traceId"]) for row in page.rows if row.get("traceId")]
            if not page.cursor or page.cursor == cursor:
                return
            cursor = page.cursor

    async def scores(self, name: str, since: str) -> AsyncIterator[Page]:
        """The scores of that name from a time on, whatever they are of."""
        cursor = ""
        while True:
            parameters: dict[str, str | int] = {
                "name": name,
                "fromTimestamp": since,
                "fields": "core,subject,details",
                "limit": _SCORES,
                **({"cursor": cursor} if cursor else {}),
            }
            page = await self._page(parameters, "v3/scores")
            yield page
            if not page.cursor or page.cursor == cursor:
                return
            cursor = page.cursor

    async def _with_texts(self, of: Mapping[str, str], started_at: str, back: timedelta) -> Sequence[Mapping[str, Any]]:
        at = moment(started_at)
        parameters: dict[str, str | int] = {
            **of,
            "type": "GENERATION",
            "fromStartTime": iso(at - back),
            "toStartTime": iso(at + _MARGIN),
            "fields": _WITH_TEXTS,
            "limit": PAGE_WITH_TEXTS,
        }
        return (await self._page(parameters)).rows

    async def _page(self, parameters: Mapping[str, str | int], path: str = PATH) -> Page:
        await self._pace.wait()
        self.requests += 1
        try:
            answer = await self._rest.get(path, parameters)
        except Rejected as rejected:
            if rejected.status == 404 and path == PATH:
                raise UsageError(
                    f"{self._rest.where} has no {PATH} ({rejected}): reading production needs a server 4.0 or newer; "
                    "check LANGFUSE_BASE_URL"
                ) from None
            raise
        except ValueError as error:
            raise self._strange(path, str(error)) from None
        rows = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(rows, list):
            raise self._strange(path, "no list of data")
        meta = answer.get("meta")
        cursor = meta.get("cursor") if isinstance(meta, dict) else None
        return Page([row for row in rows if isinstance(row, dict)], cursor if isinstance(cursor, str) else "")

    def _strange(self, path: str, what: str) -> UsageError:
        return UsageError(f"{self._rest.where} does not answer {path} like Langfuse ({what}): check LANGFUSE_BASE_URL")


def _condition(kind: str, column: str, operator: str, value: Json) -> dict[str, Json]:
    return {"type": kind, "column": column, "operator": operator, "value": value}
