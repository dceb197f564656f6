"""From a request to runs that are ready to be played: everything pinned, checked and written down before any call."""

import json
import re
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from evaluation.errors import UsageError
from evaluation.prompts import PromptVersion
from evaluation.records import Cell, Json, Scenario
from evaluation.runspec import REHEARSAL, JudgePin, RunSpec, TextPin, canonical_json
from evaluation.scenarios.selection import scenarios_pin, select_scenarios
from evaluation.stored_inputs import prompt_from_json, prompt_to_json, scenarios_from_text, scenarios_to_text
from evaluation.suites import Suites
from evaluation.suites.suite import Part, Suite
from scripts.arguments import EvaluationRequest, request_of, varied
from scripts.run.judge_prompt import INPUT as JUDGE_PROMPT
from scripts.run.judge_prompt import judge_prompt_input, with_judge_prompt
from scripts.run.load import LoadedSuite, build_suite, load_scenarios
from services.journal import Journal, RunRecord
from services.scorer import scorer_digest
from services.settings import Settings

REQUEST_PARAMETERS = (
    "temperature",
    "top_p",
    "max_tokens",
    "frequency_penalty",
    "presence_penalty",
    "stop",
    "reasoning_effort",
)
"""What a prompt's config may set for its calls; its other keys are kept and hashed, and not sent."""

JUDGE_PARAMETERS: Mapping[str, Json] = {"temperature": 0}
"""A judge that repeats itself: the least noise that an endpoint offers."""

SAMPLING_PARAMETERS: Mapping[str, Json] = {"temperature": 0.7}
"""Of several samples: at temperature 0 they would repeat one another and say nothing of the judge's noise."""


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One run, pinned. What it needs to be played, resumed or scored anew."""

    record: RunRecord
    suite: Suite
    prompt: PromptVersion | None
    scenarios: tuple[Scenario, ...]

    @property
    def run_id(self) -> str:
        return self.record.run_id

    @property
    def spec(self) -> RunSpec:
        return self.record.spec

    @property
    def rehearsal(self) -> bool:
        """Whether something embedded answers: the rehearsal model, or the sample application."""
        return self.spec.embedded

    @property
    def of_application(self) -> bool:
        """Whether an application is evaluated, and no model."""
        return self.suite.target == "application"

    @property
    def asked_endpoint(self) -> str | None:
        """The endpoint of models that its open calls go to; None where none is asked, as in a run without a judge that
        is scored anew or evaluates an application."""
        if self.record.parent_run_id is None and not self.of_application:
            return self.spec.endpoint
        return None if self.spec.judge is None else self.spec.judge.endpoint

    @property
    def asked_application(self) -> str | None:
        """The application that its open calls go to; None where none is evaluated, or all was played by another run."""
        return self.spec.endpoint if self.of_application and self.record.parent_run_id is None else None

    @property
    def paid_models(self) -> frozenset[str]:
        """The models that cost something."""
        judge = self.spec.judge
        judges = {judge.model} if judge is not None and not judge.endpoint.startswith(REHEARSAL) else set()
        return frozenset(judges if self.rehearsal or self.of_application else {self.spec.model, *judges})

    @property
    def scenario_ids(self) -> list[str]:
        """In the order of every file and table."""
        return [scenario.id for scenario in self.scenarios]

    @property
    def planned_exchanges(self) -> int:
        return self.spec.repeats * sum(len(scenario.turns) for scenario in self.scenarios)

    def parts(self) -> Iterator[Part]:
        """Every cell, long conversations first, so that none of them is left running alone at the end."""
        longest_first = sorted(self.scenarios, key=lambda scenario: -len(scenario.turns))
        variables = template_variables(self.prompt)
        for repeat in range(1, self.spec.repeats + 1):
            for scenario in longest_first:
                yield Part(
                    cell=Cell(scenario.id, repeat),
                    scenario=scenario,
                    prompt=self.prompt,
                    variables=variables,
                    model=self.spec.model,
                    parameters=self.spec.parameters,
                    seed=self.spec.seed,
                )


@dataclass(frozen=True, slots=True)
class Models:
    """Who answers and who judges, and at which endpoint."""

    endpoint: str
    model: str
    """Empty where an application answers."""
    judge: str | None
    """None with --no-judge."""
    moderation: str | None = None
    """None where no model moderates the responses."""
    judge_format: str = "text"
    """How the judge answers: schema, json or text."""
    judge_endpoint: str | None = None
    """None where it is the endpoint that answers."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What one run of a group evaluates: a prompt version, under models and arguments of its own, or an application."""

    prompt: PromptVersion | None
    """None where an application is evaluated, or a model without a prompt."""
    models: Models
    request: EvaluationRequest
    parameters: Mapping[str, Json] = field(default_factory=dict)
    """Of an application: what besides its address decides what is measured."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """Further texts that the run keeps, by name."""

    @property
    def title(self) -> str:
        """What the run is named after: the prompt and its version, the model or the application; and what varies."""
        return f"{self._evaluated} {varied(self.request)}".strip()

    @property
    def _evaluated(self) -> str:
        if self.prompt is None:
            return self.models.model or self.models.endpoint.partition("://")[2] or self.models.endpoint
        return self.prompt.pin.slug


def plan_runs(
    request: EvaluationRequest,
    subjects: Sequence[Subject],
    settings: Settings,
    suites: Suites,
    loaded: LoadedSuite,
) -> list[PlannedRun]:
    """One run per subject under the loaded suite, in one group. Raises UsageError for what would stop them halfway."""
    entry = suites[request.suite]
    scenarios = load_scenarios(request.scenarios or entry.scenarios, loaded.rubric, entry.parse)
    created_at = time.time()
    group_id = run_identifier(created_at, request.suite)
    runs = [
        plan_run(
            subject,
            loaded,
            selected(scenarios, subject.request),
            settings,
            created_at=created_at,
            group_id=group_id,
        )
        for subject in subjects
    ]
    for run in runs:
        check_template(run)
    refuse_twins(runs)
    return runs


def selected(scenarios: Sequence[Scenario], request: EvaluationRequest) -> tuple[Scenario, ...]:
    """The scenarios that a request leaves of its sets."""
    return select_scenarios(
        scenarios,
        categories=request.categories,
        tags=request.tags,
        limit=request.limit,
        only=request.only,
    )


def refuse_twins(runs: Sequence[PlannedRun]) -> None:
    """Two runs of one specification would get the same seeds and say nothing about noise: UsageError."""
    seen: dict[str, PlannedRun] = {}
    for run in runs:
        twin = seen.setdefault(canonical_json(run.spec.parts()), run)
        if twin is not run and not run.of_application:
            pin = run.spec.prompt
            name = run.spec.model if pin is None else pin.title
            raise UsageError(f"{name} is asked for twice under the same arguments: name it once, or use --repeats")


def plan_run(
    subject: Subject,
    loaded: LoadedSuite,
    scenarios: tuple[Scenario, ...],
    settings: Settings,
    *,
    created_at: float,
    group_id: str,
) -> PlannedRun:
    """The run of one subject."""
    suite, rubric = loaded.suite, loaded.rubric
    prompt, models, request = subject.prompt, subject.models, subject.request
    judge = None
    if models.judge is not None and suite.judge is not None:
        where = models.judge_endpoint or models.endpoint
        judge = judge_pin(models.judge, where, models.judge_format, request.judge_samples, loaded.judge_prompt)
    parameters, from_prompt = planned_parameters(subject, settings)
    spec = RunSpec(
        suite=suite.name,
        prompt=None if prompt is None else prompt.pin,
        model=models.model,
        endpoint=models.endpoint,
        parameters=parameters,
        judge=judge,
        rubric=TextPin(rubric.name, rubric.version, rubric.sha256),
        scenarios=scenarios_pin(",".join(request.scenarios) or suite.name, scenarios),
        repeats=request.repeats,
        seed=request.seed,
        prompt_parameters=from_prompt,
        moderation=models.moderation,
        scorer=scorer_digest(suite.scored_by),
    )
    record = RunRecord(
        run_id=run_identifier(created_at, subject.title),
        group_id=group_id,
        parent_run_id=None,
        created_at=created_at,
        spec=spec,
        arguments=asdict(request),
        inputs={
            **({} if prompt is None else {"prompt": json.dumps(prompt_to_json(prompt))}),
            "rubric": loaded.text,
            **canary_input(loaded, judge, request),
            **judge_prompt_input(loaded, judge),
            **subject.inputs,
        },
    )
    return PlannedRun(record, suite, prompt, scenarios)


def record_to_keep(run: PlannedRun) -> RunRecord:
    """The record with all inputs. The scenarios' text is made here: it is large, and needed only once."""
    return replace(run.record, inputs={**run.record.inputs, "scenarios": scenarios_to_text(run.scenarios)})


def planned_parameters(subject: Subject, settings: Settings) -> tuple[Mapping[str, Json], tuple[str, ...]]:
    """What is sent along, and the names of what the prompt gave of it."""
    if not subject.models.model:
        return subject.parameters, ()
    return request_parameters(subject.request, subject.prompt, settings)


def canary_input(loaded: LoadedSuite, judge: JudgePin | None, request: EvaluationRequest) -> dict[str, str]:
    """The canaries as an input of a run; nothing where no judge is to be checked."""
    wanted = judge is not None and request.canaries and loaded.canaries is not None
    return {"canaries": loaded.canaries or ""} if wanted else {}


def judge_pin(model: str, endpoint: str, form: str, samples: int, prompt: PromptVersion | None = None) -> JudgePin:
    """A single verdict is asked for with the least noise; several show how much of it there is."""
    parameters = JUDGE_PARAMETERS if samples == 1 else SAMPLING_PARAMETERS
    return JudgePin(
        model, endpoint, form, samples, parameters=dict(parameters), prompt=None if prompt is None else prompt.pin
    )


def stored_runs(journal: Journal, reference: str, suites: Suites) -> list[PlannedRun]:
    """The run that was asked for, by id or as `last`, with the others of its group, as they were planned."""
    record = run_record(journal, reference)
    group = [run for run in journal.runs() if run.group_id == record.group_id]
    return [planned_from(run, suites) for run in sorted(group, key=lambda run: run.run_id)]


def stored_run(journal: Journal, reference: str, suites: Suites) -> PlannedRun:
    """One run as it was planned, by id or as `last`."""
    return planned_from(run_record(journal, reference), suites)


def run_record(journal: Journal, reference: str) -> RunRecord:
    """A run by id or as `last`. Raises UsageError when there is none at all, JournalError for an unknown id."""
    newest = next(journal.runs(1), None)
    if newest is None:
        raise UsageError(f"run {reference!r}: there is no run yet: start one with make eval PROMPT=v3")
    return newest if reference == "last" else journal.run(reference)


def planned_from(record: RunRecord, suites: Suites) -> PlannedRun:
    """A run as the journal holds it: its own prompt, rubric and scenarios, whatever the files say now."""
    if record.spec.suite not in suites:
        raise UsageError(f"run {record.run_id} is of suite {record.spec.suite!r}, which this version does not have")
    loaded = build_suite(suites[record.spec.suite], record.inputs["rubric"], f"rubric of run {record.run_id}")
    suite = with_judge_prompt(loaded, stored_judge_prompt(record)).suite
    prompt = prompt_from_json(json.loads(record.inputs["prompt"])) if "prompt" in record.inputs else None
    scenarios = scenarios_from_text(record.inputs["scenarios"])
    return PlannedRun(record, suite, prompt, scenarios)


def stored_judge_prompt(record: RunRecord) -> PromptVersion | None:
    """The team's own prompt that the run's judge was given."""
    text = record.inputs.get(JUDGE_PROMPT)
    return None if text is None else prompt_from_json(json.loads(text))


def stored_request(run: PlannedRun) -> EvaluationRequest:
    """What the run was asked for."""
    return request_of(run.record.arguments)


def request_parameters(
    request: EvaluationRequest, prompt: PromptVersion | None, settings: Settings
) -> tuple[dict[str, Json], tuple[str, ...]]:
    """Flag before prompt config before setting, and the names of those that the prompt gave; others are not sent."""
    flags = given({name: getattr(request, name, None) for name in REQUEST_PARAMETERS})
    config = {} if prompt is None else prompt.config
    configured = given({name: config.get(name) for name in REQUEST_PARAMETERS})
    defaults = given({"temperature": settings.temperature, "max_tokens": settings.max_tokens})
    return {**defaults, **configured, **flags}, tuple(name for name in configured if name not in flags)


def given(values: Mapping[str, Json]) -> dict[str, Json]:
    """Without those that are None."""
    return {name: value for name, value in values.items() if value is not None}


def template_variables(prompt: PromptVersion | None) -> dict[str, str]:
    """Values that the prompt's own config gives for its variables."""
    given = prompt.config.get("variables") if prompt is not None else None
    return {str(name): str(value) for name, value in given.items()} if isinstance(given, Mapping) else {}


def check_template(run: PlannedRun) -> None:
    """Fills the template once, so that a missing variable stops the run before any call."""
    if run.prompt is not None:
        run.prompt.fill({**template_variables(run.prompt), "audience": ""}, ())


def run_identifier(created_at: float, name: str) -> str:
    """A name for people that sorts by time and is unique: 20261120T140203Z-penpal-companion-v3-4f2a9c."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(created_at))
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60]
    return f"{stamp}-{slug}-{secrets.token_hex(3)}"
