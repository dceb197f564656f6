"""The prompt folder published to Langfuse: what would change, and then the change, version by version."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from evaluation.errors import UsageError
from evaluation.prompts import PromptVersion, prompt_digest
from evaluation.records import Json, Turn
from evaluation.runspec import canonical_json
from services.catalog import read_text
from services.langfuse.rest import LangfuseRest, Rejected, Unknown
from services.prompt_versions import DirectoryPrompts, parse_prompt, prompt_from_file

MAX_COMMIT_MESSAGE = 500
MOST_CHANGES = 200
"""Lines of one version's difference that are shown."""


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
            f"{self.name}: label {label} moves from {_shown(self.labels_now.get(label))} to v{local} of the folder"
            for label, local in self.labels.items()
        ]
        lines += [
            f"{self.name}: label {label} stays on {_shown(self.labels_now.get(label))}, where the folder has v{local}: "
            "move it with --move-labels"
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
        prompt = prompt_from_file(path, name, local, None, "directory")
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
        notes = parse_prompt(read_text(path).text, str(path), path.suffix).notes
        note = " ".join(str(notes.get("changes", "")).split())[:MAX_COMMIT_MESSAGE]
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
            made = (await rest.posted_once("v2/prompts", json=_body(new))).json()["version"]
            if made != plan.numbers[new.local]:
                raise UsageError(
                    f"{plan.name}: v{new.local} became version {made} in Langfuse, where another one was added just "
                    "now: run it again to see what is left"
                )
        for label, local in plan.labels.items():
            path = f"v2/prompts/{quote(plan.name, safe='')}/versions/{plan.numbers[local]}"
            await rest.repeated("PATCH", path, json={"newLabels": [label]})
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


def _shown(version: int | None) -> str:
    return "no version" if version is None else f"version {version}"
