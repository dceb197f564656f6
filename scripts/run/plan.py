"""The plan: every run that a request asks for, pinned before its first exchange."""

import re
import secrets
import time
from collections.abc import Sequence

from evaluation.canary_check import INPUT as CANARIES
from evaluation.errors import UsageError
from evaluation.prompts import PromptVersion
from evaluation.records import Json, Scenario
from evaluation.request import EvaluationRequest, varied
from evaluation.run import Run
from evaluation.runspec import JudgePin, RunSpec, TextPin, canonical_json
from evaluation.scenarios.selection import scenarios_pin, select_scenarios
from scripts.run.judge import pin_judge
from scripts.run.load import Inputs, Leg, LoadedSuite, judge_prompt_input
from scripts.run.wiring import Models, Wiring, choose_models
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


async def plan_runs(inputs: Inputs, wiring: Wiring) -> list[Run]:
    """One run per leg under the loaded suite, in one group; its judge answers in the best form that may work.

    Nothing is asked but which models there are, where none is named. Raises UsageError for what would stop the runs
    halfway.
    """
    loaded, created_at = inputs.loaded, time.time()
    group_id = run_identifier(created_at, wiring.request.suite)
    kept = {} if wiring.request.dry_run else provenance(PROJECT)
    runs: list[Run] = []
    for leg in inputs.legs:
        check_template(leg.prompt)
        models = await choose_models(leg.prompt, leg.request, wiring)
        scenarios = select(inputs.scenarios, leg.request)
        judge = await pin_judge(models.judge, leg.request, loaded, wiring)
        runs.append(
            Run(
                run_id=run_identifier(created_at, f"{title_of(leg.prompt, models)} {varied(leg.request)}"),
                group_id=group_id,
                parent_run_id=None,
                created_at=created_at,
                spec=specify(leg, models, judge, loaded, scenarios, wiring.settings),
                suite=loaded.suite,
                prompt=leg.prompt,
                scenarios=scenarios,
                request=leg.request,
                inputs={"rubric": loaded.text, **judge_inputs(loaded, judge, leg.request), **models.inputs},
                provenance=kept,
            )
        )
    refuse_twins(runs)
    return runs


def specify(
    leg: Leg,
    models: Models,
    judge: JudgePin | None,
    loaded: LoadedSuite,
    scenarios: Sequence[Scenario],
    settings: Settings,
) -> RunSpec:
    """Specifies what the run of one leg measures."""
    request, rubric = leg.request, loaded.rubric
    of_model = request_parameters(request, leg.prompt, settings)
    parameters, from_prompt = of_model if models.model else (models.parameters, ())
    return RunSpec(
        suite=loaded.suite.name,
        prompt=None if leg.prompt is None else leg.prompt.pin,
        model=models.model,
        endpoint=models.endpoint,
        parameters=parameters,
        judge=judge,
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


def refuse_twins(runs: Sequence[Run]) -> None:
    """Two runs of one specification would get the same seeds and say nothing about noise: UsageError."""
    seen = set()
    for spec in (run.spec for run in runs if not run.of_application):
        key = canonical_json(spec.parts())
        if key in seen:
            name = spec.model if spec.prompt is None else spec.prompt.title
            raise UsageError(f"{name} is asked for twice under the same arguments: name it once, or use --repeats")
        seen.add(key)


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
