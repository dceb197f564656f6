"""Which endpoint answers: the one in the settings, or the embedded rehearsal model when none is set."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from evaluation.errors import UsageError
from evaluation.prompts import PromptVersion
from evaluation.records import Usage
from scripts.arguments import EvaluationRequest, variants
from scripts.run.application import ApplicationChoice
from scripts.run.estimate import PriceOf
from scripts.run.plan import Models, Subject
from services.endpoint_url import OPENAI_URL, parse_endpoint_url
from services.journal import Journal
from services.model.endpoint import Endpoint, open_endpoint
from services.rehearsal import GENERATION_MODEL, JUDGE_MODEL, MODERATION_MODEL, VERSION
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


@dataclass(frozen=True, slots=True)
class Leg:
    """One run to be: a pinned prompt, or none for an application or a bare model, under arguments of its own."""

    prompt: PromptVersion | None
    request: EvaluationRequest


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
    """What the rehearsal model costs, US dollars."""
    return 0.0


def legs_of(request: EvaluationRequest, prompts: Sequence[PromptVersion | None]) -> list[Leg]:
    """Every prompt, or the application, or the bare model, under every variant of the request."""
    return [Leg(prompt, variant) for prompt in prompts for variant in variants(request)]


async def subjects_of(
    legs: Sequence[Leg],
    choice: EndpointChoice,
    settings: Settings,
    endpoint: Endpoint,
    application: ApplicationChoice | None = None,
) -> list[Subject]:
    """The legs, with the models that they are to be played and judged with."""
    found = []
    for leg in legs:
        if application is not None:
            found.append(await application_subject(application, leg.request, choice, settings, endpoint))
        else:
            models = await choose_models(leg.request, leg.prompt, choice, settings, endpoint)
            found.append(Subject(leg.prompt, models, leg.request))
    return found


async def application_subject(
    application: ApplicationChoice,
    request: EvaluationRequest,
    choice: EndpointChoice,
    settings: Settings,
    endpoint: Endpoint,
) -> Subject:
    """The application and its judge. The rehearsal judge judges the embedded sample alone."""
    judge = None
    if request.judge and choice.rehearsal:
        judge = JUDGE_MODEL if application.embedded else None
    elif request.judge:
        judge = request.judge_model or settings.judge_model or settings.model
        if judge is None:
            offered = ", ".join(await endpoint.list_models()) or "nothing that it lists"
            raise UsageError(
                f"no judge is named: set EVAL_JUDGE_MODEL or --judge-model to one that {choice.identity} offers "
                f"({offered}), or leave it out with --no-judge"
            )
    inputs = {} if application.mapping_text is None else {"mapping": application.mapping_text}
    models = Models(application.identity, "", judge, judge_endpoint=choice.identity)
    return Subject(None, models, request, application.parameters, inputs)


async def choose_models(
    request: EvaluationRequest,
    prompt: PromptVersion | None,
    choice: EndpointChoice,
    settings: Settings,
    endpoint: Endpoint,
) -> Models:
    """Flag before prompt config before setting. Raises UsageError, listing what is offered, when none names a model."""
    moderation = request.moderation or settings.moderation_model
    if choice.rehearsal:
        judge = JUDGE_MODEL if request.judge else None
        return Models(choice.identity, GENERATION_MODEL, judge, MODERATION_MODEL if moderation else None)
    configured = None if prompt is None else prompt.config.get("model")
    model = request.model or (configured if isinstance(configured, str) else None) or settings.model
    if model is None:
        offered = ", ".join(await endpoint.list_models()) or "nothing that it lists"
        raise UsageError(
            f"no model is named: set EVAL_MODEL or --model to one that {choice.identity} offers: {offered}"
        )
    judge = (request.judge_model or settings.judge_model or model) if request.judge else None
    return Models(choice.identity, model, judge, moderation)
