"""What an evaluation would measure by the settings of today, and in what a stored run differs from it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evaluation.commands import write_command
from evaluation.expectations.of_schema import expect_schema
from evaluation.expectations.pin import expectations_pin
from evaluation.plan import Leg, request_parameters, select
from evaluation.prompts import PromptVersion
from evaluation.records import Json, Scenario
from evaluation.request import EvaluationRequest
from evaluation.runspec import JudgePin, RunSpec, TextPin, canonical_json
from evaluation.scenarios.selection import scenarios_pin
from evaluation.suites import Suites
from scripts.run.load import check_is_of_prompts, read_inputs
from scripts.run.wiring import named_model
from services.named_endpoints import split_judge
from services.provenance import scorer_digest
from services.settings import Settings

_SHORT = 12


@dataclass(frozen=True, slots=True)
class Lack:
    """One thing that is missing of a proof."""

    what: str
    command: str
    """What would bring it, as it is typed."""

    def line(self) -> str:
        return f"{self.what}: {self.command}"


@dataclass(frozen=True, slots=True)
class Today:
    """The terms of an evaluation of one prompt, as settings and flags say them now. Nothing was asked for it."""

    reference: str
    """The prompt as it was named."""
    request: EvaluationRequest
    suite: str
    rubric: TextPin
    scenarios: tuple[Scenario, ...]
    scorer: str
    model: str | None
    """None where nothing names one."""
    judges: tuple[str, ...]
    """Models that judge, the one included that decides between the members of a panel; empty where none is named."""
    judge_prompt: str
    """SHA-256 of the team's own prompt for the judge; empty for the rubric's words."""
    parameters: Mapping[str, Json]
    """Those that the prompt's own config does not give."""

    def eval_command(self, *more: str) -> str:
        """The command that evaluates the prompt on these terms."""
        return write_command("eval", *self.flags(), *more, PROMPT=self.reference)

    def flags(self) -> list[str]:
        """The flags of these terms."""
        words = ["--suite", self.request.suite] if self.request.suite != EvaluationRequest().suite else []
        words += ["--rubric", self.request.rubric] if self.request.rubric else []
        return [*words, *(word for name in self.request.scenarios for word in ("--scenarios", name))]


async def read_today(
    request: EvaluationRequest, prompt: PromptVersion, reference: str, settings: Settings, suites: Suites
) -> Today:
    """Reads rubric, scenarios and settings. Raises UsageError for a file that is wrong, as an evaluation would."""
    check_is_of_prompts(request.suite, suites, "")
    inputs = await read_inputs(request, settings, suites, [Leg(prompt, request)])
    defaults = {"temperature": settings.temperature, "max_tokens": settings.max_tokens}
    parameters, own = request_parameters(request, prompt, defaults, settings.ignored_config)
    model = named_model(prompt, request, settings)
    judged = inputs.loaded.suite.judge is not None
    named = settings.judge_models or ((model,) if model else ())
    escalate = (settings.judge_escalate,) if settings.judge_escalate and len(named) > 1 else ()
    own_prompt = inputs.loaded.judge_prompt
    rubric = inputs.loaded.rubric
    return Today(
        reference=reference,
        request=request,
        suite=inputs.loaded.suite.name,
        rubric=TextPin(rubric.name, rubric.version, rubric.sha256),
        scenarios=expect_schema(select(inputs.scenarios, request), parameters),
        scorer=scorer_digest(inputs.loaded.suite.scored_by),
        model=model,
        judges=tuple(split_judge(each, settings.endpoints)[0] for each in (*named, *escalate)) if judged else (),
        judge_prompt="" if own_prompt is None or not judged else own_prompt.pin.sha256,
        parameters={name: value for name, value in parameters.items() if name not in own},
    )


def differences_from(today: Today, spec: RunSpec, run_id: str) -> Iterator[Lack]:
    """A line for each part in which a run was measured otherwise than it would be today."""
    again, scored_again = today.eval_command(), write_command("rescore", *_rubric_flag(today), RUN=run_id)
    if spec.rubric != today.rubric:
        now, then = _named(today.rubric), _named(spec.rubric)
        yield Lack(f"run {run_id} was scored by rubric {then}, and today's is {now}", scored_again)
    if spec.scorer != today.scorer:
        yield Lack(f"run {run_id} was scored by other code than today's", scored_again)
    if spec.scenarios.sha256 != scenarios_pin(spec.scenarios.name, today.scenarios).sha256:
        yield Lack(
            f"run {run_id} played {spec.scenarios.version} scenarios (hash {spec.scenarios.sha256[:_SHORT]}), and "
            f"today's set is another of {len(today.scenarios)}",
            again,
        )
    elif _expects_otherwise(today, spec):
        yield Lack(f"run {run_id} was held to other expectations than its scenarios have today", again)
    yield from _other_judge(today, spec.judge, run_id)
    if today.model is not None and spec.model != today.model:
        yield Lack(f"run {run_id} was answered by {spec.model}, and today's model is {today.model}", again)
    own = spec.prompt_parameters
    theirs = {name: value for name, value in spec.parameters.items() if name not in own}
    if canonical_json(theirs) != canonical_json(dict(today.parameters)):
        yield Lack(
            f"run {run_id} was played with {canonical_json(theirs)}, and today's parameters are "
            f"{canonical_json(dict(today.parameters))}",
            again,
        )


def _expects_otherwise(today: Today, spec: RunSpec) -> bool:
    pin = spec.expectations
    mode = "judge" if pin is None or pin.name == "judge" else "rules"
    return pin != expectations_pin(today.scenarios, "judge" if mode == "judge" else "rules")


def _other_judge(today: Today, judge: JudgePin | None, run_id: str) -> Iterator[Lack]:
    theirs = () if judge is None else tuple(each.model for each in judge.judges)
    if sorted(theirs) != sorted(today.judges):
        shown = " and ".join(theirs) or "nobody"
        if not today.judges:
            yield Lack(
                f"run {run_id} was judged by {shown}, and no judge is set today to hold that against",
                f"export EVAL_JUDGE_MODEL={','.join(theirs)}" if theirs else write_command("config"),
            )
            return
        flags = [word for name in today.judges for word in ("--judge-model", name)]
        yield Lack(
            f"run {run_id} was judged by {shown}, and today's judge is {' and '.join(today.judges)}",
            write_command("rescore", *flags, RUN=run_id),
        )
        return
    prompt = "" if judge is None or judge.prompt is None else judge.prompt.sha256
    if prompt != today.judge_prompt:
        yield Lack(
            f"the judge of run {run_id} was asked by another prompt than today's", write_command("rescore", RUN=run_id)
        )


def _rubric_flag(today: Today) -> list[str]:
    return ["--rubric", today.request.rubric or today.rubric.name]


def _named(pin: TextPin) -> str:
    return f"{pin.name} {pin.version} (hash {pin.sha256[:_SHORT]})"
