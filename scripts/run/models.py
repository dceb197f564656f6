"""Who answers in a run and who judges: flag before prompt config before setting."""

from collections.abc import Sequence

from evaluation.applications.mapping import APPLICATION, ConversationMapping
from evaluation.errors import UsageError
from evaluation.plan import Models
from evaluation.prompts import PromptVersion
from evaluation.request import EvaluationRequest
from evaluation.runspec import EmbeddingPin
from scripts.run.choices import MAPPING, ApplicationChoice, EndpointChoice
from scripts.run.wiring import Wiring
from services.named_endpoints import split_judge
from services.rehearsal import EMBEDDING_MODEL, GENERATION_MODEL, JUDGE_MODEL, MODERATION_MODEL
from services.settings import Settings


async def choose_models(prompt: PromptVersion | None, request: EvaluationRequest, wiring: Wiring) -> Models:
    """Raises UsageError, listing what is offered, when nothing names a model."""
    if wiring.target is not None:
        return await _application_models(wiring.target, request, wiring)
    settings, identity = wiring.settings, wiring.choice.identity
    moderation = request.moderation or settings.moderation_model
    embedding = embedding_pin(request.embedding_model, wiring)
    named = request.judge_models or settings.judge_models
    several = any(name == "model" and len(values) > 1 for name, values in request.vary)
    if several and wiring.choice.rehearsal:
        raise UsageError("the rehearsal model is the only one: set OPENAI_BASE_URL or OPENAI_API_KEY to play several")
    if several and request.judge and not named:
        raise UsageError(
            "several models are played and no judge is named, so that each would judge itself: name one for all with "
            "--judge-model or EVAL_JUDGE_MODEL"
        )
    if wiring.choice.rehearsal:
        judges = judges_for(named, wiring.choice, settings) if request.judge else ()
        return Models(identity, GENERATION_MODEL, judges, MODERATION_MODEL if moderation else None, embedding)
    model = named_model(prompt, request, settings)
    if model is None:
        raise UsageError(
            f"no model is named: set EVAL_MODEL or --model to one that {identity} offers: {await _list_offered(wiring)}"
        )
    judges = (named or (model,)) if request.judge else ()
    return Models(identity, model, judges, moderation, embedding)


def named_model(prompt: PromptVersion | None, request: EvaluationRequest, settings: Settings) -> str | None:
    """The model under test: flag before prompt config before setting; None where nothing names one."""
    configured = None if prompt is None else prompt.config.get("model")
    return request.model or (configured if isinstance(configured, str) else None) or settings.model


def judges_for(named: Sequence[str], choice: EndpointChoice, settings: Settings) -> tuple[str, ...]:
    """The judges that can be asked of those that are named.

    Where the rehearsal model answers at the usual endpoint these are the ones at named endpoints, or its own judge.
    """
    if not choice.rehearsal:
        return tuple(named)
    return tuple(name for name in named if split_judge(name, settings.endpoints)[1]) or (JUDGE_MODEL,)


def embedding_pin(named: str | None, wiring: Wiring) -> EmbeddingPin | None:
    """The model of embeddings that a flag or else the setting names, where it is asked; None where none is named.

    The rehearsal model stands in for one at the usual endpoint where that is the rehearsal's.
    """
    settings = wiring.settings.embedding
    name = named or settings.model
    if name is None:
        return None
    model, endpoint = wiring.endpoints.find(name)
    if endpoint is wiring.endpoint and wiring.choice.rehearsal:
        return EmbeddingPin(EMBEDDING_MODEL, endpoint.identity)
    return EmbeddingPin(model, endpoint.identity, settings.dimensions)


async def _application_models(target: ApplicationChoice, request: EvaluationRequest, wiring: Wiring) -> Models:
    """The application and its judge. The rehearsal judge judges the embedded sample alone."""
    settings, choice = wiring.settings, wiring.choice
    judges: tuple[str, ...] = ()
    if request.judge and choice.rehearsal:
        judges = judges_for(request.judge_models or settings.judge_models, choice, settings)
        judges = judges if target.embedded or judges != (JUDGE_MODEL,) else ()
    elif request.judge:
        judges = request.judge_models or settings.judge_models or ((settings.model,) if settings.model else ())
        if not judges:
            raise UsageError(
                f"no judge is named: set EVAL_JUDGE_MODEL or --judge-model to one that {choice.identity} offers "
                f"({await _list_offered(wiring)}), or leave it out with --no-judge"
            )
    inputs = {} if target.mapping_text is None else {MAPPING: target.mapping_text}
    if isinstance(target.mapping, ConversationMapping):
        inputs = {APPLICATION: target.mapping_text or ""}
    return Models(
        *(target.identity, "", judges, None, embedding_pin(request.embedding_model, wiring)),
        parameters=target.parameters,
        inputs=inputs,
    )


async def _list_offered(wiring: Wiring) -> str:
    return ", ".join(await wiring.endpoint.list_models()) or "nothing that it lists"
