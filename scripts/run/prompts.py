"""The prompts of a run, each pinned once before anything is paid for: those under test, and the judge's own."""

import json
from dataclasses import replace
from pathlib import Path

from evaluation.errors import UsageError
from evaluation.judging.judge_rubric import with_prompt
from evaluation.prompts import PromptVersion
from evaluation.request import EvaluationRequest
from evaluation.stored_inputs import prompt_to_json
from scripts.run.load import LoadedSuite
from scripts.shell import note
from services.prompt_service import DEFAULT_REFERENCE, open_prompts, parse_reference
from services.settings import Settings

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
