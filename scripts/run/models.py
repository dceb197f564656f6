"""Who answers and who judges in one run: flag before prompt config before setting."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.errors import UsageError
from evaluation.prompts import PromptVersion
from evaluation.records import Json
from evaluation.request import EvaluationRequest
from evaluation.runspec import REHEARSAL
from scripts.run.application import ApplicationChoice
from scripts.run.wiring import Wiring
from services.rehearsal import GENERATION_MODEL, JUDGE_MODEL, MODERATION_MODEL


@dataclass(frozen=True, slots=True)
class Models:
    """Who answers and who judges, and at which endpoints."""

    endpoint: str
    """Identity of the endpoint or application that answers."""
    model: str
    """Empty where an application answers."""
    judge: str | None
    """None with --no-judge."""
    judge_endpoint: str
    moderation: str | None = None
    """None where no model moderates the responses."""
    parameters: Mapping[str, Json] = field(default_factory=dict)
    """Of an application: what decides beside its address what is measured."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """Further texts that the run keeps, by name."""

    @property
    def paid(self) -> frozenset[str]:
        """The models that cost something. What an application costs its owner is not known here."""
        judges = set() if self.judge is None or self.judge_endpoint.startswith(REHEARSAL) else {self.judge}
        return frozenset(judges | ({self.model} if self.model and not self.endpoint.startswith(REHEARSAL) else set()))


async def choose_models(prompt: PromptVersion | None, request: EvaluationRequest, wiring: Wiring) -> Models:
    """Raises UsageError, listing what is offered, when nothing names a model."""
    if wiring.target is not None:
        return await _application_models(wiring.target, request, wiring)
    settings, identity = wiring.settings, wiring.choice.identity
    moderation = request.moderation or settings.moderation_model
    if wiring.choice.rehearsal:
        judge = JUDGE_MODEL if request.judge else None
        return Models(identity, GENERATION_MODEL, judge, identity, MODERATION_MODEL if moderation else None)
    configured = None if prompt is None else prompt.config.get("model")
    model = request.model or (configured if isinstance(configured, str) else None) or settings.model
    if model is None:
        raise UsageError(
            f"no model is named: set EVAL_MODEL or --model to one that {identity} offers: {await _offered(wiring)}"
        )
    judge = (request.judge_model or settings.judge_model or model) if request.judge else None
    return Models(identity, model, judge, identity, moderation)


async def _application_models(target: ApplicationChoice, request: EvaluationRequest, wiring: Wiring) -> Models:
    """The application and its judge. The rehearsal judge judges the embedded sample alone."""
    settings, choice = wiring.settings, wiring.choice
    judge = None
    if request.judge and choice.rehearsal:
        judge = JUDGE_MODEL if target.embedded else None
    elif request.judge:
        judge = request.judge_model or settings.judge_model or settings.model
        if judge is None:
            raise UsageError(
                f"no judge is named: set EVAL_JUDGE_MODEL or --judge-model to one that {choice.identity} offers "
                f"({await _offered(wiring)}), or leave it out with --no-judge"
            )
    inputs = {} if target.mapping_text is None else {"mapping": target.mapping_text}
    return Models(target.identity, "", judge, choice.identity, parameters=target.parameters, inputs=inputs)


async def _offered(wiring: Wiring) -> str:
    return ", ".join(await wiring.endpoint.list_models()) or "nothing that it lists"
