"""The plan: every run that a request asks for, with all that decides what it measures."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.errors import UsageError
from evaluation.expectations.answering import Mode
from evaluation.expectations.pin import expectations_pin
from evaluation.prompts import PromptVersion, check_template
from evaluation.records import Json, Scenario
from evaluation.request import EvaluationRequest, describe_variation
from evaluation.run import JUDGE_PROMPT, Run, prompt_to_json
from evaluation.runspec import JudgePin, RunSpec, TextPin, canonical_json
from evaluation.scenarios.selection import scenarios_pin, select_scenarios
from evaluation.suites.loaded import LoadedSuite
from evaluation.suites.own import INPUT

REQUEST_PARAMETERS = (
    "temperature",
    "top_p",
    "max_tokens",
    "frequency_penalty",
    "presence_penalty",
    "stop",
    "reasoning_effort",
)
"""Parameters that a prompt's config may set for its calls."""
WHOLE = "a whole number from 1 up"
BOUNDS: Mapping[str, tuple[float, float, str]] = {
    "temperature": (0, 2, "a number from 0 to 2"),
    "top_p": (0, 1, "a number from 0 to 1"),
    "max_tokens": (1, 1e9, WHOLE),
    "frequency_penalty": (-2, 2, "a number from -2 to 2"),
    "presence_penalty": (-2, 2, "a number from -2 to 2"),
}
"""What a sweep refuses is refused in a config too: name -> least, most, and how that is said."""
CONFIG_KEYS = ("model", *REQUEST_PARAMETERS, "variables")
"""All that a prompt's config may hold: another key, unless it is ignored in so many words, would not be what runs."""


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
    seen: set[str] = set()
    runs = []
    for leg, chosen, judge in zip(inputs.legs, models, judges, strict=True):
        check_prompt(leg.prompt, occasion.ignored_config)
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
    texts = {"rubric": loaded.text, **suite_inputs(loaded), **judge_inputs(loaded, judge), **models.inputs}
    scenarios = select(inputs.scenarios, request)
    of_model = request_parameters(request, leg.prompt, occasion.defaults)
    parameters, from_prompt = of_model if models.model else (models.parameters, ())
    spec = RunSpec(
        suite=loaded.suite.name,
        prompt=None if leg.prompt is None else leg.prompt.pin,
        model=models.model,
        endpoint=models.endpoint,
        parameters=parameters,
        judge=judge,
        rubric=TextPin(loaded.rubric.name, loaded.rubric.version, loaded.rubric.sha256),
        scenarios=scenarios_pin(",".join(request.scenarios) or loaded.suite.name, scenarios),
        repeats=request.repeats,
        seed=request.seed,
        prompt_parameters=from_prompt,
        moderation=models.moderation,
        expectations=expectations_pin(scenarios, chosen_mode(request, judge)),
        scorer=occasion.scorer,
    )
    return Run(
        run_id=occasion.identify(f"{_title(leg.prompt, models)} {describe_variation(request)}"),
        group_id=group_id,
        parent_run_id=None,
        created_at=occasion.created_at,
        spec=spec,
        suite=loaded.suite,
        prompt=leg.prompt,
        scenarios=scenarios,
        request=request,
        inputs=texts,
        provenance={**occasion.provenance, "config_not_sent": _not_sent(leg.prompt)},
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
    request: EvaluationRequest, prompt: PromptVersion | None, defaults: Mapping[str, Json]
) -> tuple[dict[str, Json], tuple[str, ...]]:
    """Flag before prompt config before default, and the names of those that the prompt gave; others are not sent."""
    config = {} if prompt is None else prompt.config
    flags = {name: getattr(request, name, None) for name in REQUEST_PARAMETERS}
    configured = {name: config.get(name) for name in REQUEST_PARAMETERS}
    found: dict[str, Json] = {}
    for source in (defaults, configured, flags):
        found |= {name: value for name, value in source.items() if value is not None}
    own = tuple(name for name, value in configured.items() if value is not None and flags[name] is None)
    return found, own


def check_prompt(prompt: PromptVersion | None, ignored: Collection[str]) -> None:
    """Raises UsageError, before any call, where the prompt's config or its template is not what would run."""
    if prompt is None:
        return
    title, config = f"prompt {prompt.pin.name!r} {prompt.pin.version_title}", prompt.config
    if others := [name for name in _not_sent(prompt) if name not in ignored]:
        raise UsageError(
            f"{title}: its config holds {', '.join(name[:80] for name in others)}, and calls are sent no such thing "
            f"({', '.join(CONFIG_KEYS)} alone): take it out, or, where no answer depends on it, name it in "
            f"EVAL_IGNORE_CONFIG={','.join(name[:80] for name in others)}"
        )
    for name, kind, form in (("model", str, "a name"), ("variables", Mapping, "a mapping from name to value")):
        if not isinstance(config.get(name), kind | None):
            raise UsageError(f"{title}: {name} in its config is {str(config[name])[:80]!r}: make it {form}")
    for name, (low, high, form) in BOUNDS.items():
        value = config.get(name)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (is_number and low <= value <= high and (form != WHOLE or value == int(value))):
            raise UsageError(f"{title}: {name} in its config is {str(value)[:80]!r}: make it {form}")
    check_template(title, prompt.messages)
    prompt.fill({**prompt.own_values, "audience": ""}, ())


def _not_sent(prompt: PromptVersion | None) -> list[str]:
    """The keys of its config, with a value, that no call is sent."""
    config = {} if prompt is None else prompt.config
    return [name for name, value in config.items() if value is not None and name not in CONFIG_KEYS]


def _title(prompt: PromptVersion | None, models: Models) -> str:
    """The title of a run: the prompt and its version, the model or the application."""
    if prompt is None:
        return models.model or models.endpoint.partition("://")[2] or models.endpoint
    return prompt.pin.slug
