"""Conversations with an application of any kind, as its mapping says: each turn one call, each session kept apart."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from evaluation.applications.mapping import (
    MISSING,
    USUAL,
    CallForm,
    ConversationMapping,
    expand,
    fill,
    fill_text,
    usage_in,
    words_at,
)
from evaluation.applications.places import parse_place, take
from evaluation.records import CallFailure, Json, Reply, Request, ToolCall
from services.application.bodies import Faulty, words_of
from services.application.calls import Answered, Ask, Line
from services.application.sessions import Session, Sessions

TRACE_HEADERS = ("traceresponse", "traceparent", "x-trace-id", "trace-id", "x-langfuse-trace-id")
"""Headers in which an application's trace id is looked for unless the mapping names one."""
KEPT_CHARACTERS = 20_000
"""Of a raw body."""
KINDS = {"schema": "malformed", "invalid_json": "malformed", "no_body": "empty_reply"}
"""Fault -> the name of the failure, where calls to models have one for it."""


@dataclass(slots=True)
class Conversations:
    """The conversations of one run."""

    mapping: ConversationMapping
    url: str
    """The application's address, without a slash at its end."""
    identity: str
    line: Line
    variables: Mapping[str, str] = field(repr=False)
    """Of the environment, for headers."""
    clean: Callable[[str], str] = field(repr=False)
    """Takes secrets out of a text."""
    trace_parent: Callable[[Request], str] = field(repr=False)
    run_id: str
    sessions: Sessions

    async def ask(self, request: Request) -> Reply | CallFailure:
        """The next turn. Whatever goes wrong in the application is a failure with its name."""
        started_at, tick = time.time(), time.monotonic()
        session = self.sessions.of(request)
        raw: dict[str, Json] = {}
        try:
            async with asyncio.timeout(self.line.timeout_s):
                reply = await self._turn(request, session, raw)
        except Faulty as fault:
            found = fault.answer
            message = found.message
            if found.fault == "connection" and (seconds := await self.line.gone_for()):
                message = f"{message}; the application was gone for {seconds:.1f} s"
            return self._failure(KINDS.get(found.fault or "", found.fault or ""), message, started_at, tick, raw)
        except TimeoutError:
            said = f"no whole answer within {self.line.timeout_s:g} s"
            return self._failure("timeout", said, started_at, tick, raw)
        return self._reply(reply, request, session, raw, started_at, tick)

    async def _turn(self, request: Request, session: Session, raw: dict[str, Json]) -> Answered:
        start = self.mapping.session.start
        if request.turn == 1 and start is not None and not session.id:
            opened = await self._send(start, request, session, {})
            self._check_status(opened)
            self._keep_session(opened, session)
        answered = await self._send(self.mapping.call(first=request.turn == 1), request, session, raw)
        self._check_status(answered)
        self._keep_session(answered, session)
        if self.mapping.poll is not None:
            answered = await self._poll(answered, request, session, raw)
        if self.mapping.error is not None:
            problem = take(answered.value, parse_place(self.mapping.error))
            if problem not in (None, False, "", 0, [], {}):
                said = problem if isinstance(problem, str) else json.dumps(problem)
                raise Faulty("application_error", self.clean(said)[:500], answered.status)
        return answered

    async def _send(self, call: CallForm, request: Request, session: Session, raw: dict[str, Json]) -> Answered:
        values = dict(self._values(request, session))
        body = fill(call.body, values)
        content = None if body is None or body is MISSING or call.method == "GET" else json.dumps(body).encode()
        named = {**self.mapping.headers, **call.headers}
        headers = {name.lower(): fill_text(value, values) for name, value in named.items()}
        path = fill_text(call.path, values, lambda text: quote(text, safe=""))
        query = {name: str(value) for name, value in fill(call.query, values).items()}
        raw["request"] = {
            "method": call.method,
            "url": self.clean(self.url + path),
            "query": query,
            "headers": headers,
            "body": None if content is None else self.clean(content.decode())[:KEPT_CHARACTERS],
        }
        sent = {name: expand(value, self.variables) for name, value in headers.items()}
        return await self._exchange(
            Ask(call.method, self.url + path, sent, query, content, self.mapping.stream), request, session
        )

    async def _exchange(self, ask: Ask, request: Request, session: Session) -> Answered:
        own = {"accept": "application/json, text/event-stream, application/x-ndjson, text/plain", "traceparent": ""}
        own["traceparent"] = self.trace_parent(request)
        if ask.content is not None:
            own["content-type"] = "application/json"
        headers = {**own, **session.headers(), **ask.headers}
        try:
            return await self.line.send(replace(ask, headers=headers))
        except (Faulty, TimeoutError):
            raise
        except Exception as error:  # whatever an HTTP library makes of a hostile answer is the application's fault
            _raise_of_the_run(error)
            raise Faulty("connection", self.clean(words_of(error))) from None

    def _values(self, request: Request, session: Session) -> Iterator[tuple[str, Json]]:
        yield "messages", self.mapping.said(request.messages)
        yield "last", request.messages[-1].content
        yield "turn", request.turn
        yield "scenario", request.cell.scenario_id
        yield "repeat", request.cell.repeat
        yield "run", self.run_id
        if session.id:
            yield "session", session.id

    def _check_status(self, answered: Answered) -> None:
        """Raises Faulty for a status that is no success."""
        if not 200 <= answered.status < 300:
            said = self.clean(" ".join(answered.text[:2000].split()))
            raise Faulty("http_status", f"HTTP {answered.status}{f': {said}' if said else ''}", answered.status)

    def _keep_session(self, answered: Answered, session: Session) -> None:
        where = self.mapping.session
        if where.header is not None:
            session.id = answered.headers.get(where.header.lower(), session.id)
        if where.body is not None:
            places = [answered.value, *(answered.stream.events if answered.stream else ())]
            found = [take(each, parse_place(where.body)) for each in places]
            session.id = next((str(each) for each in found if isinstance(each, str | int)), session.id)
        session.keep_cookies(answered.cookies)

    async def _poll(self, answered: Answered, request: Request, session: Session, raw: dict[str, Json]) -> Answered:
        """Asks until the answer is there; the time limit of the turn ends it."""
        poll = self.mapping.poll
        assert poll is not None
        found = take(answered.value, parse_place(poll.id))
        if not isinstance(found, str | int):
            raise Faulty("schema", f"the answer has no id at {poll.id} by which to ask for the result", answered.status)
        values = {"id": str(found), "session": session.id}
        url = self.url + fill_text(poll.path, values, lambda text: quote(text, safe=""))
        headers = {name.lower(): expand(value, self.variables) for name, value in self.mapping.headers.items()}
        asked = 0
        while True:
            status = take(answered.value, parse_place(poll.status))
            if status in poll.until:
                raw["polls"] = asked
                return answered
            if status in poll.failed:
                raise Faulty("application_error", f"the job ended as {str(status)[:100]!r}", answered.status)
            if asked:
                await asyncio.sleep(poll.every_seconds)
            asked += 1
            answered = await self._exchange(Ask("GET", url, headers, {}, None), request, session)
            self._check_status(answered)
            self._keep_session(answered, session)

    def _reply(
        self, answered: Answered, request: Request, session: Session, raw: dict[str, Json], at: float, tick: float
    ) -> Reply | CallFailure:
        raw["response"] = {
            "status": answered.status,
            "content_type": answered.headers.get("content-type", ""),
            "body": self.clean(answered.text)[:KEPT_CHARACTERS],
            "trace_id": self._trace_of(answered),
        }
        words = self._words(answered)
        calls = self._tool_calls(answered.value)
        if words is None and not calls:
            if answered.text.strip():
                where = self.mapping.reply or "a usual place"
                return self._failure(
                    "malformed", f"no text at {where} of the answer: name it under reply", at, tick, raw
                )
            return self._failure("empty_reply", "the answer has no body", at, tick, raw)
        if not (words or "").strip() and not calls:
            return self._failure("empty_reply", "the reply is empty", at, tick, raw)
        if answered.first_token_ms is not None:
            raw["first_token_ms"] = round(answered.first_token_ms, 1)
        raw["session"] = session.to_json()
        return Reply(
            text=words or "",
            finish_reason="stop",
            model=self.identity,
            parameters=request.parameters,
            usage=usage_in(answered.value, self.mapping.usage),
            started_at=at,
            ended_at=at + time.monotonic() - tick,
            cost_usd=0.0,
            tool_calls=calls,
            http=raw,
        )

    def _words(self, answered: Answered) -> str | None:
        if answered.stream is not None:
            return answered.stream.reply or words_at(answered.value, self.mapping.reply, USUAL)
        if answered.is_json:
            bare = answered.value if isinstance(answered.value, str) and self.mapping.reply is None else None
            return bare if bare is not None else words_at(answered.value, self.mapping.reply, USUAL)
        page = answered.headers.get("content-type", "").startswith("text/html")
        return answered.text if answered.text.strip() and self.mapping.reply is None and not page else None

    def _tool_calls(self, value: Json) -> tuple[ToolCall, ...]:
        form = self.mapping.tool_calls
        listed = None if form is None else take(value, parse_place(form.at))
        if form is None or not isinstance(listed, list):
            return ()
        found = []
        for number, entry in enumerate(listed, start=1):
            name, given = (take(entry, parse_place(place)) for place in (form.name, form.arguments))
            known, result = (take(entry, parse_place(place)) for place in (form.id, form.result))
            if isinstance(name, str):
                own_id = str(known) if isinstance(known, str | int) else f"call-{number}"
                # The application ran the tool itself, whether or not it says what came of it.
                found.append(ToolCall(own_id, name, _text({} if given is None else given), _text(result)))
        return tuple(found)

    def _trace_of(self, answered: Answered) -> str:
        where = self.mapping.trace_id
        if where.body is not None and isinstance(found := take(answered.value, parse_place(where.body)), str):
            return found[:200]
        names = TRACE_HEADERS if where.header is None else (where.header.lower(),)
        return next((answered.headers[name][:200] for name in names if answered.headers.get(name)), "")

    def _failure(self, kind: str, message: str, at: float, tick: float, raw: Mapping[str, Json]) -> CallFailure:
        return CallFailure(kind, message, 1, at, at + time.monotonic() - tick, http=raw or None)


def _text(value: Json) -> str:
    """A text as it is, anything else as JSON; nothing for null."""
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


def _raise_of_the_run(error: Exception) -> None:
    """Passes on what ends the run, and is no answer of the application."""
    from evaluation.errors import EvaluationError

    if isinstance(error, EvaluationError):
        raise error
