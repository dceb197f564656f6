"""The prompts under test, each pinned once before anything is paid for."""

from evaluation.prompts import PromptVersion
from evaluation.request import EvaluationRequest
from scripts.shell import note
from services.prompt_service import DEFAULT_REFERENCE, open_prompts
from services.settings import Settings


async def pin_prompts(request: EvaluationRequest, settings: Settings) -> list[PromptVersion]:
    """Each reference of the request resolved once, uncached."""
    prompts = open_prompts(settings, use_langfuse=request.langfuse)
    found = [await prompts.load(reference) for reference in request.prompts or (DEFAULT_REFERENCE,)]
    if not request.quiet:
        for prompt in found:
            note(f"prompt: {prompt.resolution}, from {prompt.prompt.pin.source}")
    return [prompt.prompt for prompt in found]
