"""From the texts that new runs are made of to their inputs: suite, scenarios and legs, parsed in one step."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.expectations.criteria import FindSet
from evaluation.plan import Inputs, Leg
from evaluation.prompts import PromptVersion
from evaluation.request import EvaluationRequest, variants
from evaluation.rubrics.extension import with_profile
from evaluation.suites.loaded import build_suite, parse_sets, with_judge_prompt
from evaluation.suites.suite import SuiteDefinition
from evaluation.text.forms import SourceText


@dataclass(frozen=True, slots=True)
class InputTexts:
    """All that new runs are made of, as it was read."""

    definition: SuiteDefinition
    judge_prompt: PromptVersion | None
    """The judge's own; None for the rubric's words."""
    prompts: Sequence[PromptVersion | None]
    """Those that are evaluated; None for a model without one, or an application."""
    rubric: SourceText
    """With those that it extends."""
    sets: tuple[SourceText, ...]
    """Of scenarios."""


def parse_inputs(texts: InputTexts, request: EvaluationRequest, legs: Sequence[Leg], find_set: FindSet) -> Inputs:
    """The inputs of one run per leg; `legs` take the place of the request's prompts and variants.

    Raises ParseError for a text that is wrong, and UsageError for a judge's prompt that cannot be.
    """
    built = build_suite(texts.definition, with_profile(texts.rubric, request.profile))
    loaded = with_judge_prompt(built, texts.judge_prompt)
    scenarios = parse_sets(texts.sets, loaded.rubric, texts.definition.parse, find_set)
    legs = legs or [Leg(prompt, variant) for prompt in texts.prompts for variant in variants(request)]
    return Inputs(loaded, legs, scenarios)
