"""Rubrics, suites and scenarios from their files: the catalog's text through the core's parsers."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from evaluation.errors import UsageError
from evaluation.metrics.checks import check_rules
from evaluation.prompts import PromptVersion
from evaluation.records import Scenario
from evaluation.rubrics.loader import parse_rubric
from evaluation.rubrics.rubric import Rubric
from evaluation.scenarios.parser import merge_scenarios
from evaluation.suites import SUITES, Suites
from evaluation.suites.suite import ParseScenarios, Suite, SuiteDefinition, conversations
from services.catalog import CANARIES, EXPECTATIONS, RUBRICS, read_named, read_scenarios

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
