"""Prompts kept in Langfuse: read through the SDK's generated REST client, and published there from the prompt folder.

What is read is uncached, without a fallback, and pinned by number. What would be published is shown as a plan first,
and then made version by version.
"""

import asyncio
import difflib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from evaluation.commands import write_command
from evaluation.errors import UsageError
from evaluation.prompts import PromptVersion, prompt_digest
from evaluation.records import Json, Turn
from evaluation.runspec import canonical_json
from services.endpoint_url import parse_endpoint_url
from services.langfuse.rest import LangfuseRest, Rejected, Unknown, raise_passing_or_refused
from services.langfuse_access import LangfuseAccess
from services.prompt_versions import (
    DirectoryPrompts,
    FoundPrompt,
    PromptText,
    choose,
    parse_prompt,
    prompt_from_file,
    unknown_prompt,
)
from services.retrying import Backoff, Retries, Tries, TryAgain
from services.text_files import read_text

if TYPE_CHECKING:
    from langfuse.api import AsyncLangfuseAPI, Prompt, PromptMeta

T = TypeVar("T")

ATTEMPT_SECONDS = 10.0
"""Longest time for one try of one request, from connecting to the last byte."""
PATIENCE = Backoff(attempts=3, first_s=0.5, longest_s=4.0, retry_after_cap_s=30.0, deadline_s=60.0)
_PAGE = 100
MAX_COMMIT_MESSAGE = 500
MOST_CHANGES = 200
"""Lines of one version's difference that are shown."""
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
            listed = await self._list_prompts(api, name)
            versions = {number for entry in listed for number in entry.versions}
            labels = {label for entry in listed for label in entry.labels}
            if not versions:
                existing = [entry.name for entry in await self._list_prompts(api)]
                publish = write_command("push-prompts")
                first = f"publish the prompt folder there with {publish}, or read it as it is with --no-langfuse"
                raise unknown_prompt(name, self._where, existing, first)
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
        content = PromptText(prompt.type, _messages(prompt, place), prompt.config)
        pinned = content.pin(name, prompt.version, choice.label, "langfuse", place)
        return FoundPrompt(pinned, f"{name} {choice.explain(prompt.version)}, from {self._where}")

    async def _connect(self, stack: AsyncExitStack) -> "AsyncLangfuseAPI":
        """The bare REST client: no singleton, no global tracer provider, no thread, no cache, no retries of its own."""
        import httpx
        from langfuse.api import AsyncLangfuseAPI

        url = parse_endpoint_url(self._access.base_url)
        client = await stack.enter_async_context(
            httpx.AsyncClient(
                timeout=self._attempt_seconds, trust_env=not url.loopback, verify=not url.plain, follow_redirects=False
            )
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

    async def _list_prompts(self, api: "AsyncLangfuseAPI", name: str | None = None) -> "list[PromptMeta]":
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


# --- published from the folder ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A version that Langfuse lacks."""

    prompt: PromptVersion
    local: int
    message: str
    before: str = ""
    """The content of the version before it, in the form of `as_text`."""

    def changes(self) -> list[str]:
        """The difference to the version before, as the lines of a unified diff."""
        old, new = self.before.splitlines(), as_text(self.prompt.messages, self.prompt.config).splitlines()
        return list(difflib.unified_diff(old, new, "newest version", f"v{self.local} of the folder", lineterm=""))


@dataclass(frozen=True, slots=True)
class PushPlan:
    """The changes that publishing one prompt would make."""

    name: str
    versions: tuple[NewVersion, ...] = ()
    """In the order in which they are made."""
    labels: Mapping[str, int] = field(default_factory=dict)
    """Label -> version of the folder that it is set on."""
    labels_left: Mapping[str, int] = field(default_factory=dict)
    """Label -> version of the folder that it would move to, had that been asked for."""
    numbers: Mapping[int, int] = field(default_factory=dict)
    """Version of the folder -> version in Langfuse, of those that are there."""
    labels_now: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        return not self.versions and not self.labels

    def lines(self) -> tuple[str, ...]:
        """The plan for people, one line per change."""
        lines: list[str] = []
        for new in self.versions:
            lines.append(f"{self.name}: new version from v{new.local}: {new.message or 'no note'}")
            changes = new.changes()
            lines += [f"    {line}" for line in changes[:MOST_CHANGES]]
            if len(changes) > MOST_CHANGES:
                lines.append(f"    and {len(changes) - MOST_CHANGES} more lines")
        lines += [
            f"{self.name}: label {label} moves from {_name_of(self.labels_now.get(label))} to v{local} of the folder"
            for label, local in self.labels.items()
        ]
        lines += [
            f"{self.name}: label {label} stays on {_name_of(self.labels_now.get(label))}, where the folder has "
            f"v{local}: move it with --move-labels"
            for label, local in self.labels_left.items()
        ]
        return tuple(lines)


async def push_plan(rest: LangfuseRest, folder: DirectoryPrompts, name: str, *, move_labels: bool = False) -> PushPlan:
    """Compares one prompt of the folder with Langfuse. Reads only. Raises UsageError and TryAgain.

    A label that no version in Langfuse has is set; one that has its place there moves only with `move_labels`, since
    people move labels in Langfuse, and a folder that is behind must not undo it.
    """
    files = folder.versions(name)
    if not files:
        raise UsageError(f"there is no prompt {name!r} in {folder.root}/: there are {', '.join(folder.names())}")
    remote, labels_now, before = await _remote(rest, name)
    newest = max(remote, default=0)
    numbers: dict[int, int] = {}
    problems: list[str] = []
    new: list[NewVersion] = []
    last = remote.get(newest)
    for local, path in files.items():
        file = read_text(path)
        prompt = prompt_from_file(file, name, local, None, "directory")
        if local <= newest:
            if remote.get(local) == prompt.pin.sha256:
                numbers[local] = local
            else:
                problems.append(
                    f"{name}: v{local} of the folder differs from version {local} in Langfuse, which cannot be "
                    "changed: add the text as a new version to the folder"
                )
            continue
        if prompt.pin.sha256 == last:
            numbers[local] = newest + len(new)
            continue
        changes = parse_prompt(file.text, file.place, path.suffix).changes
        note = " ".join(str(changes or "").split())[:MAX_COMMIT_MESSAGE]
        new.append(NewVersion(prompt, local, note, before))
        before = as_text(prompt.messages, prompt.config)
        numbers[local] = newest + len(new)
        last = prompt.pin.sha256
    wanted = {label: local for label, local in folder.labels(name).items() if label != "latest" and local in numbers}
    differing = {label: local for label, local in wanted.items() if labels_now.get(label) != numbers[local]}
    left = {label: local for label, local in differing.items() if label in labels_now and not move_labels}
    moved = {label: local for label, local in differing.items() if label not in left}
    return PushPlan(name, tuple(new), moved, left, numbers, labels_now, tuple(problems))


async def push(rest: LangfuseRest, plan: PushPlan) -> None:
    """Carries the plan out. After an interruption a new plan holds what is left, as nothing equal is made twice.

    Raises UsageError when Langfuse refuses something, or has changed since the plan was made.
    """
    try:
        for new in plan.versions:
            made = (await rest.send_once("POST", "v2/prompts", json=_body(new))).json()["version"]
            if made != plan.numbers[new.local]:
                raise UsageError(
                    f"{plan.name}: v{new.local} became version {made} in Langfuse, where another one was added just "
                    "now: run it again to see what is left"
                )
        for label, local in plan.labels.items():
            path = f"v2/prompts/{quote(plan.name, safe='')}/versions/{plan.numbers[local]}"
            await rest.send("PATCH", path, json={"newLabels": [label]})
    except Rejected as rejected:
        raise UsageError(f"{plan.name}: {rest.where} refuses it ({rejected}): correct the prompt's file") from None
    except Unknown as failure:
        raise UsageError(f"{plan.name}: {rest.where} {failure.message}: run it again to see what is left") from None


async def _remote(rest: LangfuseRest, name: str) -> tuple[dict[int, str], dict[str, int], str]:
    """(version -> digest, label -> version, the newest version as text) as Langfuse has them, includes unresolved."""
    page = await rest.get("v2/prompts", {"name": name, "limit": 100})
    versions = sorted(number for entry in page["data"] if entry["name"] == name for number in entry["versions"])
    digests: dict[int, str] = {}
    labels: dict[str, int] = {}
    newest = ""
    for number in versions:
        found = await rest.get(f"v2/prompts/{quote(name, safe='')}", {"version": number, "resolve": "false"})
        kind = "chat" if isinstance(found["prompt"], list) else "text"
        turns, config = _turns(found["prompt"]), found.get("config") or {}
        digests[number] = prompt_digest(kind, turns, config)
        newest = as_text(turns, config)
        labels.update(dict.fromkeys(found["labels"], number))
    return digests, labels, newest


def as_text(messages: Sequence[Turn], config: Json) -> str:
    """A version for people to compare: its messages under their roles, and its config."""
    parts = [f"[{turn.role}]\n{turn.content}" for turn in messages]
    return "\n".join([*parts, f"config: {canonical_json(config)}"] if config else parts)


def _turns(prompt: Any) -> Sequence[Turn]:
    if isinstance(prompt, str):
        return (Turn("system", prompt.strip()),)
    return [
        Turn("placeholder", message["name"])
        if message.get("type") == "placeholder"
        else Turn(message["role"], message["content"])
        for message in prompt
    ]


def _body(new: NewVersion) -> Json:
    prompt = new.prompt
    text: Json = prompt.messages[0].content
    if prompt.kind == "chat":
        text = [
            {"type": "placeholder", "name": turn.content}
            if turn.role == "placeholder"
            else {"type": "chatmessage", "role": turn.role, "content": turn.content}
            for turn in prompt.messages
        ]
    body: dict[str, Json] = {
        "name": prompt.pin.name,
        "type": prompt.kind,
        "prompt": text,
        "config": dict(prompt.config),
        "labels": [],
    }
    return {**body, "commitMessage": new.message} if new.message else body


def _name_of(version: int | None) -> str:
    return "no version" if version is None else f"version {version}"
