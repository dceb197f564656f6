"""The request of an evaluation: what was asked for, as given."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from evaluation.errors import UsageError
from evaluation.suites import DEFAULT_SUITE

LIMITS = ("min_overall", "max_failure_rate", "max_fallback_rate")
"""Fields that are a gate's."""
GATES = ("deploy", "ab_test")
"""Gates that one run is held against."""
FLAGGED = ("temperature", "top_p", "max_tokens", "frequency_penalty", "presence_penalty", "reasoning_effort")
"""Parameters that a request may set."""
OF_CHECKS = "checks"
"""The one that a run of a suite of checks is held against."""


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """The evaluation asked for, as given; None or empty means: from the prompt's config, the settings or the rubric."""

    prompts: tuple[str, ...] = ()
    suite: str = DEFAULT_SUITE
    rubric: str | None = None
    profile: str | None = None
    """The kind of text that the formulas are for, or auto; None for the formulas as they are."""
    scenarios: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    limit: int | None = None
    repeats: int = 1
    model: str | None = None
    judge_models: tuple[str, ...] = ()
    """More than one make a panel."""
    judge_escalate: str | None = None
    """Who decides where the members of a panel lie too far apart."""
    judge_apart: float | None = None
    """The share of the scale beyond which they do."""
    judge: bool = True
    judge_fallback: str = "exclude"
    judge_format: str = "auto"
    judge_form: str | None = None
    judge_samples: int = 1
    judge_prompt: str | None = None
    canaries: bool = True
    expectations: str = "judge"
    conversations: str = "judge"
    moderation: str | None = None
    embedding_model: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    reasoning_effort: str | None = None
    seed: int | None = None
    concurrency: int | None = None
    rpm: int | None = None
    tpm: int | None = None
    max_cost: float | None = None
    prices: str | None = None
    cache: str = "judge"
    langfuse: bool = True
    langfuse_scores: str = "main"
    deliver_rehearsal: bool = False
    resume: str | None = None
    strict: bool = False
    waivers: str | None = None
    """File of the expectations that are out of account; None for the usual one, where there is one."""
    mix: str | None = None
    """File of the users' mix; None for the usual one, where there is one, "none" for none."""
    gate: str | None = None
    min_overall: float | None = None
    max_failure_rate: float | None = None
    max_fallback_rate: float | None = None
    dry_run: bool = False
    quiet: bool = False
    vary: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    """Fields of this request, each with the values that it takes in turn: a run for every combination."""
    sweep: bool = False
    """True when the runs of the group are the settings of a sweep."""
    expected: str | None = None
    """Of a sweep: the ranges that stand beside what is measured."""
    only: tuple[str, ...] = ()
    """Ids of the scenarios that take part; empty means all that the other arguments leave."""
    url: str | None = None
    """Of an application: its address."""
    mapping: str | None = None
    """Of an application: the file that says what it calls the fields."""
    retry_429: bool = False
    """Of an application: repeat a call that it answered 429."""
    defects: tuple[str, ...] = ()
    """Of the embedded sample application."""
    app_version: str | None = None
    """Of an application: what its owner calls the version that is evaluated."""
    require_judge: bool = False
    """Ask for no response where the judge fails on exchanges of known quality."""
    shard: str | None = None
    """Which share of the scenarios is played: "2/5"; None for all of them."""
    batch: str | None = None
    """always: calls to models go in batches, at half the price; auto: the small rest is asked live. None: all live."""
    batch_hours: float | None = None
    """With auto: how long a batch may take before its rest is asked live."""
    reuse_days: float | None = None
    """Take a finished run of the same specification that is at most so old, instead of playing a new one."""

    @property
    def selects(self) -> bool:
        """True where some scenarios are left out, or sets of one's own are named."""
        return bool(self.scenarios or self.categories or self.tags or self.limit or self.only)


def variants(request: EvaluationRequest) -> list[EvaluationRequest]:
    """The request once for every combination of the values that vary; itself alone when nothing does."""
    names = [name for name, _ in request.vary]
    points = product(*(values for _, values in request.vary))
    return [replace(request, **dict(zip(names, point, strict=True))) for point in points]


def describe_variation(request: EvaluationRequest) -> str:
    """The difference of a variant to the others, for people: "temperature 0.3, top_p 1"; empty when nothing varies."""
    names = [name for name, values in request.vary if len(values) > 1]
    return ", ".join(f"{name} {getattr(request, name)}" for name in names)


NO_FLAGS = ("resume", "dry_run", "quiet", "gate", "suite", "vary", "sweep", "expected", "only", *LIMITS)
"""Fields that say how a request is carried out or decided, or that a command of its own sets."""
FLAGS = {
    "judge_models": "judge-model",
    "prompts": "prompt",
    "categories": "category",
    "tags": "tag",
    "defects": "defect",
}
"""Field -> its flag, where that is not its name."""


def arguments_of(request: EvaluationRequest) -> list[str]:
    """The arguments that ask for the same evaluation again: each field that is not as usual."""
    usual, words = EvaluationRequest(), list[str]()
    if request.suite != usual.suite:
        words += ["--suite", request.suite]
    for name in EvaluationRequest.__dataclass_fields__:
        value = getattr(request, name)
        if name in NO_FLAGS or value == getattr(usual, name):
            continue
        flag = f"--{FLAGS.get(name, name).replace('_', '-')}"
        if isinstance(value, bool):
            words.append(flag if value else f"--no-{flag[2:]}")
        else:
            for each in value if isinstance(value, tuple) else (value,):
                words += [flag, str(each)]
    return words


def request_of(values: Mapping[str, Any]) -> EvaluationRequest:
    """A request from field -> value; lists become tuples and names that are no fields are passed over."""
    known = EvaluationRequest.__dataclass_fields__
    if isinstance(values.get("judge_model"), str):  # as runs were stored when there was one judge
        values = {**values, "judge_models": [values["judge_model"]]}
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items() if name in known
    }
    return EvaluationRequest(**fields)


def check_target(request: EvaluationRequest, target: str) -> None:
    """Raises UsageError for an argument that means nothing to what is evaluated, a model or an application."""
    if target == "application":
        _refuse_of_models(request)
    else:
        _refuse_of_applications(request)


def _refuse_of_models(request: EvaluationRequest) -> None:
    """Raises UsageError for what means something to a model alone: an application has its own prompt and parameters."""
    named = {"prompts": "prompt", "model": "model", "moderation": "moderation", **{name: name for name in FLAGGED}}
    if given := [flag for name, flag in named.items() if getattr(request, name) not in (None, ())]:
        flags = ", ".join(f"--{flag.replace('_', '-')}" for flag in given)
        raise UsageError(f"{flags}: an application answers, with a prompt and a model of its own: leave that out")


def _refuse_of_applications(request: EvaluationRequest) -> None:
    """Raises UsageError for what means something to an application alone: it would be played on none."""
    named = {"mapping": "mapping", "app_version": "app-version", "retry_429": "retry-429"}
    if given := [f"--{flag}" for name, flag in named.items() if getattr(request, name) not in (None, False)]:
        raise UsageError(
            f"{', '.join(given)}: a model answers under a prompt: name the address of the application with --url, or "
            "leave that out"
        )
