"""The keys of one Langfuse project and its address, as settings say them."""

from dataclasses import dataclass

from evaluation.errors import UsageError
from services import setting_values as read
from services.setting_sources import Sources
from services.setting_values import setting


@dataclass(frozen=True, slots=True)
class LangfuseAccess:
    """The address of Langfuse and the pair of keys of one project. `repr` shows no secret."""

    base_url: str = setting(
        "LANGFUSE_BASE_URL",
        read.address,
        "https://cloud.langfuse.com",
        "Address of Langfuse: https://cloud.langfuse.com (EU), https://us.cloud.langfuse.com (US), or your own server.",
        secret=True,
        heading="Langfuse: prompts come from there and results go there",
        older_name="LANGFUSE_HOST",
        key="langfuse.base_url",
    )
    public_key: str = setting(
        "LANGFUSE_PUBLIC_KEY",
        read.key,
        "",
        "Public key of the Langfuse project. Both keys or neither; neither: prompts and results stay local.",
    )
    secret_key: str = setting("LANGFUSE_SECRET_KEY", read.key, "", "Secret key of the Langfuse project.", secret=True)


def langfuse_access(sources: Sources) -> LangfuseAccess | None:
    """Both keys with the address; None where neither is set. Raises UsageError for one alone or exchanged ones."""
    access = LangfuseAccess(**sources.read(LangfuseAccess))
    public, secret = access.public_key, access.secret_key
    if not public and not secret:
        return None
    if not public or not secret:
        names = ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY")
        given, missing = names if public else reversed(names)
        raise UsageError(f"{given} is set and {missing} is not: set both, or neither to work without Langfuse")
    if public.startswith("sk-lf-") or secret.startswith("pk-lf-"):
        raise UsageError("LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY are exchanged: the public one begins with pk-")
    return access
