"""A model call that is in the journal before anybody sees its answer, and that is never paid for twice."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

from evaluation.errors import UsageError
from evaluation.records import CallFailure, Purpose, Reply, Request
from services.journal import call_key
from services.journaled_embeddings import embed_texts
from services.kept_calls import Answering, KeptCalls

CHECKED: frozenset[Purpose] = frozenset({"judge", "expectations", "conversation", "canary"})
"""Purposes whose answers are taken over only from a run that lends them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JournaledCalls(KeptCalls):
    """`complete` of one run: the run's own journal first, then what may be reused of other runs, then who is asked."""

    endpoint: Answering
    application: Answering | None = None
    """Answers requests of purpose `application`; None where none is evaluated."""
    recall: Callable[[Request, Reply], None] | None = None
    """Is shown each reply of the application that the run's journal holds: the next turn goes on in its session."""
    prepare: Callable[[Request], Awaitable[None]] | None = None
    """Awaited before each call that neither journal could answer; what it raises, the call raises."""
    lends: Callable[[str, Purpose], bool] = lambda _run_id, _purpose: True
    """(run id, purpose) -> True where what its judge said for that, or in its check, may be taken over."""
    others: Mapping[str, Answering] = field(default_factory=dict)
    """Identity -> endpoint, of those that requests may name beside the usual one."""

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
