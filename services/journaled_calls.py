"""A model call that is in the journal before anybody sees its answer, and that is never paid for twice."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from evaluation.errors import JournalGone, UsageError
from evaluation.records import CallFailure, Json, Purpose, Reply, Request, ToolCall
from services.journal import Journal, call_key
from services.journaled_embeddings import embed_texts
from services.model.errors import without_secrets

CHECKED: frozenset[Purpose] = frozenset({"judge", "expectations", "conversation", "canary"})
"""Purposes whose answers are taken over only from a run that lends them."""


def reply_without_secrets(reply: Reply, secrets: tuple[str, ...]) -> Reply:
    """The reply as it may be stored: no secret in anything that the endpoint wrote."""
    said = (reply.text, reply.model, reply.finish_reason, reply.tool_calls)
    text, model, finish_reason = (without_secrets(each, secrets) for each in said[:3])
    calls = tuple(
        ToolCall(
            without_secrets(call.id, secrets),
            without_secrets(call.name, secrets),
            without_secrets(call.arguments, secrets),
            None if call.result is None else without_secrets(call.result, secrets),
        )
        for call in reply.tool_calls
    )
    if (text, model, finish_reason, calls) == said:
        return reply
    return replace(reply, text=text, model=model, finish_reason=finish_reason, tool_calls=calls)


class Answering(Protocol):
    """Asked when neither journal can answer a call: an endpoint of models, or an application."""

    @property
    def identity(self) -> str:
        """Part of the journal's key."""

    def parameters_for(self, request: Request) -> dict[str, Json]:
        """As they will be sent, as far as is known."""

    async def complete(self, request: Request) -> Reply | CallFailure:
        """Asks."""


@dataclass(frozen=True, slots=True)
class JournaledCalls:
    """`complete` of one run: the run's own journal first, then what may be reused of other runs, then who is asked."""

    run_id: str
    journal: Journal
    endpoint: Answering
    reuse: frozenset[Purpose]
    """Purposes that other runs' replies may answer."""
    before_call: Callable[[Request], Awaitable[None]]
    """Returns when the call may start; raises StopRequested when no new one may."""
    after_call: Callable[[Request, Reply | None], None]
    """Called at the end of each call that `before_call` let pass: with the reply once it is committed, or None."""
    secrets: tuple[str, ...] = ()
    """No stored text may hold these."""
    application: Answering | None = None
    """Answers requests of purpose `application`; None where none is evaluated."""
    recall: Callable[[Request, Reply], None] | None = None
    """Is shown each reply of the application that the run's journal holds: the next turn goes on in its session."""
    prepare: Callable[[Request], Awaitable[None]] | None = None
    """Awaited before each call that neither journal could answer; what it raises, the call raises."""
    journal_gone: Callable[[str], None] = lambda _: None
    """Called with the reason where an answer cannot be kept, as the journal's file is gone."""
    lends: Callable[[str, Purpose], bool] = lambda _run_id, _purpose: True
    """(run id, purpose) -> True where what its judge said for that, or in its check, may be taken over."""
    others: Mapping[str, Answering] = field(default_factory=dict)
    """Identity -> endpoint, of those that requests may name beside the usual one."""
    under_way: dict[str, "asyncio.Future[None]"] = field(default_factory=dict)
    """Key of a text whose vector is asked for at the moment -> done when that call has ended."""
    taken_over: set[str] = field(default_factory=set)
    """Keys of texts whose vectors come from other runs, which this run has noted or is noting."""

    async def complete(self, request: Request) -> Reply | CallFailure:
        answering = self._answering(request)
        if request.purpose == "embedding":
            return await embed_texts(self, answering, request)
        parameters = answering.parameters_for(request)
        key = call_key(answering.identity, request, parameters)
        known = self.journal.find_reply(self.run_id, key, request)
        if known is not None and _is_usable(known, request):
            if request.purpose == "application" and self.recall is not None:
                self.recall(request, known)
            return known
        if request.purpose in self.reuse:
            known = self._find_elsewhere(key, request)
            if known is not None:
                reused = replace(known, cost_usd=0.0)
                await self.keep([(key, request, reused)])
                return reused
        if self.prepare is not None:
            await self.prepare(request)
        await self.before_call(request)
        paid: Reply | None = None
        try:
            outcome = await answering.complete(replace(request, run_id=self.run_id))
            if isinstance(outcome, Reply):
                paid = outcome = self.without_secrets(outcome)
                if outcome.parameters != parameters:  # one of them was refused on the way
                    key = call_key(answering.identity, request, outcome.parameters)
                await self.keep([(key, request, outcome)])
        finally:
            self.after_call(request, paid)
        return outcome

    def without_secrets(self, reply: Reply) -> Reply:
        """The reply as it may be stored."""
        return reply_without_secrets(reply, self.secrets)

    async def keep(self, answered: Sequence[tuple[str, Request, Reply]]) -> None:
        """Commits calls with their keys, all or none."""
        try:
            await self.journal.record_replies(self.run_id, answered)
        except JournalGone as error:
            self.journal_gone(str(error))
            raise

    def _find_elsewhere(self, key: str, request: Request) -> Reply | None:
        if request.purpose not in CHECKED:
            return self.journal.find_reply_elsewhere(key, self.run_id)
        for lender in self.journal.runs_with_reply(key, self.run_id):
            reply = self.journal.find_reply_of(key, lender) if self.lends(lender, request.purpose) else None
            if reply is not None and _is_usable(reply, request):
                return reply
        return None

    def _answering(self, request: Request) -> Answering:
        if request.purpose != "application":
            return self.others.get(request.endpoint, self.endpoint)
        if self.application is None:
            raise UsageError("a run of an application goes on with its own command, and no application is open here")
        return self.application


def _is_usable(reply: Reply, request: Request) -> bool:
    """False for an answer without words, which is a failure, and for a verdict that nobody can read.

    Both are asked for again when a run is resumed.
    """
    if request.purpose == "generation" and reply.wordless:
        return False
    return request.readable is None or request.readable(reply)
