"""The keeping of one run's calls: an answer loses its secrets, and is committed before anybody sees it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from evaluation.errors import JournalGone
from evaluation.records import CallFailure, Json, Purpose, Reply, Request, ToolCall
from services.journal import Journal
from services.model.errors import without_secrets


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


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptCalls:
    """The calls of one run as they are kept: where, which of other runs count too, and what each may hold."""

    run_id: str
    journal: Journal
    reuse: frozenset[Purpose]
    """Purposes that other runs' replies may answer."""
    before_call: Callable[[Request], Awaitable[None]]
    """Returns when the call may start; raises StopRequested when no new one may."""
    after_call: Callable[[Request, Reply | None], None]
    """Called at the end of each call that `before_call` let pass: with the reply once it is committed, or None."""
    secrets: tuple[str, ...] = ()
    """No stored text may hold these."""
    journal_gone: Callable[[str], None] = lambda _: None
    """Called with the reason where an answer cannot be kept, as the journal's file is gone."""
    under_way: dict[str, "asyncio.Future[None]"] = field(default_factory=dict)
    """Key of a text whose vector is asked for at the moment -> done when that call has ended."""
    taken_over: set[str] = field(default_factory=set)
    """Keys of texts whose vectors come from other runs, which this run has noted or is noting."""

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
