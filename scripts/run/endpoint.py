"""The endpoint that answers: the one in the settings, or the embedded rehearsal model when none is set."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from evaluation.ports import PriceOf
from evaluation.records import Usage
from evaluation.request import EvaluationRequest
from services.endpoint_url import OPENAI_URL, parse_endpoint_url
from services.journal import Journal
from services.model.endpoint import Endpoint, open_endpoint
from services.rehearsal import VERSION
from services.rehearsal.process import rehearsal_endpoint
from services.settings import Settings

REHEARSAL_IDENTITY = f"rehearsal@{VERSION}"


@dataclass(frozen=True, slots=True)
class EndpointChoice:
    """Where calls will go, before anything is started."""

    base_url: str | None
    api_key: str | None
    identity: str

    @property
    def rehearsal(self) -> bool:
        return self.identity == REHEARSAL_IDENTITY


def choose_endpoint(settings: Settings) -> EndpointChoice:
    """The endpoint of the settings; without key and base URL the rehearsal model."""
    if settings.openai_api_key is None and settings.openai_base_url is None:
        return EndpointChoice(None, None, REHEARSAL_IDENTITY)
    identity = parse_endpoint_url(settings.openai_base_url or OPENAI_URL).identity
    return EndpointChoice(settings.openai_base_url, settings.openai_api_key, identity)


@asynccontextmanager
async def opened(
    choice: EndpointChoice, settings: Settings, request: EvaluationRequest, journal: Journal, price_of: PriceOf
) -> AsyncIterator[Endpoint]:
    """The endpoint, ready for calls; the rehearsal model is started first and ends with it."""

    def learned(model: str, trait: str) -> None:
        journal.learn_trait(choice.identity, model, trait, True)

    def connected(base_url: str | None, api_key: str | None) -> AbstractAsyncContextManager[Endpoint]:
        return open_endpoint(
            base_url=base_url,
            api_key=api_key,
            identity=choice.identity,
            concurrency=request.concurrency or settings.concurrency,
            rpm=request.rpm or settings.rpm,
            tpm=request.tpm or settings.tpm,
            timeout_s=settings.call_timeout_seconds,
            traits=journal.traits(choice.identity),
            on_trait=learned,
            price_of=price_of,
        )

    if not choice.rehearsal:
        async with connected(choice.base_url, choice.api_key) as endpoint:
            yield endpoint
        return
    with rehearsal_endpoint() as base_url:
        async with connected(base_url, "rehearsal") as endpoint:
            yield endpoint


def free(_model: str, _usage: Usage) -> float:
    """The price of the rehearsal model, US dollars."""
    return 0.0
