"""Conversations with an application of any kind, as its mapping says: each turn one call, each session kept apart."""

from dataclasses import dataclass

from evaluation.applications.mapping import ConversationMapping, text_of, usage_in, words_at
from evaluation.applications.places import parse_place, take
from evaluation.records import CallFailure, Reply, Request, ToolCall
from services.application.caller import KEPT_CHARACTERS, Caller, Trip
from services.application.calls import Answered, Faulty

TRACE_HEADERS = ("traceresponse", "traceparent", "x-trace-id", "trace-id", "x-langfuse-trace-id")
"""Headers in which an application's trace id is looked for unless the mapping names one."""
KINDS = {"schema": "malformed", "invalid_json": "malformed", "no_body": "empty_reply"}
"""Fault -> the name of the failure, where calls to models have one for it."""


@dataclass(frozen=True, slots=True)
class Conversations:
    """The conversations of one run."""

    mapping: ConversationMapping
    identity: str
    """Of the application."""
    caller: Caller

    async def ask(self, request: Request) -> Reply | CallFailure:
        """The next turn. Whatever goes wrong in the application is a failure with its name."""
        trip, first = self.caller.begin(request), request.turn == 1
        try:
            answered = await self.caller.call(self.mapping.call(first=first), trip, first=first)
        except Faulty as fault:
            found = fault.answer
            message = found.message
            if found.fault == "connection":
                message += await self.caller.line.after_break()
            return _failure(KINDS.get(found.fault or "", found.fault or ""), message, trip)
        return self._reply(answered, trip)

    def _reply(self, answered: Answered, trip: Trip) -> Reply | CallFailure:
        raw = trip.raw
        raw["response"] = {
            "status": answered.status,
            "content_type": answered.headers.get("content-type", ""),
            "body": self.caller.clean(answered.text)[:KEPT_CHARACTERS],
            "trace_id": self._trace_of(answered),
        }
        words = self._words(answered)
        calls = self._tool_calls(answered)
        if words is None and not calls:
            if answered.text.strip():
                if "json" in answered.content_type and not answered.is_json and answered.stream is None:
                    start = self.caller.shown(answered.text[:200])
                    return _failure("malformed", f"the body is no JSON: {start}", trip)
                where = self.mapping.reply or "a usual place"
                return _failure("malformed", f"no text at {where} of the answer: name it under reply", trip)
            return _failure("empty_reply", "the answer has no body", trip)
        if not (words or "").strip() and not calls:
            return _failure("empty_reply", "the reply is empty", trip)
        if answered.first_token_ms is not None:
            raw["first_token_ms"] = round(answered.first_token_ms, 1)
        raw["session"] = trip.session.to_json()
        return Reply(
            text=words or "",
            finish_reason="stop",
            model=self.identity,
            parameters=trip.request.parameters,
            usage=usage_in(answered.at, self.mapping.usage),
            started_at=trip.started_at,
            ended_at=trip.ended_at,
            cost_usd=0.0,
            tool_calls=calls,
            http=raw,
            first_token_ms=raw.get("first_token_ms"),
        )

    def _words(self, answered: Answered) -> str | None:
        named, kind = self.mapping.reply, answered.content_type
        if answered.stream is not None:
            return answered.stream.reply or words_at(answered.value, named)
        if isinstance(answered.value, dict | list) or named is not None:
            return words_at(answered.value, named)
        if isinstance(answered.value, str):
            return answered.value
        # What is sent as text is one, "42" too; a page, or JSON that is none, is no reply.
        of_text = kind != "text/html" and "json" not in kind
        return answered.text if answered.text.strip() and of_text else None

    def _tool_calls(self, answered: Answered) -> tuple[ToolCall, ...]:
        form = self.mapping.tool_calls
        listed = None if form is None else answered.at(form.at)
        if form is None or not isinstance(listed, list):
            return ()
        found = []
        for number, entry in enumerate(listed, start=1):
            name, given = (take(entry, parse_place(place)) for place in (form.name, form.arguments))
            known, result = (take(entry, parse_place(place)) for place in (form.id, form.result))
            if isinstance(name, str):
                own_id = str(known) if isinstance(known, str | int) else f"call-{number}"
                # The application ran the tool itself, whether or not it says what came of it.
                said = text_of({} if given is None else given)
                found.append(ToolCall(own_id, name, said, "" if result is None else text_of(result)))
        return tuple(found)

    def _trace_of(self, answered: Answered) -> str:
        where = self.mapping.trace_id
        if where.body is not None and isinstance(found := answered.at(where.body), str):
            return found[:200]
        names = TRACE_HEADERS if where.header is None else (where.header.lower(),)
        return next((answered.headers[name][:200] for name in names if answered.headers.get(name)), "")


def _failure(kind: str, message: str, trip: Trip) -> CallFailure:
    return CallFailure(kind, message, 1, trip.started_at, trip.ended_at, http=trip.raw or None)
