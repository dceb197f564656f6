"""Langfuse as a command asks it: where keys are missing, or it stays away or refuses, one line says how to go on."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from evaluation.errors import UsageError
from services.langfuse.delivery import LangfuseAway
from services.langfuse.rest import ATTEMPT_SECONDS, LangfuseRest, Rejected
from services.langfuse_access import LangfuseAccess
from services.retrying import Backoff, TryAgain

PATIENCE = Backoff()
"""Of reading: a plan's limit is waited for, minute after minute."""


class LangfuseRefuses(UsageError):
    """It read what was asked and refuses it."""


def need_keys(access: LangfuseAccess | None, why: str) -> LangfuseAccess:
    """Raises UsageError where no keys are set; `why` says what cannot be done then."""
    if access is None:
        raise UsageError(f"LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY are not set: {why}")
    return access


@asynccontextmanager
async def ask_langfuse(
    access: LangfuseAccess, *, check: str, otherwise: str = "", patience: Backoff | None = None
) -> AsyncIterator[LangfuseRest]:
    """The server, while something is asked of it.

    Raises LangfuseAway where it does not answer, and says `otherwise` how to go on; LangfuseRefuses where it refuses,
    and names what to `check`.
    """
    async with LangfuseRest(access, backoff=patience or PATIENCE, attempt_seconds=ATTEMPT_SECONDS) as rest:
        try:
            yield rest
        except TryAgain as failure:
            raise LangfuseAway(f"{rest.where} {failure.message}{otherwise}") from None
        except Rejected as rejected:
            raise LangfuseRefuses(f"{rest.where} refuses ({rejected}): check {check}") from None
