"""The HTTP application under test: each call is sent once; whatever goes wrong there is a result."""

import asyncio
import re
from collections import ChainMap, Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING

from evaluation.applications.events import Stream
from evaluation.chat_flow.flow_run import BODY, PATH, HttpAnswer
from evaluation.chat_flow.mapping import FieldMapping
from evaluation.errors import UsageError
from evaluation.identity import observation_id, trace_id
from evaluation.records import CallFailure, Json, Reply, Request, Usage
from services.application.access import ApplicationAccess
from services.application.caller import Caller, Trip
from services.application.calls import Answered, Faulty, Line, words_of
from services.application.conversation import TRACE_HEADERS, Conversations
from services.application.sessions import Sessions
from services.model.errors import one_line, without_secrets
from services.model.limiter import Pace

if TYPE_CHECKING:
    import httpx

PREFLIGHT_SECONDS = 5.0
_TRACE_PARENT = re.compile(r"[0-9a-f]{2}-(?P<trace>[0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
_LONGEST_TRACE_ID = 200


@asynccontextmanager
async def open_application(access: ApplicationAccess) -> AsyncIterator["Application"]:
    """The application, looked for before anything else. Raises UsageError when nobody answers at its address."""
    import httpx

    limits = httpx.Limits(max_connections=access.concurrency, max_keepalive_connections=access.concurrency)
    async with httpx.AsyncClient(
        headers=dict(access.headers),
        auth=access.where.user_info,
        params=access.where.query or None,
        timeout=None,
        limits=limits,
        trust_env=not access.where.loopback,
        verify=not access.where.plain,
        follow_redirects=False,
        # One client serves all conversations: a cookie belongs to one of them, which keeps it itself.
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
    ) as client:
        check = partial(find_application, access, client)
        line = Line(client, access.timeout_s, Pace(access.rpm), access.retry_429, check)
        application = Application(access, asyncio.Semaphore(access.concurrency), line)
        await check()
        yield application


async def find_application(access: ApplicationAccess, client: "httpx.AsyncClient") -> None:
    """Asks for the base address; any HTTP answer will do. Raises UsageError when there is none."""
    import httpx

    try:
        async with asyncio.timeout(PREFLIGHT_SECONDS), client.stream("GET", access.where.url):
            pass
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        reason = "no answer in time" if isinstance(error, TimeoutError) else one_line(words_of(error), access.secrets)
        raise UsageError(
            f"the application at {access.identity} cannot be reached ({reason}): start it, or set CHAT_FLOW_URL or "
            "--url to its address"
        ) from None


@dataclass(frozen=True, slots=True)
class Application:
    """One application; see `services.journaled_calls.Answering`. No more calls than the bound are open at once."""

    access: ApplicationAccess
    slots: asyncio.Semaphore
    line: Line
    caller: Caller | None = None
    """Of the run."""
    run_id: str = ""
    """The run whose flows are played: their cells give the trace ids."""
    may_start: Callable[[], None] = lambda: None
    """Called before each call is made; what it raises, the call raises."""
    under_way: Counter[str] = field(default_factory=Counter)
    """Run id -> calls that wait for an answer."""

    @property
    def identity(self) -> str:
        return self.access.identity

    def of_run(self, run_id: str, may_start: Callable[[], None] = lambda: None) -> "Application":
        """The application as one run calls it, while `may_start` lets it."""
        of_run = replace(self, run_id=run_id, may_start=may_start)
        mapping = self.access.mapping
        caller = Caller(
            mapping=mapping.calling() if isinstance(mapping, FieldMapping) else mapping,
            url=self.access.where.url,
            line=self.line,
            variables=self.access.variables,
            clean=lambda text: without_secrets(text, self.access.secrets),
            shown=self._safe_line,
            trace_parent=of_run.trace_parent,
            run_id=run_id,
            sessions=Sessions(),
        )
        return replace(of_run, caller=caller)

    def recall(self, request: Request, reply: Reply) -> None:
        """Goes on in the session of a call that the journal holds."""
        self._of_run.sessions.recall(request, reply)

    @property
    def _of_run(self) -> Caller:
        assert self.caller is not None, "an application is called for a run"
        return self.caller

    def trace_parent(self, request: Request) -> str:
        """W3C Trace Context: the application's spans become children of the cell's own observation in Langfuse."""
        trace = trace_id(self.run_id, request.cell.scenario_id, request.cell.repeat)
        return f"00-{trace}-{observation_id(trace, 'root')}-01"

    def parameters_for(self, request: Request) -> dict[str, Json]:
        """As given: path and body."""
        return dict(request.parameters)

    async def complete(self, request: Request) -> Reply | CallFailure:
        """One turn of a conversation, or one call of a recipe flow, whose reply is an HttpAnswer as text.

        Raises EndpointRefused where the application stays away.
        """
        async with self.slots:
            self.may_start()
            self.under_way[self.run_id] += 1
            try:
                mapping = self.access.mapping
                if isinstance(mapping, FieldMapping):
                    return await self._call_of_flow(request, mapping)
                return await Conversations(mapping, self.identity, self._of_run).ask(request)
            finally:
                self.under_way[self.run_id] -= 1

    async def _call_of_flow(self, request: Request, mapping: FieldMapping) -> Reply | CallFailure:
        """A connection that the application breaks is a fault of its own; where it went down, nobody knows whose."""
        trip = self._of_run.begin(request)
        answer = await self._ask(trip, mapping)
        if answer.fault == "connection" and (gone := await self.line.after_break()):
            return CallFailure("connection", f"{answer.message}{gone}", 1, trip.started_at, trip.ended_at)
        session = trip.session.to_json() if trip.session.cookies or trip.session.id else None
        return Reply(
            text=answer.to_text(),
            finish_reason=answer.fault or "stop",
            model=self.identity,
            parameters=request.parameters,
            usage=Usage(),
            started_at=trip.started_at,
            ended_at=trip.ended_at,
            cost_usd=0.0,
            http=None if session is None else {"session": session},
        )

    async def _ask(self, trip: Trip, mapping: FieldMapping) -> HttpAnswer:
        request = trip.request
        path = request.parameters[PATH]
        body = mapping.request(path, request.parameters[BODY])
        try:
            answered = await self._of_run.call(mapping.form(path), trip, body=body, first=request.sample == 1)
            traced = self._trace_of(answered, mapping)
            found = _streamed(answered.stream) if answered.stream else self._parsed(answered)
        except Faulty as fault:
            return fault.answer
        traced = traced or mapping.trace_of(found)[:_LONGEST_TRACE_ID]
        body = mapping.response(path, found)
        if answered.stream and isinstance(body, dict) and body.get("reply") is None and answered.stream.reply:
            body["reply"] = answered.stream.reply
        system = (mapping.trace_id.system or "") if traced else ""
        return HttpAnswer(answered.status, body, trace_id=traced, trace_system=system)

    def _parsed(self, answered: Answered) -> Json:
        """The JSON of a good answer. Raises Faulty."""
        if answered.is_json:
            return answered.value
        if not answered.text.strip():
            raise Faulty("no_body", f"HTTP {answered.status} with an empty body", answered.status)
        start = self._safe_line(answered.text[:200])
        raise Faulty("invalid_json", f"the body is no JSON: {start}", answered.status)

    def _trace_of(self, answered: Answered, mapping: FieldMapping) -> str:
        wanted = mapping.trace_id.header
        for name in (wanted.lower(),) if wanted is not None else TRACE_HEADERS:
            value = answered.headers.get(name, "").strip()[:_LONGEST_TRACE_ID]
            if value and value.isprintable():
                parent = _TRACE_PARENT.fullmatch(value)
                return value if parent is None else parent["trace"]
        return ""

    def _safe_line(self, text: str) -> str:
        return one_line(text, self.access.secrets)


def _streamed(stream: Stream) -> Json:
    """The fields of all events of a stream; of one that comes several times the last."""
    fields = [event for event in stream.events if isinstance(event, dict)]
    return dict(ChainMap(*reversed(fields))) if fields else stream.last
