"""Prompts kept in Langfuse, read through the SDK's generated REST client: uncached, no fallback, pinned by number."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from importlib.metadata import version
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote

from evaluation.errors import UsageError
from evaluation.records import Json, Turn
from services.endpoint_url import parse_endpoint_url
from services.langfuse.rest import raise_passing_or_refused
from services.prompt_versions import FoundPrompt, choose, pinned_prompt, unknown_prompt
from services.retrying import Backoff, Retries, Tries, TryAgain
from services.settings import LangfuseAccess

if TYPE_CHECKING:
    from langfuse.api import AsyncLangfuseAPI, Prompt, PromptMeta

T = TypeVar("T")

ATTEMPT_SECONDS = 10.0
"""Longest time for one try of one request, from connecting to the last byte."""
PATIENCE = Backoff(attempts=3, first_s=0.5, longest_s=4.0, retry_after_cap_s=30.0, deadline_s=60.0)
_PAGE = 100
_ONE_TRY: dict[str, int] = {"max_retries": 0}


class LangfusePrompts:
    """The prompts of one Langfuse project. Each `find` opens and closes its own connection."""

    def __init__(
        self, access: LangfuseAccess, *, retries: Retries | None = None, attempt_seconds: float = ATTEMPT_SECONDS
    ) -> None:
        self._access = access
        self._retries = retries or Retries(PATIENCE)
        self._attempt_seconds = attempt_seconds
        self._where = f"Langfuse at {parse_endpoint_url(access.base_url).identity}"

    async def find(self, name: str, selector: str) -> FoundPrompt:
        """The version that `selector` means, with everything that it includes resolved by the server.

        Raises UsageError in one line: unknown prompt, version or label (listing what exists), refused keys,
        an unreachable host, an answer that is not Langfuse's, a prompt that cannot be played.
        """
        async with AsyncExitStack() as stack:
            api = await self._connect(stack)
            listed = await self._listed(api, name)
            versions = {number for entry in listed for number in entry.versions}
            labels = {label for entry in listed for label in entry.labels}
            if not versions:
                raise unknown_prompt(name, self._where, [entry.name for entry in await self._listed(api)])
            choice = choose(name, selector, versions, labels)
            prompt = await self._call(
                lambda: api.prompts.get(
                    quote(name, safe=""), version=choice.version, label=choice.label, request_options=_ONE_TRY
                )
            )
        place = f"prompt {name!r} version {prompt.version} in {self._where}"
        if prompt.name != name or (choice.version is not None and prompt.version != choice.version):
            raise UsageError(
                f"{self._where}: asked for {name!r} {selector!r}, it gave {prompt.name!r} {prompt.version}"
            )
        pin = (name, prompt.version, choice.label, "langfuse")
        pinned = pinned_prompt(pin, prompt.type, _messages(prompt, place), prompt.config, place)
        resolution = choice.resolution if choice.version else f"{choice.resolution}, which is version {prompt.version}"
        return FoundPrompt(pinned, f"{name} {resolution}, from {self._where}")

    async def _connect(self, stack: AsyncExitStack) -> "AsyncLangfuseAPI":
        """The bare REST client: no singleton, no global tracer provider, no thread, no cache, no retries of its own."""
        import httpx
        from langfuse.api import AsyncLangfuseAPI

        url = parse_endpoint_url(self._access.base_url)
        client = await stack.enter_async_context(
            httpx.AsyncClient(timeout=self._attempt_seconds, trust_env=not url.loopback, follow_redirects=False)
        )
        return AsyncLangfuseAPI(
            base_url=url.url,
            username=self._access.public_key,
            password=self._access.secret_key,
            x_langfuse_sdk_name="python",
            x_langfuse_sdk_version=version("langfuse"),
            x_langfuse_public_key=self._access.public_key,
            httpx_client=client,
        )

    async def _listed(self, api: "AsyncLangfuseAPI", name: str | None = None) -> "list[PromptMeta]":
        """The prompts of the project, or the one of that name; none when there is no such prompt."""
        page = await self._call(lambda: api.prompts.list(name=name, limit=_PAGE, request_options=_ONE_TRY))
        return [entry for entry in page.data if name in (None, entry.name)]

    async def _call(self, request: Callable[[], Awaitable[T]]) -> T:
        """The answer to one request, tried again where that may help."""
        import pydantic

        try:
            return await self._retries.run(lambda _: self._attempt(request), Tries())
        except TryAgain as failure:
            raise UsageError(
                f"{self._where} {failure.message}: check LANGFUSE_BASE_URL and the server, "
                "or pass --no-langfuse to use the prompt folder"
            ) from None
        except pydantic.ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"])
            raise UsageError(
                f"{self._where} gave an answer of another form than SDK 5 reads ({field}: {first['msg']}): "
                "a prompt's messages must hold text, and the server must be 4.59 or newer"
            ) from None

    async def _attempt(self, request: Callable[[], Awaitable[T]]) -> T:
        import httpx
        from langfuse.api.core import ApiError

        try:
            async with asyncio.timeout(self._attempt_seconds):
                return await request()
        except (TimeoutError, httpx.TimeoutException):
            raise TryAgain("timeout", f"did not answer within {self._attempt_seconds:g} s") from None
        except httpx.HTTPError as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise TryAgain("connection", f"cannot be reached ({reason[:200]})") from None
        except UnicodeDecodeError:
            status = 200
        except ApiError as error:
            status = error.status_code or 0
            raise_passing_or_refused(self._where, status, error.headers or {})
        if status == 404:
            raise UsageError(
                f"{self._where} does not know what it was asked for (404): check LANGFUSE_BASE_URL; "
                "if it is right, the prompt was changed just now: try again"
            )
        raise UsageError(f"{self._where} does not answer like Langfuse (status {status}): check LANGFUSE_BASE_URL")


def _messages(prompt: "Prompt", place: str) -> tuple[Turn, ...]:
    if prompt.type == "text":
        return (Turn("system", prompt.prompt),)
    return tuple(_turn(message, place) for message in prompt.prompt)


def _turn(message: Json, place: str) -> Turn:
    role, content = getattr(message, "role", None), getattr(message, "content", None)
    if isinstance(role, str) and isinstance(content, str) and role != "placeholder":
        return Turn(role, content)
    if role is None and isinstance(message.name, str):
        return Turn("placeholder", message.name)
    raise UsageError(f"{place}: a message has the role {role!r}, which is none: correct it in Langfuse")
