"""The plan: every run that a request asks for, with all that decides what it measures."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.errors import UsageError
from evaluation.expectations.answering import Mode
from evaluation.expectations.of_schema import expect_schema
from evaluation.expectations.pin import expectations_pin
from evaluation.prompt_config import (
    LIMIT,
    OTHER_LIMIT,
    config_faults,
    seed_of,
    sent_parameters,
    unsent_keys,
)
from evaluation.prompts import CONVERSATION_PLACEHOLDERS, PromptVersion, template_faults
from evaluation.records import Json, Scenario
from evaluation.request import FLAGGED, EvaluationRequest, describe_variation
from evaluation.run import JUDGE_PROMPT, Run, prompt_to_json
from evaluation.runspec import EmbeddingPin, JudgePin, RunSpec, TextPin, canonical_json
from evaluation.scenarios.selection import scenarios_pin, select_scenarios
from evaluation.suites.loaded import LoadedSuite
from evaluation.suites.meaning import embedding_of, with_meaning
from evaluation.suites.own import INPUT


@dataclass(frozen=True, slots=True)
class Leg:
    """The subject of one run of a group: a pinned prompt, a bare model or an application, under its arguments."""

    prompt: PromptVersion | None
    """None where an application is evaluated, or a model without a prompt."""
    request: EvaluationRequest


@dataclass(frozen=True, slots=True)
class Inputs:
    """All that new runs are made of, read, parsed and pinned before an endpoint is opened."""

    loaded: LoadedSuite
    legs: Sequence[Leg]
    """One for each run."""
    scenarios: tuple[Scenario, ...]
    """Of the named sets, before a leg's request selects."""


@dataclass(frozen=True, slots=True)
class Models:
    """Who answers in one run, and who judges."""

    endpoint: str
    """Identity of the endpoint or application that answers."""
    model: str
    """Empty where an application answers."""
    judges: tuple[str, ...]
    """As they are named, several for a panel; empty with --no-judge."""
    moderation: str | None = None
    """None where no model moderates the responses."""
    embedding: EmbeddingPin | None = None
    """None where no model of embeddings is asked."""
    parameters: Mapping[str, Json] = field(default_factory=dict)
    """Of an application: what decides beside its address what is measured."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """Further texts that the run keeps, by name."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """The time and place of a plan: all of it that no argument says."""

    created_at: float
    """Seconds since the epoch, UTC."""
    identify: Callable[[str], str]
    """Makes a unique id of a title."""
    defaults: Mapping[str, Json]
    """Parameters of a call where neither a flag nor the prompt says otherwise."""
    scorer: str
    """Digest of the code that scores."""
    provenance: Mapping[str, Json]
    ignored_config: Collection[str] = ()
    """Keys of prompts' configs that the team calls no part of a call."""


def plan_runs(
    inputs: Inputs, models: Sequence[Models], judges: Sequence[JudgePin | None], occasion: Occasion
) -> list[Run]:
    """One run per leg, in one group; `models` and `judges` are those of each leg.

    Raises UsageError for what would stop the runs halfway, and for two runs of one specification: they would get the
    same seeds and say nothing about noise.
    """
    group_id = occasion.identify(inputs.loaded.suite.name)
    for leg in inputs.legs:
        check_prompt(leg.prompt, occasion.ignored_config)
    seen: set[str] = set()
    runs = []
    for leg, chosen, judge in zip(inputs.legs, models, judges, strict=True):
        run = _plan_run(leg, chosen, judge, inputs, occasion, group_id)
        key = run.run_id if run.of_application else canonical_json(run.spec.parts())
        if key in seen:
            name = run.spec.model if leg.prompt is None else leg.prompt.pin.title
            raise UsageError(f"{name} is asked for twice under the same arguments: name it once, or use --repeats")
        seen.add(key)
        runs.append(run)
    return runs


def _plan_run(
    leg: Leg, models: Models, judge: JudgePin | None, inputs: Inputs, occasion: Occasion, group_id: str
) -> Run:
    loaded, request = inputs.loaded, leg.request
    config = {} if leg.prompt is None else leg.prompt.config
    texts = {"rubric": loaded.text, **suite_inputs(loaded), **judge_inputs(loaded, judge), **models.inputs}
    scenarios = select(inputs.scenarios, request)
    of_model = request_parameters(request, leg.prompt, occasion.defaults, occasion.ignored_config)
    parameters, from_prompt = of_model if models.model else (models.parameters, ())
    mode = chosen_mode(request, judge)
    embedding = embedding_of(loaded.suite, models.embedding)
    scenarios = scenarios if mode == "none" else expect_schema(scenarios, parameters)
    spec = RunSpec(
        suite=loaded.suite.name,
        prompt=None if leg.prompt is None else leg.prompt.pin,
        model=models.model,
        endpoint=models.endpoint,
        parameters=parameters,
        judge=judge,
        rubric=TextPin(loaded.rubric.name, loaded.rubric.edition, loaded.rubric.sha256),
        scenarios=scenarios_pin(",".join(request.scenarios) or loaded.suite.name, scenarios),
        repeats=request.repeats,
        seed=seed_of(config, occasion.ignored_config) if request.seed is None else request.seed,
        prompt_parameters=from_prompt,
        moderation=models.moderation,
        expectations=expectations_pin(scenarios, mode),
        scorer=occasion.scorer,
        embedding=embedding,
    )
    return Run(
        run_id=occasion.identify(f"{_title(leg.prompt, models)} {describe_variation(request)}"),
        group_id=group_id,
        parent_run_id=None,
        created_at=occasion.created_at,
        spec=spec,
        suite=with_meaning(loaded.suite, embedding),
        prompt=leg.prompt,
        scenarios=scenarios,
        request=request,
        inputs=texts,
        provenance={**occasion.provenance, "config_not_sent": unsent_keys(config, occasion.ignored_config)},
    )


def chosen_mode(request: EvaluationRequest, judge: JudgePin | None) -> Mode:
    """Who answers the expectations: as asked for, but no judge where none is planned."""
    if request.expectations == "none":
        return "none"
    return "judge" if request.expectations == "judge" and judge is not None else "rules"


def select(scenarios: Sequence[Scenario], request: EvaluationRequest) -> tuple[Scenario, ...]:
    """The scenarios that a request leaves of its sets."""
    return select_scenarios(
        scenarios,
        categories=request.categories,
        tags=request.tags,
        limit=request.limit,
        only=request.only,
    )


def suite_inputs(loaded: LoadedSuite) -> dict[str, str]:
    """A suite without code as an input of a run; nothing of a shipped one."""
    return {INPUT: loaded.suite.kept} if loaded.suite.kept else {}


def judge_inputs(loaded: LoadedSuite, judge: JudgePin | None) -> dict[str, str]:
    """The team's own prompt for the judge as an input of a run; nothing without one, or without a judge."""
    if judge is None or loaded.judge_prompt is None:
        return {}
    return {JUDGE_PROMPT: json.dumps(prompt_to_json(loaded.judge_prompt))}


def request_parameters(
    request: EvaluationRequest,
    prompt: PromptVersion | None,
    defaults: Mapping[str, Json],
    ignored: Collection[str] = (),
) -> tuple[dict[str, Json], tuple[str, ...]]:
    """Flag before prompt config before default, and the names of those that the prompt gave; others are not sent.

    `max_tokens` and `max_completion_tokens` are one limit: whoever comes first in that order says it, under its name.
    """
    flags = {name: value for name in FLAGGED if (value := getattr(request, name, None)) is not None}
    configured = {} if prompt is None else sent_parameters(prompt.config, ignored)
    found: dict[str, Json] = {}
    for source in (defaults, configured, flags):
        if LIMIT in source or OTHER_LIMIT in source:
            found = {name: value for name, value in found.items() if name not in (LIMIT, OTHER_LIMIT)}
        found |= {name: value for name, value in source.items() if value is not None}
    own = tuple(name for name in configured if name in found and name not in flags)
    return found, own


def check_prompt(prompt: PromptVersion | None, ignored: Collection[str]) -> None:
    """Raises UsageError, before any call, where the prompt's config or its template is not what would run."""
    if prompt is None:
        return
    title = f"prompt {prompt.pin.name!r} {prompt.pin.version_title}"
    faults = config_faults(prompt.config, ignored)
    for messages in (prompt.messages, *prompt.placed_messages.values()):
        faults += template_faults(messages)
    faults += prompt.unfilled({**prompt.own_values, "audience": ""})
    given = prompt.config.get("variables")
    lists = {name for name, value in given.items() if isinstance(value, list)} if isinstance(given, Mapping) else set()
    if held := sorted(CONVERSATION_PLACEHOLDERS & lists):
        faults.append(f"variables in its config holds messages for {', '.join(held)}, where the conversation stands")
    if faults:
        raise UsageError(f"{title}: {'; '.join(faults)}")


def _title(prompt: PromptVersion | None, models: Models) -> str:
    """The title of a run: the prompt and its version, the model or the application."""
    if prompt is None:
        return models.model or models.endpoint.partition("://")[2] or models.endpoint
    return prompt.pin.slug
