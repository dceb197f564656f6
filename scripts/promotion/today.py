"""What an evaluation would measure by the settings of today, and in what a stored run differs from it."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evaluation.commands import write_command, write_flags
from evaluation.expectations.answering import Mode
from evaluation.expectations.of_schema import expect_schema
from evaluation.expectations.pin import expectations_pin
from evaluation.plan import Leg, request_parameters, select
from evaluation.prompts import PromptVersion
from evaluation.records import Json, Scenario
from evaluation.request import EvaluationRequest
from evaluation.runspec import JudgePin, RunSpec, TextPin, canonical_json
from evaluation.scenarios.selection import scenarios_pin
from evaluation.suites import Suites
from scripts.run.load import check_is_of_prompts, chosen_rubric, read_inputs
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
    rubric_flags: tuple[str, ...]
    """Flags of a new scoring that takes today's rubric."""
    judged: bool
    """True where the suite has a judge."""
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
        asked = self.request
        suite = None if asked.suite == EvaluationRequest().suite else asked.suite
        return write_flags(suite=suite, rubric=asked.rubric, scenarios=asked.scenarios)


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
        rubric=TextPin(rubric.name, rubric.edition, rubric.sha256),
        scenarios=expect_schema(select(inputs.scenarios, request), parameters),
        scorer=scorer_digest(inputs.loaded.suite.scored_by),
        model=model,
        rubric_flags=_rubric_flags(request, settings),
        judged=judged,
        judges=tuple(split_judge(each, settings.endpoints)[0] for each in (*named, *escalate)) if judged else (),
        judge_prompt="" if own_prompt is None or not judged else own_prompt.pin.sha256,
        parameters={name: value for name, value in parameters.items() if name not in own},
    )


@dataclass(frozen=True, slots=True)
class _Difference:
    """One part in which a run was measured otherwise."""

    what: str
    rescored_by: tuple[str, ...] | None = ()
    """Flags of a new scoring that mends it; None where only a new evaluation does."""


def differences_from(today: Today, spec: RunSpec, run_id: str) -> list[Lack]:
    """A line for each part in which a run was measured otherwise than it would be today.

    All have one command: what scores the run once more with all that differs, or where that is not enough evaluates.
    """
    found = list(_differences(today, spec, run_id))
    command = today.eval_command()
    if all(each.rescored_by is not None for each in found):
        flags = [word for each in found for word in each.rescored_by or ()]
        command = write_command("rescore", *flags, RUN=run_id)
    lacks = [Lack(each.what, command) for each in found]
    return [*_no_judge_today(today, spec, run_id), *lacks]


def _differences(today: Today, spec: RunSpec, run_id: str) -> Iterator[_Difference]:
    if spec.rubric != today.rubric:
        now, then = _named(today.rubric), _named(spec.rubric)
        yield _Difference(f"run {run_id} was scored by rubric {then}, and today's is {now}", today.rubric_flags)
    if spec.scorer != today.scorer:
        yield _Difference(f"run {run_id} was scored by other code than today's")
    if spec.scenarios.sha256 != (now_pin := scenarios_pin(spec.scenarios.name, today.scenarios)).sha256:
        yield _Difference(
            f"run {run_id} played {spec.scenarios.version} scenarios (hash {spec.scenarios.sha256[:_SHORT]}), and "
            f"today's set is another, of {now_pin.version} (hash {now_pin.sha256[:_SHORT]})",
            None,
        )
    elif spec.expectations != expectations_pin(today.scenarios, _mode(spec)):
        yield _Difference(f"run {run_id} was held to other expectations than its scenarios have today")
    if today.judges or not today.judged:
        yield from _other_judge(today, spec.judge, run_id)
    if today.model is not None and spec.model != today.model:
        yield _Difference(f"run {run_id} was answered by {spec.model}, and today's model is {today.model}", None)
    theirs = {name: value for name, value in spec.parameters.items() if name not in spec.prompt_parameters}
    if (then := canonical_json(theirs)) != (now := canonical_json(dict(today.parameters))):
        yield _Difference(f"run {run_id} was played with parameters {then}, and today's are {now}", None)


def _mode(spec: RunSpec) -> Mode:
    """Who was to answer the expectations; where there were none to answer, whoever does it usually."""
    if spec.expectations is not None and spec.expectations.name == "rules":
        return "rules"
    return "judge" if spec.judge is not None else "rules"


def _no_judge_today(today: Today, spec: RunSpec, run_id: str) -> Iterator[Lack]:
    if today.judged and not today.judges:
        theirs = () if spec.judge is None else tuple(each.model for each in spec.judge.voices)
        shown = " and ".join(theirs) or "nobody"
        command = f"export EVAL_JUDGE_MODEL={shlex.quote(','.join(theirs))}" if theirs else write_command("config")
        yield Lack(f"run {run_id} was judged by {shown}, and no judge is set today to hold that against", command)


def _other_judge(today: Today, judge: JudgePin | None, run_id: str) -> Iterator[_Difference]:
    theirs = () if judge is None else tuple(each.model for each in judge.judges)
    shown = " and ".join(theirs) or "nobody"
    if sorted(theirs) != sorted(today.judges):
        flags = tuple(word for name in today.judges for word in ("--judge-model", name))
        yield _Difference(
            f"run {run_id} was judged by {shown}, and today's judge is {' and '.join(today.judges)}", flags
        )
        return
    prompt = "" if judge is None or judge.prompt is None else judge.prompt.sha256
    if prompt != today.judge_prompt:
        yield _Difference(f"the judge of run {run_id} was asked by another prompt than today's")


def _rubric_flags(request: EvaluationRequest, settings: Settings) -> tuple[str, ...]:
    if request.rubric is not None:
        return ("--rubric", request.rubric)
    # A new scoring takes the setting's by itself, and the suite's own where the suite is named.
    return () if chosen_rubric(request.suite, None, settings) else ("--suite", request.suite)


def _named(pin: TextPin) -> str:
    return f"{pin.name} {pin.version} (hash {pin.sha256[:_SHORT]})"
