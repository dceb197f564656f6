"""The plan: every run that a request asks for, pinned, probed and final before its first exchange."""

import re
import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation.canary_check import INPUT as CANARIES
from evaluation.errors import UsageError
from evaluation.prompts import PromptVersion
from evaluation.records import Json, Scenario
from evaluation.request import EvaluationRequest, variants, varied
from evaluation.run import Run
from evaluation.runspec import JudgePin, RunSpec, TextPin, canonical_json
from evaluation.scenarios.selection import scenarios_pin, select_scenarios
from scripts.run.judge_format import find_judge_format, keep_answers
from scripts.run.load import LoadedSuite, judge_prompt_input
from scripts.run.wiring import Models, Wiring
from services.provenance import provenance
from services.scorer import scorer_digest
from services.settings import PROJECT, Settings

REQUEST_PARAMETERS = (
    "temperature",
    "top_p",
    "max_tokens",
    "frequency_penalty",
    "presence_penalty",
    "stop",
    "reasoning_effort",
)
"""Parameters that a prompt's config may set for its calls; its other keys are kept and hashed, and not sent."""

JUDGE_PARAMETERS: Mapping[str, Json] = {"temperature": 0}
"""A judge that repeats itself: the least noise that an endpoint offers."""

SAMPLING_PARAMETERS: Mapping[str, Json] = {"temperature": 0.7}
"""Of several samples: at temperature 0 they would repeat one another and say nothing of the judge's noise."""


@dataclass(frozen=True, slots=True)
class Leg:
    """The subject of one run of a group: a pinned prompt, a bare model or an application, under its arguments."""

    prompt: PromptVersion | None
    """None where an application is evaluated, or a model without a prompt."""
    request: EvaluationRequest


def legs_of(request: EvaluationRequest, prompts: Sequence[PromptVersion | None]) -> list[Leg]:
    """Every prompt, or the application, or the bare model, under every variant of the request."""
    return [Leg(prompt, variant) for prompt in prompts for variant in variants(request)]


async def plan_runs(
    legs: Sequence[Leg],
    models: Sequence[Models],
    loaded: LoadedSuite,
    scenarios: Sequence[Scenario],
    wiring: Wiring,
) -> list[Run]:
    """One run per leg under the loaded suite, in one group; its judge answers in the best form that may work.

    Nothing is asked. Raises UsageError for what would stop the runs halfway.
    """
    played = [select(scenarios, leg.request) for leg in legs]
    for leg in legs:
        check_template(leg.prompt)
    specs = [
        specify(leg, chosen, loaded, some, wiring.settings)
        for leg, chosen, some in zip(legs, models, played, strict=True)
    ]
    refuse_twins(specs, models)
    check_cost_can_be_known({name for each in models for name in each.paid}, wiring)
    created_at = time.time()
    group_id = run_identifier(created_at, wiring.request.suite)
    kept = {} if wiring.request.dry_run else provenance(PROJECT)
    runs = []
    for leg, chosen, some, spec in zip(legs, models, played, specs, strict=True):
        run_id = run_identifier(created_at, f"{title_of(leg.prompt, chosen)} {varied(leg.request)}")
        judge = await pin_judge(leg.request, chosen, loaded, wiring)
        runs.append(
            Run(
                run_id=run_id,
                group_id=group_id,
                parent_run_id=None,
                created_at=created_at,
                spec=replace(spec, judge=judge),
                suite=loaded.suite,
                prompt=leg.prompt,
                scenarios=some,
                request=leg.request,
                inputs={"rubric": loaded.text, **judge_inputs(loaded, judge, leg.request), **chosen.inputs},
                provenance=kept,
            )
        )
    return runs


def specify(
    leg: Leg, models: Models, loaded: LoadedSuite, scenarios: Sequence[Scenario], settings: Settings
) -> RunSpec:
    """Specifies what the run of one leg measures; its judge is pinned when it was asked for its form."""
    request, rubric = leg.request, loaded.rubric
    of_model = request_parameters(request, leg.prompt, settings)
    parameters, from_prompt = of_model if models.model else (models.parameters, ())
    return RunSpec(
        suite=loaded.suite.name,
        prompt=None if leg.prompt is None else leg.prompt.pin,
        model=models.model,
        endpoint=models.endpoint,
        parameters=parameters,
        judge=None,
        rubric=TextPin(rubric.name, rubric.version, rubric.sha256),
        scenarios=scenarios_pin(",".join(request.scenarios) or loaded.suite.name, scenarios),
        repeats=request.repeats,
        seed=request.seed,
        prompt_parameters=from_prompt,
        moderation=models.moderation,
        scorer=scorer_digest(loaded.suite.scored_by),
    )


def select(scenarios: Sequence[Scenario], request: EvaluationRequest) -> tuple[Scenario, ...]:
    """The scenarios that a request leaves of its sets."""
    return select_scenarios(
        scenarios,
        categories=request.categories,
        tags=request.tags,
        limit=request.limit,
        only=request.only,
    )


async def pin_judge(request: EvaluationRequest, models: Models, loaded: LoadedSuite, wiring: Wiring) -> JudgePin | None:
    """Who judges a run, and the best form in which it may answer; None without a judge. Nothing is asked."""
    rubric = loaded.suite.judge
    if models.judge is None or rubric is None:
        return None
    form = await find_judge_format(request.judge_format, models.judge, rubric, wiring.endpoint, dry=True)
    return judge_pin(models.judge, models.judge_endpoint, form, request.judge_samples, loaded.judge_prompt)


async def settle_judge(run: Run, wiring: Wiring) -> Run:
    """The run with the form in which its judge really answers: asked where it is not known yet.

    The answers are journaled at once as calls of the run. To be called once, before the run is registered.
    """
    pin, rubric = run.spec.judge, run.suite.judge
    if pin is None or rubric is None:
        return run
    keep = keep_answers(run.run_id, wiring.journal, wiring.endpoint, wiring.settings)
    form = await find_judge_format(run.request.judge_format, pin.model, rubric, wiring.endpoint, keep=keep)
    return run if form == pin.format else replace(run, spec=replace(run.spec, judge=replace(pin, format=form)))


def judge_pin(model: str, endpoint: str, form: str, samples: int, prompt: PromptVersion | None = None) -> JudgePin:
    """A single verdict is asked for with the least noise; several show how much of it there is."""
    parameters = JUDGE_PARAMETERS if samples == 1 else SAMPLING_PARAMETERS
    return JudgePin(
        model, endpoint, form, samples, parameters=dict(parameters), prompt=None if prompt is None else prompt.pin
    )


def judge_inputs(loaded: LoadedSuite, judge: JudgePin | None, request: EvaluationRequest) -> dict[str, str]:
    """The canaries that the judge is checked on and the team's own prompt for it, as inputs of a run."""
    if judge is None:
        return {}
    canaries = {CANARIES: loaded.canaries} if request.canaries and loaded.canaries is not None else {}
    return {**canaries, **judge_prompt_input(loaded)}


def check_template(prompt: PromptVersion | None) -> None:
    """Fills the template once, so that a missing variable stops the run before any call."""
    if prompt is not None:
        prompt.fill({**prompt.own_values, "audience": ""}, ())


def refuse_twins(specs: Sequence[RunSpec], models: Sequence[Models]) -> None:
    """Two runs of one specification would get the same seeds and say nothing about noise: UsageError."""
    seen = set()
    for spec, chosen in zip(specs, models, strict=True):
        key = canonical_json([spec.parts(), chosen.judge])
        if key in seen and chosen.model:
            name = spec.model if spec.prompt is None else spec.prompt.title
            raise UsageError(f"{name} is asked for twice under the same arguments: name it once, or use --repeats")
        seen.add(key)


def check_cost_can_be_known(models: Iterable[str], wiring: Wiring) -> None:
    """A cost limit over calls without a price would never be reached: UsageError names the models."""
    if wiring.request.max_cost is None or wiring.request.dry_run:
        return
    unpriced = sorted(model for model in models if wiring.prices.find(model) is None)
    if unpriced:
        raise UsageError(
            f"--max-cost: no price is known as of {wiring.prices.as_of} for {', '.join(unpriced)}: "
            "give one with --prices FILE"
        )


def request_parameters(
    request: EvaluationRequest, prompt: PromptVersion | None, settings: Settings
) -> tuple[dict[str, Json], tuple[str, ...]]:
    """Flag before prompt config before setting, and the names of those that the prompt gave; others are not sent."""
    config = {} if prompt is None else prompt.config
    flags = {name: getattr(request, name, None) for name in REQUEST_PARAMETERS}
    configured = {name: config.get(name) for name in REQUEST_PARAMETERS}
    defaults = {"temperature": settings.temperature, "max_tokens": settings.max_tokens}
    found: dict[str, Json] = {}
    for source in (defaults, configured, flags):
        found |= {name: value for name, value in source.items() if value is not None}
    own = tuple(name for name, value in configured.items() if value is not None and flags[name] is None)
    return found, own


def title_of(prompt: PromptVersion | None, models: Models) -> str:
    """The title of a run: the prompt and its version, the model or the application."""
    if prompt is None:
        return models.model or models.endpoint.partition("://")[2] or models.endpoint
    return prompt.pin.slug


def run_identifier(created_at: float, name: str) -> str:
    """A name for people that sorts by time and is unique: 20261120T140203Z-penpal-companion-v3-4f2a9c."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(created_at))
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60]
    return f"{stamp}-{slug}-{secrets.token_hex(3)}"
