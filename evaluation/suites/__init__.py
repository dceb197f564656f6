"""The suites by name. A new one is a file beside this and a line in the table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from evaluation.records import Scenario
from evaluation.rubrics.rubric import Rubric
from evaluation.scenarios.parser import parse_scenarios
from evaluation.suites.companion import companion
from evaluation.suites.suite import BuildSuite, Suite
from evaluation.suites.text_quality import text_quality

ParseScenarios: TypeAlias = Callable[[str, str, Rubric], tuple[Scenario, ...]]
"""(text of a file, its place, the suite's rubric) -> its scenarios. Raises ParseError."""


def conversations(text: str, place: str, rubric: Rubric) -> tuple[Scenario, ...]:
    """Scenarios as `evaluation.scenarios.parser` reads them."""
    return parse_scenarios(text, place, rubric.categories)


def flow_cases(text: str, place: str, rubric: Rubric) -> tuple[Scenario, ...]:
    """Scenarios as `evaluation.chat_flow.cases` reads them."""
    from evaluation.chat_flow.cases import parse_cases  # here, so that the other suites start sooner

    return parse_cases(text, place, rubric)


def recipe_flow(rubric: Rubric) -> Suite:
    """The suite of `evaluation.suites.chat_flow`."""
    from evaluation.suites.chat_flow import chat_flow  # here, so that the other suites start sooner

    return chat_flow(rubric)


@dataclass(frozen=True, slots=True)
class SuiteEntry:
    """How a suite is built, and which files it starts from unless others are named."""

    build: BuildSuite
    rubric: str
    """Name of its rubric file."""
    canaries: str = ""
    """Name of the exchanges that its judge is checked on; empty where there are none."""
    scenarios: tuple[str, ...] = ()
    """Names of its scenario files; empty means those of the rubric's categories."""
    parse: ParseScenarios = conversations
    """Reads one of these files."""


Suites: TypeAlias = Mapping[str, SuiteEntry]

SUITES: Suites = {
    "companion": SuiteEntry(companion, rubric="companion", canaries="canaries"),
    "chat_flow": SuiteEntry(
        recipe_flow, rubric="chat_flow", canaries="chat_flow_canaries", scenarios=("chat_flow",), parse=flow_cases
    ),
    "text_quality": SuiteEntry(text_quality, rubric="text_quality", scenarios=("text_quality",)),
}
