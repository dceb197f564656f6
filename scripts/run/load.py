"""The inputs of runs: rubric, suite and scenarios from their files, and the prompts, each pinned once."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.errors import UsageError
from evaluation.judging.judge_rubric import with_prompt
from evaluation.metrics.checks import check_rules
from evaluation.prompts import PromptVersion
from evaluation.records import Scenario
from evaluation.request import EvaluationRequest, variants
from evaluation.rubrics.loader import parse_rubric
from evaluation.rubrics.rubric import Rubric
from evaluation.scenarios.parser import merge_scenarios
from evaluation.stored_inputs import prompt_to_json
from evaluation.suites import SUITES, Suites
from evaluation.suites.suite import ParseScenarios, Suite, SuiteDefinition, conversations
from scripts.shell import note
from services.catalog import CANARIES, EXPECTATIONS, RUBRICS, read_named, read_scenarios
from services.prompt_service import DEFAULT_REFERENCE, open_prompts, parse_reference
from services.settings import Settings

if TYPE_CHECKING:
    from evaluation.sweep.expected import Expectations


@dataclass(frozen=True, slots=True)
class LoadedSuite:
    """A suite, the rubric that it was built from, and that rubric's text."""

    suite: Suite
    rubric: Rubric
    text: str
    canaries: str | None = None
    """Text of the canaries that its judge is checked on."""
    judge_prompt: PromptVersion | None = None
    """The team's own prompt for the judge; None where the rubric's words are used."""


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


async def read_inputs(
    request: EvaluationRequest, settings: Settings, suites: Suites = SUITES, legs: Sequence[Leg] = ()
) -> Inputs:
    """Files first, then the prompts: a mistake in a file is found before Langfuse is asked.

    `legs` take the place of the request's prompts and variants.
    """
    loaded = load_suite(request.suite, request.rubric, suites)
    definition = suites[request.suite]
    scenarios = load_scenarios(request.scenarios or definition.scenarios, loaded.rubric, definition.parse)
    if request.judge:
        own = await pin_judge_prompt(request.judge_prompt, settings, use_langfuse=request.langfuse, quiet=request.quiet)
        loaded = with_judge_prompt(loaded, own)
    if not legs:
        bare = definition.target == "application" or not (request.prompts or loaded.suite.needs_prompt)
        prompts = [None] if bare else await pin_prompts(request, settings)
        legs = [Leg(prompt, variant) for prompt in prompts for variant in variants(request)]
    return Inputs(loaded, legs, scenarios)


def load_suite(name: str, rubric: str | None = None, suites: Suites = SUITES) -> LoadedSuite:
    """A suite by name, under its own rubric or another. Raises UsageError for a name that does not exist."""
    if name not in suites:
        near = get_close_matches(name, suites, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UsageError(f"there is no suite {name!r}: {hint}there are {', '.join(suites)}")
    file = read_named("rubric", rubric or suites[name].rubric_file, RUBRICS)
    return build_suite(suites[name], file.text, file.place, read_canary_text(suites[name]))


def check_plays_prompts(name: str, suites: Suites = SUITES, then: str = "") -> None:
    """Raises UsageError for a suite that evaluates an application: its runs have no prompt and no parameters.

    `then` says what to do after its runs are made, with a comma in front.
    """
    definition = suites.get(name)
    if definition is not None and definition.target == "application":
        command = f"make {definition.make_target}"
        raise UsageError(f"suite {name!r} evaluates an application: run {command}{then}")


def build_suite(definition: SuiteDefinition, rubric_text: str, place: str, canaries: str | None = None) -> LoadedSuite:
    """A suite under the rubric in a text; `canaries` is the text of those that its judge is checked on."""
    rubric = parse_rubric(rubric_text, place, check_rules)
    return LoadedSuite(definition.of(rubric), rubric, rubric_text, canaries)


def read_canary_text(definition: SuiteDefinition) -> str | None:
    """The canaries of a suite as their file holds them; None where it has none."""
    return read_named("canary set", definition.canaries, CANARIES).text if definition.canaries else None


def load_rubric(reference: str) -> Rubric:
    """A rubric by name or file."""
    file = read_named("rubric", reference, RUBRICS)
    return parse_rubric(file.text, file.place, check_rules)


def load_expectations(reference: str, metrics: Sequence[str]) -> "Expectations":
    """The expected ranges of a sweep by name or file; `metrics` are those that they may speak of."""
    from evaluation.sweep.expected import parse_expectations

    file = read_named("set of expected ranges", reference, EXPECTATIONS)
    return parse_expectations(file.text, file.place, metrics)


def load_scenarios(
    references: Sequence[str], rubric: Rubric, parse: ParseScenarios = conversations
) -> tuple[Scenario, ...]:
    """The scenarios of the named sets, or of all shipped ones; ids are unique across them."""
    files = read_scenarios(references)
    return merge_scenarios([(file.place, parse(file.text, file.place, rubric)) for file in files])


INPUT = "judge_prompt"
"""Its name among a run's inputs; a run without it judges by the rubric's own words."""
RUBRICS_OWN = "rubric"
"""The reference that leaves a setting aside."""


async def pin_judge_prompt(
    reference: str | None, settings: Settings, *, use_langfuse: bool = True, quiet: bool = False
) -> PromptVersion | None:
    """The judge's prompt that a flag or else the setting names, resolved once; None for the rubric's own words.

    Raises UsageError for a reference without a name: a bare version belongs to the prompt under test.
    """
    named = reference or settings.judge_prompt
    if named is None or named == RUBRICS_OWN:
        return None
    parsed = parse_reference(named, "")
    if not isinstance(parsed, Path) and not parsed[0]:
        raise UsageError(
            f"judge prompt {named[:80]!r}: name it as name@v3, name@label or a file; "
            f"{RUBRICS_OWN} means the rubric's own words"
        )
    found = await open_prompts(settings, use_langfuse=use_langfuse).load(named)
    if not quiet:
        note(f"judge prompt: {found.resolution}, from {found.prompt.pin.source}")
    return found.prompt


def with_judge_prompt(loaded: LoadedSuite, prompt: PromptVersion | None) -> LoadedSuite:
    """The suite, judged by a prompt of the team's own where one is given. Raises UsageError for one that cannot be."""
    judge = loaded.suite.judge
    if prompt is None or judge is None:
        return loaded
    return replace(loaded, suite=replace(loaded.suite, judge=with_prompt(judge, prompt)), judge_prompt=prompt)


def judge_prompt_input(loaded: LoadedSuite) -> dict[str, str]:
    """The prompt as an input of a run; nothing where the rubric's own words are used."""
    return {} if loaded.judge_prompt is None else {INPUT: json.dumps(prompt_to_json(loaded.judge_prompt))}


async def pin_prompts(request: EvaluationRequest, settings: Settings) -> list[PromptVersion]:
    """Each reference of the request resolved once, uncached."""
    prompts = open_prompts(settings, use_langfuse=request.langfuse)
    found = [await prompts.load(reference) for reference in request.prompts or (DEFAULT_REFERENCE,)]
    if not request.quiet:
        for prompt in found:
            note(f"prompt: {prompt.resolution}, from {prompt.prompt.pin.source}")
    return [prompt.prompt for prompt in found]
