"""A suite built from texts: its rubric, the canaries of its judge, and a prompt of the team's own for it."""

from dataclasses import dataclass, replace

from evaluation.judging.asking import with_prompt
from evaluation.metrics.scoring import check_rules
from evaluation.prompts import PromptVersion
from evaluation.rubrics.loader import parse_rubric
from evaluation.rubrics.rubric import Rubric
from evaluation.suites.suite import Suite, SuiteDefinition


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


def build_suite(definition: SuiteDefinition, rubric_text: str, place: str, canaries: str | None = None) -> LoadedSuite:
    """A suite under the rubric in a text; `canaries` is the text of those that its judge is checked on."""
    rubric = parse_rubric(rubric_text, place, check_rules)
    return LoadedSuite(definition.of(rubric), rubric, rubric_text, canaries)


def with_judge_prompt(loaded: LoadedSuite, prompt: PromptVersion | None) -> LoadedSuite:
    """The suite, judged by a prompt of the team's own where one is given. Raises UsageError for one that cannot be."""
    judge = loaded.suite.judge
    if prompt is None or judge is None:
        return loaded
    return replace(loaded, suite=replace(loaded.suite, judge=with_prompt(judge, prompt)), judge_prompt=prompt)
