"""What a night is asked for: the evaluation, the prompts that are watched, and what one that goes on takes over."""

import argparse
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from evaluation.commands import write_command, write_flags
from evaluation.errors import UsageError
from evaluation.records import Json
from evaluation.request import EvaluationRequest, arguments_of, request_of
from scripts.arguments import MAY_CHANGE
from services.prompt_service import parse_reference
from services.settings import DEFAULT_LABEL, Settings

OWN = ("noise_share", "latest")
"""Fields of a night that decide what is measured, apart from those of its evaluation."""
TRACES = "traces"
"""The field that a night has where it watches production's responses too."""


@dataclass(frozen=True, slots=True)
class TracesRequest:
    """Which of production's responses are watched beside the invented scenarios."""

    days: float = 7.0
    """The last ones before the night."""
    sample: int = 500
    """Generations at most."""
    environments: tuple[str, ...] = ()
    """Empty for all but those of evaluations."""
    tag: str = ""
    requests_per_minute: int = 300
    """To Langfuse, at most, to leave others room."""

    def flags(self) -> list[str]:
        """The arguments that ask for the same."""
        usual, rate = TracesRequest(), self.requests_per_minute
        return write_flags(
            traces=True,
            traces_days=None if self.days == usual.days else float(self.days),
            traces_sample=None if self.sample == usual.sample else self.sample,
            traces_environment=self.environments,
            traces_tag=self.tag,
            traces_requests_per_minute=None if rate == usual.requests_per_minute else rate,
        )

    def to_json(self) -> dict[str, Json]:
        """What decides which responses are meant."""
        found = {**asdict(self), "environments": list(self.environments)}
        del found["requests_per_minute"]
        return found


@dataclass(frozen=True, slots=True)
class NightRequest:
    """The arguments of a night."""

    run: EvaluationRequest
    """The evaluation of each prompt; it names no prompt, no gate and no cache."""
    prompts: tuple[str, ...] = ()
    """References of the prompts that are watched; empty for those of the settings."""
    rules: str | None = None
    noise_share: float = 0.25
    latest: bool = True
    notify_always: bool = False
    resume: str | None = None
    """The night that is gone on with, or "last"."""
    traces: TracesRequest | None = None
    """None where invented scenarios alone are watched."""

    @property
    def watches(self) -> int:
        """What is held against a baseline for each prompt."""
        return 1 if self.traces is None else 2

    def command(self, *more: str) -> str:
        """The command of this night, with all of its flags: without them it would evaluate something else."""
        usual = NightRequest(EvaluationRequest())
        noise_share = None if self.noise_share == usual.noise_share else str(self.noise_share)
        flags = write_flags(rules=self.rules, noise_share=noise_share, no_latest=not self.latest)
        flags += [] if self.traces is None else self.traces.flags()
        own = arguments_of(replace(self.run, cache=usual.run.cache))
        always = write_flags(notify_always=self.notify_always)
        return write_command("nightly", *write_flags(prompt=self.prompts), *own, *flags, *always, *more)

    def arguments(self) -> dict[str, Json]:
        """All that decides what is measured of each prompt, as JSON gives it back."""
        measured = {name: value for name, value in asdict(self.run).items() if name not in MAY_CHANGE}
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in measured.items()}
        traces = {} if self.traces is None else {TRACES: self.traces.to_json()}
        return {**plain, **{name: getattr(self, name) for name in OWN}, **traces}


@dataclass(frozen=True, slots=True)
class Watched:
    """One prompt of a night."""

    asked: NightRequest
    reference: str
    """As it was named; empty for that of the settings."""
    settings: Settings
    """Those of the process, with this prompt in the place of theirs."""
    of: int = 1
    """How many prompts are watched in this night."""
    left_usd: float | None = None
    """What its calls may cost; None where nothing limits them."""

    @property
    def run(self) -> EvaluationRequest:
        """The evaluation of this prompt."""
        prompts = (self.reference,) if self.reference else ()
        return replace(self.asked.run, prompts=prompts, max_cost=self.left_usd)

    @property
    def of_production(self) -> EvaluationRequest:
        """The evaluation of production: where the judge is checked and fails, nothing else is asked."""
        return replace(self.run, require_judge=self.run.canaries)


def traces_of(options: argparse.Namespace) -> TracesRequest | None:
    """Which of production's responses the arguments mean. Raises UsageError for a part of that without --traces."""
    given = {
        "days": options.traces_days,
        "sample": options.traces_sample,
        "environments": tuple(options.traces_environment) or None,
        "tag": options.traces_tag,
        "requests_per_minute": options.traces_requests_per_minute,
    }
    found = {name: value for name, value in given.items() if value is not None}
    if options.traces:
        return TracesRequest(**found)
    if found:
        raise UsageError("flags that begin with --traces- go with --traces alone: add it, or leave them out")
    return None


def watched_prompts(asked: NightRequest, settings: Settings) -> list[Watched]:
    """The prompts of a night, in the order in which they are watched.

    Raises UsageError for a file, for what is no reference, and for a prompt that is named twice.
    """
    named = [(reference, _prompt_of(reference, settings)) for reference in asked.prompts]
    named = named or [(each, each) for each in settings.night.prompts]
    if not named:
        return [Watched(asked, "", settings, left_usd=asked.run.max_cost)]
    found = [
        Watched(asked, _in_full(reference, prompt), replace(settings, prompt=prompt), len(named), asked.run.max_cost)
        for reference, prompt in named
    ]
    names = [each.settings.prompt_name for each in found]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(
            f"prompt {twice!r} is named twice: a baseline is of one prompt; watch one version or label of it"
        )
    return found


def _prompt_of(reference: str, settings: Settings) -> str:
    """A reference as the setting EVAL_PROMPT_NAME has it: name@label."""
    parsed = parse_reference(reference, settings.prompt_name)
    if isinstance(parsed, Path):
        raise UsageError(f"--prompt {reference}: a night watches a prompt by name and label, such as name@production")
    return "@".join(parsed)


def _in_full(reference: str, prompt: str) -> str:
    """A reference that names prompt and label: only so does it mean the same to another command."""
    return prompt if "@" in prompt else f"{reference}@{DEFAULT_LABEL}"


def gone_on_with(asked: NightRequest, arguments: Mapping[str, Any], prompts: tuple[str, ...]) -> NightRequest:
    """The request of a night that was begun with these arguments; only how it is carried out is taken from `asked`.

    Raises UsageError for an argument that decides what is measured and is another one.
    """
    usual, given = NightRequest(EvaluationRequest(cache="none")).arguments(), asked.arguments()
    for name, value in given.items():
        if value != usual.get(name) and value != arguments.get(name):
            raise UsageError(f"{name.replace('_', ' ')}: cannot change on --resume: the night goes on as it was begun")
    if asked.prompts and asked.prompts != prompts:
        raise UsageError("--prompt cannot change on --resume: the night goes on with the prompts that it has")
    stored = request_of({name: value for name, value in arguments.items() if name not in (*OWN, TRACES)})
    means = {field.name: getattr(asked.run, field.name) for field in fields(asked.run) if field.name in MAY_CHANGE}
    own = {name: arguments[name] for name in OWN if name in arguments}
    traces = arguments.get(TRACES)
    if traces is not None:
        rate = (asked.traces or TracesRequest()).requests_per_minute
        known = {**traces, "environments": tuple(traces["environments"]), "requests_per_minute": rate}
        own[TRACES] = TracesRequest(**known)
    return replace(asked, run=replace(stored, **means), prompts=prompts, **own)
