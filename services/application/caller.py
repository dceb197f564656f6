"""One call to an application with all that belongs to it: session, headers, polls until its answer is there."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import quote, urljoin, urlsplit

from evaluation.applications.mapping import (
    MISSING,
    CallForm,
    ConversationMapping,
    expand,
    fill,
    fill_text,
    text_of,
)
from evaluation.applications.places import parse_place, take
from evaluation.errors import EvaluationError
from evaluation.records import Json, Request
from services.application.calls import Answered, Ask, Faulty, Line, words_of
from services.application.sessions import Session, Sessions

MOST_FAILED_POLLS = 3
"""In a row."""
KEPT_CHARACTERS = 20_000
"""Of the raw body of an answer."""
SENT_CHARACTERS = 200_000
"""Of that of a request, which `curl` sends again."""
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

    def wait(self, seconds: float) -> None:
        """Takes note of time in line."""
        self.waited_s += seconds


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
            self._take(await self._send(start, trip, fill(start.body, self._values(trip))), trip)
            if "session" in form.names_in_path:
                self._check_session(session)
        sent = fill(form.body, self._values(trip)) if body is MISSING else body
        answered = await self._send(form, trip, sent)
        self._take(answered, trip)
        if self.mapping.poll is not None:
            answered = await self._poll(answered, trip)
        self._check(answered)
        self._check_session(session)
        return answered

    def _check(self, answered: Answered) -> None:
        """Raises Faulty for an answer that says that it is an error, and for a stream that lost a part of its own."""
        stream, place = answered.stream, self.mapping.error
        problem = stream.problem if stream is not None and stream.problem else None
        if problem is None and place is not None:
            found = (take(value, parse_place(place)) for value in answered.values)
            problem = next((each for each in found if each not in (None, False, "", 0, [], {})), None)
        if problem is not None:
            said = problem if isinstance(problem, str) else json.dumps(problem)
            raise Faulty("application_error", self.shown(said), answered.status)
        if stream is not None and stream.broken:
            raise Faulty("invalid_json", f"an event of the stream is no JSON: {self.shown(stream.broken)}")
        if stream is not None and stream.cut_off:
            raise Faulty("schema", "the stream stops before its end: it has no finish_reason and no [DONE]")

    def _check_session(self, session: Session) -> None:
        """Raises Faulty where no answer gave the id by which the application would know the conversation."""
        where = self.mapping.session
        if not session.id and (where.body is not None or where.header is not None):
            place = where.body or f"the header {where.header}"
            raise Faulty("schema", f"no answer has the conversation's id at {place}: say under session where it stands")

    async def _send(self, form: CallForm, trip: Trip, body: Json) -> Answered:
        values = self._values(trip)
        content = None if body is None or body is MISSING or form.method == "GET" else json.dumps(body).encode()
        named = {**self.mapping.headers, **form.headers}
        headers = {name.lower(): fill_text(value, values, _in_header) for name, value in named.items()}
        path = fill_text(form.path, values, _quoted)
        query = {name: text_of(value) for name, value in fill(form.query, values).items()}
        raw: dict[str, Json] = {
            "method": form.method,
            "url": self.clean(self.url + path),
            "query": query,
            "headers": headers,
            "body": None if content is None else self.clean(content.decode())[:SENT_CHARACTERS],
        }
        trip.raw["request"] = {**raw, "cut": True} if len(content or b"") > SENT_CHARACTERS else raw
        sent = {name: expand(value, self.variables) for name, value in headers.items()}
        return await self._exchange(Ask(form.method, self.url + path, sent, query, content, self.mapping.stream), trip)

    async def _exchange(self, ask: Ask, trip: Trip) -> Answered:
        own = {"accept": ACCEPTED, "traceparent": self.trace_parent(trip.request)}
        if ask.content is not None:
            own["content-type"] = "application/json"
        cookies = (trip.session.headers().get("cookie"), ask.headers.get("cookie"))
        joined = "; ".join(filter(None, cookies))
        headers = {**own, **ask.headers, **({"cookie": joined} if joined else {})}
        try:
            return await self.line.send(replace(ask, headers=headers), self._left(trip), trip.wait)
        except TimeoutError:
            raise Faulty("timeout", f"no whole answer within {self.line.timeout_s:g} s") from None
        except (Faulty, EvaluationError):
            raise
        except Exception as error:  # whatever an HTTP library makes of a hostile answer is the application's fault
            raise _fault_of(error, self.shown) from None

    def _left(self, trip: Trip) -> float:
        """Seconds of the turn's time that are left."""
        return self.line.timeout_s - (trip.ended_at - trip.started_at)

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
        said = self._said_with_status(answered)
        self.line.watch(answered.status, said)
        if not 200 <= answered.status < 300:
            raise Faulty("http_status", said, answered.status)
        where, session = self.mapping.session, trip.session
        given: list[Json] = [None if where.header is None else answered.headers.get(where.header.lower())]
        given.append(None if where.body is None else answered.at(where.body))
        for found in given:
            if isinstance(found, str | int) and not isinstance(found, bool) and found != "":
                session.id = str(found)
        session.keep_cookies(answered.cookies)

    def _said_with_status(self, answered: Answered) -> str:
        leads_to = answered.headers.get("location", "") if 300 <= answered.status < 400 else ""
        where = f" to {self.shown(leads_to)}, which is not followed: name that address" if leads_to else ""
        said = self.shown(answered.text[:2000])
        return f"HTTP {answered.status}{where}{f': {said}' if said else ''}"

    async def _poll(self, answered: Answered, trip: Trip) -> Answered:
        """Asks until the answer is there. Raises Faulty where it is not by the time limit."""
        poll = self.mapping.poll
        assert poll is not None
        url, asked, failed = "", 0, 0
        while not self._is_there(answered, asked):
            url = self._next_address(answered, trip.session) if not asked else url
            if asked:
                await asyncio.sleep(min(poll.every_seconds, max(0.0, self._left(trip))))
            if self._left(trip) <= 0:
                raise self._late(answered)
            asked += 1
            values = self._values(trip)
            named = {name.lower(): fill_text(value, values, _in_header) for name, value in self.mapping.headers.items()}
            headers = {name: expand(value, self.variables) for name, value in named.items()}
            try:
                found = await self._exchange(Ask("GET", url, headers, {}, None), trip)
                if found.status == 303:
                    url = self._address_in(found)
                    continue
                self._take(found, trip)
            except Faulty as fault:
                if fault.answer.fault == "timeout":
                    raise self._late(answered) from None
                # To ask what became of a job changes nothing, so that a poll that fails is asked again.
                failed += 1
                if failed > MOST_FAILED_POLLS or not _may_pass(fault):
                    raise
                continue
            answered, failed = found, 0
        trip.raw["polls"] = asked
        return answered

    def _late(self, answered: Answered) -> Faulty:
        place = "status" if self.mapping.poll is None else self.mapping.poll.status
        status = self.shown(text_of(answered.at(place))[:100])
        return Faulty("timeout", f"no result within {self.line.timeout_s:g} s: {place} is {status!r}")

    def _is_there(self, answered: Answered, asked: int) -> bool:
        """True for the result; an answer to a poll that names no status is it unless it is a 202. Raises Faulty."""
        poll = self.mapping.poll
        assert poll is not None
        status = answered.at(poll.status)
        if status is None:
            return bool(asked) and answered.status != 202
        word = text_of(status)
        if word in poll.failed:
            raise Faulty("application_error", f"the job ended as {self.shown(word[:100])!r}", answered.status)
        return word in poll.until

    def _next_address(self, answered: Answered, session: Session) -> str:
        poll = self.mapping.poll
        assert poll is not None
        if poll.path is None:
            return self._address_in(answered)
        found = answered.at(poll.id)
        if not isinstance(found, str | int):
            raise Faulty("schema", f"the answer has no id at {poll.id} by which to ask for the result", answered.status)
        return self.url + fill_text(poll.path, {"id": str(found), "session": session.id}, _quoted)

    def _address_in(self, answered: Answered) -> str:
        """The address in `Location`. Raises Faulty for none, and for one elsewhere, which would be sent the keys."""
        said = answered.headers.get("location", "")
        url = urljoin(f"{self.url}{'' if urlsplit(self.url).path else '/'}", said)
        if not said:
            raise Faulty("schema", "the answer has no header Location: name a path under poll", answered.status)
        if urlsplit(url)[:2] != urlsplit(self.url)[:2]:
            raise Faulty("schema", f"Location leads elsewhere: {self.shown(said)}", answered.status)
        return url


def _quoted(text: str) -> str:
    return quote(text, safe="", errors="replace")


def _in_header(text: str) -> str:
    """The text with what no header can hold written as in an address: a message may hold any character."""
    return "".join(each if each.isascii() and each.isprintable() else quote(each, errors="replace") for each in text)


def _may_pass(fault: Faulty) -> bool:
    found = fault.answer
    return found.fault == "connection" or (found.status is not None and (found.status >= 500 or found.status == 429))


def _fault_of(error: Exception, shown: Callable[[str], str]) -> Faulty:
    import httpx

    if isinstance(error, httpx.DecodingError):
        return Faulty("invalid_json", "the body cannot be decompressed")
    return Faulty("connection", shown(words_of(error)))
