"""The prompts of runs, each pinned once: those that are evaluated, and the judge's own."""

from collections.abc import Sequence
from pathlib import Path

from evaluation.errors import UsageError
from evaluation.prompts import PromptVersion
from evaluation.request import EvaluationRequest
from scripts.shell import note
from services.prompt_service import open_prompts, parse_reference
from services.settings import Settings

RUBRICS_OWN = "rubric"
"""The reference that leaves a setting aside."""


async def pin_prompts(
    request: EvaluationRequest, settings: Settings, *, bare: bool
) -> tuple[PromptVersion | None, Sequence[PromptVersion | None]]:
    """The judge's own prompt, and each prompt of the request, resolved once, uncached; with `bare` none is sent."""
    own = None
    if request.judge:
        own = await pin_judge_prompt(request.judge_prompt, settings, use_langfuse=request.langfuse, quiet=request.quiet)
    if bare:
        return own, (None,)
    prompts = open_prompts(settings, use_langfuse=request.langfuse)
    found = [await prompts.load(reference) for reference in request.prompts or (settings.prompt_reference,)]
    if not request.quiet:
        for prompt in found:
            note(f"prompt: {prompt.resolution}, from {prompt.prompt.pin.source}")
    return own, [prompt.prompt for prompt in found]


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
