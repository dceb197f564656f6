"""The inputs of runs: all texts are read, and then parsed in one step."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from evaluation.inputs import InputTexts, parse_inputs
from evaluation.plan import Inputs, Leg
from evaluation.records import Scenario
from evaluation.request import EvaluationRequest, check_target
from evaluation.rubrics.extension import with_profile
from evaluation.rubrics.loader import parse_rubric
from evaluation.rubrics.rubric import Rubric
from evaluation.suites import SUITES, Suites
from evaluation.suites.loaded import LoadedSuite, build_suite, check_rubric, parse_sets
from evaluation.suites.suite import ParseScenarios, SuiteDefinition, conversations
from scripts.run.criteria import find_criteria
from scripts.run.prompts import pin_prompts
from scripts.run.suites import find_suite, suite_of_request
from scripts.run.texts import chosen_rubric, read_rubric, read_sets, rubric_of, texts_of
from services.settings import Settings
from services.workspace import EXPECTATIONS, read_named

if TYPE_CHECKING:
    from evaluation.sweep.expected import Expectations


async def read_inputs(
    request: EvaluationRequest, settings: Settings, suites: Suites = SUITES, legs: Sequence[Leg] = ()
) -> Inputs:
    """Everything is read before anything is parsed. `legs` take the place of the request's prompts and variants."""
    definition = suite_of_request(request, suites, settings)
    check_target(request, definition.target)
    bare = bool(legs) or definition.target == "application" or not (request.prompts or definition.needs_prompt)
    judge_prompt, prompts = await pin_prompts(request, settings, bare=bare)
    named = chosen_rubric(definition.name, request.rubric, settings)
    rubric = rubric_of(definition, named)
    sets = read_sets(request, definition, settings)
    texts = InputTexts(definition, judge_prompt, prompts, rubric, sets)
    return parse_inputs(texts, request, legs, find_criteria())


def load_suite(
    name: str, rubric: str | None = None, suites: Suites = SUITES, profile: str | None = None
) -> LoadedSuite:
    """A suite by name, under its own rubric or another, and a profile where one is named."""
    definition = find_suite(name, suites)
    return build_suite(definition, with_profile(rubric_of(definition, rubric), profile))


def load_rubric(reference: str) -> Rubric:
    """A rubric by name or file."""
    with _nothing_collected():
        return parse_rubric(read_rubric(reference), check_rubric)


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """All that is read is kept: the collector would look through it again and again, for a fifth of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def load_sets(
    request: EvaluationRequest, definition: SuiteDefinition, rubric: Rubric, settings: Settings
) -> tuple[Scenario, ...]:
    """The scenarios of all sets that a request names, or else of the settings' or the suite's own."""
    return parse_sets(read_sets(request, definition, settings), rubric, definition.parse, find_criteria())


def load_scenarios(
    references: Sequence[str], rubric: Rubric, parse: ParseScenarios = conversations
) -> tuple[Scenario, ...]:
    """The scenarios of the named sets, or of the default one."""
    return parse_sets(texts_of(references), rubric, parse, find_criteria())


def load_expectations(reference: str, metrics: Sequence[str]) -> "Expectations":
    """The expected ranges of a sweep by name or file; `metrics` are those that they may speak of."""
    from evaluation.sweep.expected import parse_expectations

    file = read_named("set of expected ranges", reference, EXPECTATIONS)
    return parse_expectations(file.text, file.place, metrics)
