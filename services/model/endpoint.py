"""Calls to one OpenAI-compatible endpoint: what is sent, how it is tried again, and what comes back as a record."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from evaluation.errors import EndpointRefused
from evaluation.records import CallFailure, Json, Reply, Request, Usage
from services.endpoint_url import OPENAI_URL, EndpointUrl, parse_endpoint_url
from services.model.call_forms import (
    DROPPED,
    FORMATS,
    SAMPLING,
    WITHOUT_LOGPROBS,
    Completion,
    call_form,
    find_trait,
    parse_json,
    suit_parameters,
)
from services.model.errors import CallRejected, ServerError, one_line, sentence_of
from services.model.limiter import Limiter, Pace
from services.model.providers import Provider, recognise
from services.retrying import Retries, Tries, TryAgain, retry_after, seconds_exhausted

if TYPE_CHECKING:
    from services.model.batches import Batches
    from services.model.wire import Wire, WireAnswer

LISTING_TIMEOUT_S = 10.0
HOPELESS_TRIES = 3
"""A call whose first tries all found no endpoint, or so many first calls rejected alike, end the run."""
BATCH_SHARE = 0.5
"""Of the usual price, what a call in a batch costs (OpenAI's price list, as Anthropic's and Google's)."""
_SPARE_CONNECTIONS = 4
_LISTED = 40
_NOT_PARAMETERS = frozenset({"model", "messages", "input", "stream", "stream_options"})


@asynccontextmanager
async def open_endpoint(
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    identity: str | None = None,
    provider: Provider | None = None,
    concurrency: int = 16,
    rpm: float | None = None,
    tpm: float | None = None,
    timeout_s: float = 60.0,
    retries: Retries | None = None,
    traits: Mapping[str, Iterable[str]] | None = None,
    on_trait: Callable[[str, str], None] = lambda _model, _trait: None,
    price_of: Callable[[str, Usage], float | None] = lambda _model, _usage: None,
    now: Callable[[], float] = time.time,
) -> AsyncIterator["Endpoint"]:
    """An endpoint with its limiter and connections, closed on leaving.

    `base_url` defaults to OpenAI's. `identity` replaces the one made from the URL (an embedded server's port is not
    its identity), `provider` the one that its address gives away. `concurrency` bounds the calls in flight, `rpm` and
    `tpm` the requests and tokens a minute (None: not at all). `timeout_s` bounds each try from the first byte sent to
    the last byte read. `traits` is what earlier runs learned, model -> traits; `on_trait(model, trait)` hears of each
    new one. `price_of` gives USD for a model and its usage. `now` gives seconds since the epoch.
    Raises UsageError for a URL that cannot be used.
    """
    where = parse_endpoint_url(base_url or OPENAI_URL)
    name = identity or where.identity
    limiter = Limiter(concurrency, Pace(rpm, tpm))
    provider = provider or recognise(where)
    header = {} if provider is None else {"key_header": provider.key_header}
    endpoint = Endpoint(
        identity=name,
        limiter=limiter,
        open_wire=lambda: _open_wire(where, api_key, name, concurrency + _SPARE_CONNECTIONS, **header),
        retries=retries or Retries(),
        timeout_s=timeout_s,
        provider=provider,
        traits={model: set(known) for model, known in (traits or {}).items()},
        on_trait=on_trait,
        price_of=price_of,
        now=now,
    )
    try:
        yield endpoint
    finally:
        limiter.close()
        await endpoint.close_wire()


def _open_wire(where: EndpointUrl, api_key: str | None, name: str, connections: int, **header: str) -> "Wire":
    from services.model.wire import open_wire

    return open_wire(where, api_key, name, connections, **header)


@dataclass(eq=False, slots=True, kw_only=True)
class Endpoint:
    """One endpoint, for all models and purposes. `complete` is the port `Complete`; any number may run at once."""

    identity: str
    """Normalised base URL, or `rehearsal@version`: part of every journal key and of what a run is."""
    limiter: Limiter
    open_wire: Callable[[], "Wire"]
    retries: Retries
    timeout_s: float
    traits: dict[str, set[str]]
    """Model -> its traits, as far as they are known."""
    on_trait: Callable[[str, str], None]
    price_of: Callable[[str, Usage], float | None]
    now: Callable[[], float]
    provider: Provider | None = None
    """None where the table of providers does not know it."""
    served: dict[str, set[str]] = field(default_factory=dict)
    """Model as asked for -> who answered: model and build, as the server names them."""
    withheld: dict[str, set[str]] = field(default_factory=dict)
    """Model -> parameters that were asked for and that it is not sent, since it refuses them."""
    owners: set[str] = field(default_factory=set)
    """Who owns the models that it listed, as far as it has been asked."""
    batches: "Batches | None" = None
    """Takes the calls in place of the live wire; None while calls are live."""
    _replied: set[str] = field(default_factory=set)
    """Models that have answered."""
    _rejections: Counter[tuple[str, str]] = field(default_factory=Counter)
    _refused: str = ""
    """Why no further call is sent, in one line."""
    _wire: "Wire | None" = None

    @property
    def wire(self) -> "Wire":
        """Opened where it is first needed: its client takes half a second to import, and many commands ask nothing."""
        if self._wire is None:
            self._wire = self.open_wire()
        return self._wire

    async def close_wire(self) -> None:
        if self._wire is not None:
            await self._wire.aclose()

    def parameters_for(self, request: Request) -> dict[str, Json]:
        """The parameters that will be sent, as far as the model's traits are known. None means: not sent."""
        asked = {
            name: value
            for name, value in request.parameters.items()
            if value is not None and name not in _NOT_PARAMETERS
        }
        traits = self._traits_of(request.model)
        sent = suit_parameters(asked, traits)
        withheld = {name for name in SAMPLING if name in asked and DROPPED[name] in traits}
        if withheld:
            self.withheld.setdefault(request.model, set()).update(withheld)
        return sent

    def knows(self, model: str, trait: str) -> bool:
        """True where a trait of the model is known, from this run, an earlier one, or the table of providers."""
        return trait in self._traits_of(model)

    def _traits_of(self, model: str) -> AbstractSet[str]:
        learned = self.traits.get(model, set())
        return learned if self.provider is None else learned | self.provider.traits_of(model)

    def learn(self, model: str, trait: str) -> None:
        """Keeps a trait that was found out by asking, for this run and later ones."""
        known = self.traits.setdefault(model, set())
        if trait not in known:
            known.add(trait)
            self.on_trait(model, trait)

    async def complete(self, request: Request) -> Reply | CallFailure:
        """Ask until there is an answer or patience ends.

        Raises EndpointRefused when every further call would fail alike: refused key, model or URL, no credit, nobody
        there from the start, or the first requests to a model all rejected for the same reason.
        """
        ticket = self.limiter.ticket()
        tries = Tries()
        begun = self.now()

        async def attempt(tries: Tries) -> Reply:
            in_batch = self.batches is not None and not call_form(request.purpose).live
            if in_batch and (reply := await self._in_batch(request, tries)):
                return reply
            expected = self.limiter.pace.expect(request)
            await self.limiter.acquire(ticket, expected)
            try:
                reply = await self._attempt(request, tries)
            finally:
                self.limiter.release()
            self.limiter.pace.settle(request, expected, reply.usage)
            return reply

        try:
            return await self.retries.run(attempt, tries)
        except (TryAgain, CallRejected) as failed:
            if isinstance(failed, CallRejected):
                self._count_rejection(request, failed)
            return CallFailure(failed.kind, failed.message, tries.total, begun, max(begun, self.now()))
        except EndpointRefused as refused:
            self._refused = str(refused)
            raise

    async def list_models(self) -> tuple[str, ...]:
        """Names of models offered, sorted, at most 40; empty when the endpoint does not say within 10 seconds.

        Raises EndpointRefused when the key is refused.
        """
        try:
            return (await self.offered_models(LISTING_TIMEOUT_S))[:_LISTED]
        except ServerError as error:
            if error.status == 401:
                raise sentence_of(error, endpoint=self.identity, model="", purpose="generation") from None
            return ()
        except TryAgain:
            return ()

    async def offered_models(self, timeout_s: float) -> tuple[str, ...]:
        """Names of all models offered, sorted, asked for once.

        Raises EndpointRefused for a certificate that is not trusted, ServerError for an error answer, and TryAgain when
        nothing that can be read comes within so many seconds.
        """
        wire = self.wire  # opened outside of the time that the server has
        try:
            async with asyncio.timeout(timeout_s):
                answer = await wire.send("GET", "/models")
        except TimeoutError:
            raise TryAgain("timeout", f"timed out after {timeout_s:g} s") from None
        listed = _listed(parse_json(answer.content, answer.content_type))
        self.owners |= _texts(listed, "owned_by")
        return tuple(one_line(name) for name in sorted(_texts(listed, "id")))

    async def _in_batch(self, request: Request, tries: Tries) -> Reply | None:
        """The answer that a batch brought; None for a call that is left to the live wire."""
        from services.model.batches import LeftToLive

        if self._refused:
            raise EndpointRefused(self._refused)
        if self.batches is None:
            return None
        begun = self.now()
        try:
            completion, parameters = await self._ask(request, partial(self.batches.send, request))
        except LeftToLive:
            return None
        # A batch has no latency: whatever it took says nothing of the model.
        return self._reply(request, completion, parameters, tries, (begun, begun), BATCH_SHARE)

    async def _attempt(self, request: Request, tries: Tries) -> Reply:
        if self._refused:
            raise EndpointRefused(self._refused)
        send = partial(self._send_live, self.wire)  # opened outside of the time that is the model's
        begun, tick = self.now(), time.monotonic()
        try:
            async with asyncio.timeout(self.timeout_s):
                completion, parameters = await self._ask(request, send)
        except TimeoutError:
            raise TryAgain("timeout", f"timed out after {self.timeout_s:g} s") from None
        except TryAgain as failure:
            self._stop_if_hopeless(failure, tries)
            raise
        return self._reply(request, completion, parameters, tries, (begun, begun + time.monotonic() - tick), 1.0)

    def _reply(
        self,
        request: Request,
        completion: Completion,
        parameters: dict[str, Json],
        tries: Tries,
        times: tuple[float, float],
        share: float,
    ) -> Reply:
        """The record of an answer; `share` is the part of the usual price that it costs."""
        self._replied.add(request.model)
        model = completion.model or request.model
        self.served.setdefault(request.model, set()).add(f"{model} {completion.build}")
        cost, saved = self._cost(request, model, completion.usage)
        return Reply(
            text=completion.text,
            finish_reason=completion.finish_reason,
            model=model,
            parameters=parameters,
            usage=completion.usage,
            started_at=times[0],
            ended_at=times[1],
            attempts=tries.total,
            cost_usd=None if cost is None else cost * share,
            saved_usd=saved * share,
            numbers=completion.numbers,
            tool_calls=completion.tool_calls,
        )

    async def _ask(
        self, request: Request, send: "Callable[[str, Json], Awaitable[WireAnswer]]"
    ) -> tuple[Completion, dict[str, Json]]:
        """One answer, and the parameters that it answers. A trait that shows on the way is obeyed at once."""
        form = call_form(request.purpose)
        while True:
            # Ends: every further round leaves out or renames a parameter that the round before had sent.
            parameters = self.parameters_for(request)
            try:
                answer = await send(form.path, form.body(request, parameters))
            except ServerError as error:
                if self._learn_from(request.model, error, parameters):
                    continue
                raise sentence_of(
                    error, endpoint=self.identity, model=request.model, purpose=request.purpose, wait_s=error.wait_s
                ) from None
            completion = form.read(parse_json(answer.content, answer.content_type))
            if completion.parts not in (None, len(request.messages)):
                asked = len(request.messages)
                raise TryAgain("malformed", f"reply has {completion.parts} embeddings, and {asked} texts were sent")
            if completion.tool_calls and not completion.text and "tools" not in parameters:
                raise TryAgain("malformed", "reply holds only tool calls, and no tool was offered")
            return completion, parameters

    async def _send_live(self, wire: "Wire", path: str, body: Json) -> "WireAnswer":
        """Over the wire, with what the answer says of the limits."""
        try:
            answer = await wire.send("POST", path, body)
        except ServerError as error:
            error.wait_s = retry_after(error.headers, self.now())
            self._note_answer(error.headers, throttled=error.status == 429, wait_s=error.wait_s)
            raise
        self._note_answer(answer.headers, throttled=False)
        return answer

    def _learn_from(self, model: str, said: ServerError, sent: Mapping[str, Json]) -> bool:
        if said.status not in (400, 403, 422):
            return False
        trait = find_trait(code=said.code, param=said.param, message=said.message, sent=sent)
        if trait is None or (said.status == 403 and trait != WITHOUT_LOGPROBS):
            return False
        self.learn(model, trait)
        # A refused format is not asked for in another way: the same question would get another kind of answer. And what
        # would be sent as before has been refused under every name that it has.
        return trait not in FORMATS.values() and suit_parameters(sent, self._traits_of(model)) != sent

    def _note_answer(self, headers: Mapping[str, str], *, throttled: bool, wait_s: float | None = None) -> None:
        self.limiter.note_answer(throttled=throttled, wait_s=wait_s)
        pause_s = seconds_exhausted(headers)
        if pause_s:
            self.limiter.pause(pause_s)

    def _stop_if_hopeless(self, failure: TryAgain, tries: Tries) -> None:
        """A server that never answered anyone, and is not there three times in a row, is not coming up."""
        if failure.of_endpoint and not self._replied and tries.of_endpoint + 1 >= HOPELESS_TRIES:
            raise EndpointRefused(
                f"{self.identity} cannot be used: {failure.message} ({tries.total} tries); check OPENAI_BASE_URL"
            )

    def _count_rejection(self, request: Request, rejected: CallRejected) -> None:
        """The first requests to a model all rejected for one reason: the request is wrong, not what it says."""
        model = request.model
        if not rejected.reason or model in self._replied:
            return
        self._rejections[model, rejected.reason] += 1
        if self._rejections[model, rejected.reason] >= HOPELESS_TRIES:
            formed = "response_format" in request.parameters and request.purpose != "generation"
            remedy = "take --judge-format text or another judge" if formed else "change the model or the parameters"
            self._refused = f"{self.identity} rejects every request to model {model!r} ({rejected.message}); {remedy}"
            raise EndpointRefused(self._refused) from None

    def _cost(self, request: Request, answered: str, usage: Usage) -> tuple[float | None, float]:
        """US dollars, and how many more they would be without the provider's cache."""
        if call_form(request.purpose).free:
            return 0.0, 0.0
        for model in dict.fromkeys((answered, request.model)):
            cost = self.price_of(model, usage)
            if cost is not None:
                whole = self.price_of(model, replace(usage, cached_input_tokens=None))
                return cost, max(0.0, (whole or 0.0) - cost)
        return None, 0.0


def _listed(listing: Json) -> list[dict[str, Json]]:
    models = listing.get("data") if isinstance(listing, dict) else None
    return [each for each in models if isinstance(each, dict)] if isinstance(models, list) else []


def _texts(listed: Iterable[Mapping[str, Json]], name: str) -> set[str]:
    return {value for each in listed if isinstance(value := each.get(name), str)}
