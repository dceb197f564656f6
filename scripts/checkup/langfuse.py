"""Langfuse as it stands: keys, version, score configs, and the prompts that are taken from there. Nothing is made."""

import asyncio

from evaluation.errors import EvaluationError
from evaluation.suites.suite import Suite
from evaluation.text.numbers import times
from scripts.checkup.check import Check, ok, unchecked, wrong
from services.langfuse.preflight import check_settings, inspect_project
from services.langfuse.rest import LangfuseRest
from services.langfuse.score_names import score_kinds
from services.langfuse_access import LangfuseAccess
from services.prompt_service import open_prompts
from services.prompt_versions import FoundPrompt
from services.retrying import Backoff, TryAgain
from services.settings import Settings

ONCE = Backoff(attempts=1, deadline_s=0)
SERVER, CONFIGS, PROMPT = "Langfuse", "score configs", "prompt"


async def check_langfuse(settings: Settings, suite: Suite | None, timeout_s: float) -> tuple[Check, ...]:
    """Server and keys, and the configs of the scores that a judged run of the suite sends."""
    access = settings.langfuse
    if access is None:
        keys = "for prompts from there and results there set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY"
        return (unchecked(SERVER, "no keys are set: prompts come from the folder, results stay here", keys),)
    try:
        check_settings(settings)
        return await _inspect(access, settings, suite, timeout_s)
    except EvaluationError as error:
        return wrong(SERVER, str(error)), unchecked(CONFIGS, f"{SERVER} is wrong")
    except TryAgain as failure:
        server = wrong(
            SERVER, f"Langfuse at {_where(access)} {failure.message}", "check LANGFUSE_BASE_URL, or try later"
        )
        return server, unchecked(CONFIGS, f"{SERVER} did not answer")


async def _inspect(
    access: LangfuseAccess, settings: Settings, suite: Suite | None, timeout_s: float
) -> tuple[Check, ...]:
    kinds = [] if suite is None else list(score_kinds(suite, judged=suite.judge is not None, expects=True))
    async with LangfuseRest(access, backoff=ONCE, attempt_seconds=timeout_s) as rest:
        async with asyncio.timeout(3 * timeout_s):
            found = await inspect_project(rest, kinds)
    off = "" if settings.tracing_enabled else "; LANGFUSE_TRACING_ENABLED=false: results are not sent there"
    server = ok(SERVER, f"{rest.base_url} takes the keys{''.join(f'; {note}' for note in found.notes)}{off}")
    if found.problems:
        return server, wrong(
            CONFIGS, "; ".join(found.problems), "archive them in Langfuse: the next run makes new ones"
        )
    if suite is None:
        return server, unchecked(CONFIGS, "they follow from the rubric, which is wrong")
    missing = f", {len(found.missing)} are made by the next run that is sent" if found.missing else ""
    return server, ok(CONFIGS, f"{times(len(found.there), 'config')} of {len(kinds)} there and fitting{missing}")


def _where(access: LangfuseAccess) -> str:
    return LangfuseRest(access).base_url


async def check_prompt(settings: Settings, *, reachable: bool, timeout_s: float) -> tuple[Check, FoundPrompt | None]:
    """The prompt that `eval` takes when none is named, resolved as a run resolves it."""
    if not reachable:
        return unchecked(PROMPT, f"it comes from {SERVER}, which is wrong"), None
    try:
        async with asyncio.timeout(timeout_s):
            found = await open_prompts(settings).load(settings.prompt_reference)
    except EvaluationError as error:
        return wrong(PROMPT, str(error)), None
    except TimeoutError:
        return wrong(
            PROMPT, f"{SERVER} gave none within {timeout_s:g} s", "check LANGFUSE_BASE_URL, or try later"
        ), None
    return ok(PROMPT, found.resolution), found
