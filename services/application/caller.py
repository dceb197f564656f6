"""One call to an application with all that belongs to it: session, headers, polls until its answer is there."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from evaluation.applications.mapping import (
    MISSING,
    CallForm,
    ConversationMapping,
    expand,
    fill,
    fill_text,
)
from evaluation.applications.places import parse_place, take
from evaluation.errors import EvaluationError
from evaluation.records import Json, Request
from services.application.bodies import Faulty, words_of
from services.application.calls import Answered, Ask, Line
from services.application.sessions import Session, Sessions

KEPT_CHARACTERS = 20_000
"""Of a raw body."""
ACCEPTED = "application/json, text/event-stream, application/x-ndjson, text/plain"


@dataclass(slots=True)
class Trip:
    """One answer under way: what was sent for it, and the time that was spent in line and not in the application."""

    request: Request
    session: Session
    raw: dict[str, Json] = field(default_factory=dict)
    waited_s: float = 0.0
    started_at: float = field(default_factory=time.time)
    tick: float = field(default_factory=time.monotonic)

    @property
    def ended_at(self) -> float:
        """Now, without the time in line."""
        return self.started_at + max(0.0, time.monotonic() - self.tick - self.waited_s)


@dataclass(slots=True)
class Caller:
    """Calls one application for one run."""

    mapping: ConversationMapping
    """Its headers, session, polls and errors."""
    url: str
    """The application's address, without a slash at its end."""
    line: Line
    variables: Mapping[str, str] = field(repr=False)
    """Of the environment, for headers."""
    clean: Callable[[str], str] = field(repr=False)
    """Takes secrets out of a text."""
    shown: Callable[[str], str] = field(repr=False)
    """The same for a message, which becomes one line without control characters."""
    trace_parent: Callable[[Request], str] = field(repr=False)
    run_id: str
    sessions: Sessions

    def begin(self, request: Request) -> Trip:
        """The way to an answer."""
        return Trip(request, self.sessions.of(request))

    async def call(self, form: CallForm, trip: Trip, *, body: Json = MISSING, first: bool) -> Answered:
        """The answer with a good status, polled for where it must be; `body` replaces that of the form.

        The first call of a conversation opens its session. Raises Faulty for whatever goes wrong in the application.
        """
        start, session = self.mapping.session.start, trip.session
        if first and start is not None and not session.id:
            self._take(await self._send(start, replace(trip, raw={}), fill(start.body, self._values(trip))), trip)
        sent = fill(form.body, self._values(trip)) if body is MISSING else body
        answered = await self._send(form, trip, sent)
        self._take(answered, trip)
        if self.mapping.poll is not None:
            answered = await self._poll(answered, trip)
        if self.mapping.error is not None:
            problem = take(answered.value, parse_place(self.mapping.error))
            if problem not in (None, False, "", 0, [], {}):
                said = problem if isinstance(problem, str) else json.dumps(problem)
                raise Faulty("application_error", self.shown(said), answered.status)
        return answered

    async def _send(self, form: CallForm, trip: Trip, body: Json) -> Answered:
        values = self._values(trip)
        content = None if body is None or body is MISSING or form.method == "GET" else json.dumps(body).encode()
        named = {**self.mapping.headers, **form.headers}
        headers = {name.lower(): fill_text(value, values) for name, value in named.items()}
        path = fill_text(form.path, values, _quoted)
        query = {name: str(value) for name, value in fill(form.query, values).items()}
        trip.raw["request"] = {
            "method": form.method,
            "url": self.clean(self.url + path),
            "query": query,
            "headers": headers,
            "body": None if content is None else self.clean(content.decode())[:KEPT_CHARACTERS],
        }
        sent = {name: expand(value, self.variables) for name, value in headers.items()}
        return await self._exchange(Ask(form.method, self.url + path, sent, query, content, self.mapping.stream), trip)

    async def _exchange(self, ask: Ask, trip: Trip) -> Answered:
        own = {"accept": ACCEPTED, "traceparent": self.trace_parent(trip.request)}
        if ask.content is not None:
            own["content-type"] = "application/json"
        headers = {**own, **trip.session.headers(), **ask.headers}
        try:
            answered = await self.line.send(replace(ask, headers=headers))
        except (Faulty, EvaluationError):
            raise
        except Exception as error:  # whatever an HTTP library makes of a hostile answer is the application's fault
            raise _fault_of(error, self.shown) from None
        trip.waited_s += answered.waited_s
        return answered

    def _values(self, trip: Trip) -> dict[str, Json]:
        return dict(self._known(trip.request, trip.session))

    def _known(self, request: Request, session: Session) -> Iterator[tuple[str, Json]]:
        yield "messages", self.mapping.said(request.messages)
        yield "last", request.messages[-1].content
        yield "turn", request.turn
        yield "scenario", request.cell.scenario_id
        yield "repeat", request.cell.repeat
        yield "run", self.run_id
        if session.id:
            yield "session", session.id

    def _take(self, answered: Answered, trip: Trip) -> None:
        """Keeps what the answer says of the session. Raises Faulty for a status that is no success."""
        if not 200 <= answered.status < 300:
            said = self.shown(answered.text[:2000])
            raise Faulty("http_status", f"HTTP {answered.status}{f': {said}' if said else ''}", answered.status)
        where, session = self.mapping.session, trip.session
        if where.header is not None:
            session.id = answered.headers.get(where.header.lower(), session.id)
        if where.body is not None:
            places = [answered.value, *(answered.stream.events if answered.stream else ())]
            found = [take(each, parse_place(where.body)) for each in places]
            session.id = next((str(each) for each in found if isinstance(each, str | int)), session.id)
        session.keep_cookies(answered.cookies)

    async def _poll(self, answered: Answered, trip: Trip) -> Answered:
        """Asks until the answer is there. Raises Faulty where it is not by the time limit."""
        poll = self.mapping.poll
        assert poll is not None
        found = take(answered.value, parse_place(poll.id))
        if not isinstance(found, str | int):
            raise Faulty("schema", f"the answer has no id at {poll.id} by which to ask for the result", answered.status)
        values = {"id": str(found), "session": trip.session.id}
        url = self.url + fill_text(poll.path, values, _quoted)
        headers = {name.lower(): expand(value, self.variables) for name, value in self.mapping.headers.items()}
        asked, until = 0, time.monotonic() + self.line.timeout_s
        while True:
            status = take(answered.value, parse_place(poll.status))
            if status in poll.until:
                trip.raw["polls"] = asked
                return answered
            if status in poll.failed:
                raise Faulty(
                    "application_error", f"the job ended as {self.shown(str(status)[:100])!r}", answered.status
                )
            if time.monotonic() >= until:
                raise Faulty(
                    "timeout",
                    f"no result within {self.line.timeout_s:g} s: {poll.status} is {self.shown(str(status)[:100])!r}",
                )
            if asked:
                await asyncio.sleep(poll.every_seconds)
            asked += 1
            answered = await self._exchange(Ask("GET", url, headers, {}, None), trip)
            self._take(answered, trip)


def _quoted(text: str) -> str:
    return quote(text, safe="")


def _fault_of(error: Exception, shown: Callable[[str], str]) -> Faulty:
    import httpx

    if isinstance(error, httpx.DecodingError):
        return Faulty("invalid_json", "the body cannot be decompressed")
    return Faulty("connection", shown(words_of(error)))
