"""Reading what applications left in Langfuse: generations page by page, and the texts of single traces and sessions.

Nothing is written. Servers 4.x in their default mode answer 404 to every older way to read traces.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from typing import Any, TypeAlias

from evaluation.errors import UsageError
from evaluation.moments import iso, moment
from evaluation.records import Json
from services.json_text import to_line
from services.langfuse.rest import LangfuseRest, Rejected, Timing

Parameters: TypeAlias = Mapping[str, str | int]

PATH = "v2/observations"
PAGE = 1000
"""Observations of one page without texts; the server gives no more."""
PAGE_WITH_TEXTS = 50
"""The server's answers end at about 5 MB."""
_ITEMS, _SCORES = 100, 100
_SHAPE_PAGES = 5
"""Of the ids of one trace, the newest first: a trace of more observations than that is read no further."""
_CONDITION = ("type", "column", "operator", "value")
"""Of a structured filter."""
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
        asked: tuple[tuple[str, str, str, Json], ...] = (
            ("string", "type", "=", "GENERATION"),
            ("datetime", "startTime", ">=", self.since),
            ("datetime", "startTime", "<", self.until),
            ("string", "promptName", "=", self.prompt_name),
            ("string", "userId", "=", self.user_id),
            ("string", "sessionId", "=", self.session_id),
            ("number", "promptVersion", "=", self.prompt_version),
            ("arrayOptions", "tags", "any of", [self.tag] if self.tag else []),
            ("stringOptions", "environment", "any of", list(self.environments)),
        )
        conditions = [dict(zip(_CONDITION, each, strict=True)) for each in asked if each[-1] not in (None, "", [])]
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
        plain = wanted.plain_parameters()
        for conditions in (wanted.parameters(), plain):
            try:
                async for page in self._pages({**conditions, "fields": fields, "limit": PAGE}, cursor=cursor):
                    cursor = page.cursor
                    yield page
                return
            except Rejected as rejected:
                if rejected.status != 400 or conditions == plain:
                    raise

    async def of_trace(self, trace_id: str, started_at: str) -> Sequence[Mapping[str, Any]]:
        """The generations of a trace with their texts, the newest of those that began no later than that moment."""
        return await self._with_texts({"traceId": trace_id}, started_at, _TRACE)

    async def of_session(self, session_id: str, started_at: str) -> Sequence[Mapping[str, Any]]:
        """The same of a session."""
        return await self._with_texts({"sessionId": session_id}, started_at, _SESSION)

    async def shape_of(self, trace_id: str, started_at: str) -> Sequence[Mapping[str, Any]]:
        """Ids, parents and types of all in a trace, of any type, that began no later than that moment; no texts."""
        of: Parameters = {"traceId": trace_id, **_until(started_at, _TRACE), "fields": "core", "limit": PAGE}
        pages = [page async for page in self._pages(of, most=_SHAPE_PAGES)]
        return [row for page in pages for row in page.rows]

    async def experiment_traces(self, wanted: Wanted) -> AsyncIterator[list[str]]:
        """Trace ids of all experiments of that time, page by page; none where the server has no experiments."""
        since, until = iso(moment(wanted.since) - _TRACE), iso(moment(wanted.until) + _TRACE)
        of: Parameters = {"fromStartTime": since, "toStartTime": until, "fields": "core", "limit": _ITEMS}
        try:
            async for page in self._pages(of, "experiment-items"):
                yield [str(row["traceId"]) for row in page.rows if row.get("traceId")]
        except Rejected as rejected:
            if rejected.status != 404:
                raise

    def scores(self, name: str, since: str) -> AsyncIterator[Page]:
        """The scores of that name from a time on, whatever they are of."""
        fields = "core,subject,details"
        return self._pages({"name": name, "fromTimestamp": since, "fields": fields, "limit": _SCORES}, "v3/scores")

    async def _with_texts(self, of: Parameters, started_at: str, back: timedelta) -> Sequence[Mapping[str, Any]]:
        form: Parameters = {"fields": _WITH_TEXTS, "limit": PAGE_WITH_TEXTS}
        return (await self._page({**of, "type": "GENERATION", **_until(started_at, back), **form})).rows

    async def _pages(
        self, of: Parameters, path: str = PATH, *, cursor: str = "", most: int | None = None
    ) -> AsyncIterator[Page]:
        """The pages of a list from a cursor on, at most so many; a server that names a cursor twice has no more."""
        for number in count(1):
            page = await self._page({**of, **({"cursor": cursor} if cursor else {})}, path)
            yield page
            if not page.cursor or page.cursor == cursor or number == most:
                return
            cursor = page.cursor

    async def _page(self, parameters: Parameters, path: str = PATH) -> Page:
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


def _until(started_at: str, back: timedelta) -> dict[str, str]:
    """The range of time that ends with a moment."""
    at = moment(started_at)
    return {"fromStartTime": iso(at - back), "toStartTime": iso(at + _MARGIN)}
