"""A night as it was asked for, and its legs: which prompts are played, over which scenarios, and in which role."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

from evaluation.errors import UsageError
from evaluation.nightly.alarm import repeat_seed, repeated_scenarios
from evaluation.nightly.baseline import Baseline
from evaluation.nightly.night import Role
from evaluation.plan import Leg, select
from evaluation.prompts import PromptVersion
from evaluation.records import Json
from evaluation.request import EvaluationRequest
from evaluation.suites import Suites
from scripts.arguments import MAY_CHANGE
from scripts.run.load import load_scenarios, load_suite
from scripts.shell import note
from services.prompt_service import open_prompts
from services.settings import Settings

Mark: TypeAlias = tuple[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class NightRequest:
    """The arguments of a night."""

    run: EvaluationRequest
    """The evaluation of each prompt; it names no prompt, no gate and no cache."""
    rules: str | None = None
    noise_share: float = 0.25
    latest: bool = True
    notify_always: bool = False

    @property
    def of_production(self) -> EvaluationRequest:
        """The evaluation of production: where the judge is checked and fails, nothing else is asked."""
        return replace(self.run, require_judge=self.run.canaries)

    def arguments(self) -> dict[str, Json]:
        """All that decides what is measured, as JSON gives it back."""
        measured = {name: value for name, value in asdict(self.run).items() if name not in MAY_CHANGE}
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in measured.items()}
        return {**plain, "noise_share": self.noise_share, "latest": self.latest}


async def plan_legs(
    asked: NightRequest, baseline: Baseline | None, date: str, settings: Settings, suites: Suites
) -> tuple[dict[Role, Leg], str]:
    """The prompts that are played tonight, production last, and why the baseline's is not, where it should be."""
    prompts = open_prompts(settings, use_langfuse=asked.run.langfuse)

    async def load(reference: str) -> PromptVersion:
        found = await prompts.load(reference)
        if not asked.run.quiet:
            note(f"prompt: {found.resolution}, from {found.prompt.pin.source}")
        return found.prompt

    production = await load("production")
    unchecked = replace(asked.of_production, canaries=False)
    legs: dict[Role, Leg] = {}
    if baseline is not None:
        only, seed = _repetition(asked, date, suites)
        legs["repeat"] = Leg(production, replace(unchecked, only=only, seed=seed))
    before, unresolved = await _baseline_prompt(baseline, production, load)
    if before is not None:
        legs["baseline_prompt"] = Leg(before, unchecked)
    if asked.latest:
        latest = await load("latest")
        if latest.pin.sha256 != production.pin.sha256:
            legs["latest"] = Leg(latest, unchecked)
    legs["production"] = Leg(production, asked.of_production)
    return legs, unresolved


def mark_of(leg: Leg) -> Mark:
    """A mark that two legs share when they are one run: the same text over the same scenarios."""
    return ("" if leg.prompt is None else leg.prompt.pin.sha256, leg.request.only)


def _repetition(asked: NightRequest, date: str, suites: Suites) -> tuple[tuple[str, ...], int]:
    """The scenarios that are played twice, and the seed of the second time."""
    loaded = load_suite(asked.run.suite, asked.run.rubric, suites)
    definition = suites[asked.run.suite]
    listed = load_scenarios(asked.run.scenarios or definition.scenarios, loaded.rubric, definition.parse)
    chosen = repeated_scenarios(select(listed, asked.run), date, asked.noise_share)
    return chosen, repeat_seed(asked.run.seed, date)


async def _baseline_prompt(
    baseline: Baseline | None, production: PromptVersion, load: Callable[[str], Any]
) -> tuple[PromptVersion | None, str]:
    """The baseline's prompt where production's is another, and why it cannot be had."""
    pin = None if baseline is None else baseline.spec.prompt
    if pin is None or pin.sha256 == production.pin.sha256:
        return None, ""
    if pin.version is None:
        return None, f"{pin.name} has no version number"
    try:
        found: PromptVersion = await load(f"{pin.name}@v{pin.version}")
    except UsageError as error:
        return None, str(error)
    if found.pin.sha256 != pin.sha256:
        return None, f"{pin.version_title} does not hold the same text any more"
    return found, ""
