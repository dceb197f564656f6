"""A prompt as every source gives it, and the choice among the versions and labels that exist."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from evaluation.errors import UsageError
from evaluation.prompts import PromptVersion, prompt_digest, variables_in
from evaluation.records import Json, Turn
from evaluation.runspec import PromptPin

ROLES = frozenset({"system", "developer", "user", "assistant"})
_NUMBER = re.compile(r"v?([1-9][0-9]{0,8})")
_LISTED = 20


@dataclass(frozen=True, slots=True)
class FoundPrompt:
    """A pinned prompt version, and how the reference led to it."""

    prompt: PromptVersion
    resolution: str
    """One line to print: what was asked for, and what it turned out to be."""


@dataclass(frozen=True, slots=True)
class PromptChoice:
    """The meaning of a selector: a version number, or else a label."""

    version: int | None
    label: str | None
    resolution: str


class PromptSource(Protocol):
    """A place that keeps prompts. `find` raises UsageError, listing what exists, for an unknown name or selector."""

    async def find(self, name: str, selector: str) -> FoundPrompt: ...


def choose(name: str, selector: str, versions: Collection[int], labels: Collection[str]) -> PromptChoice:
    """Decides what `selector` (v3, 3, or a label) means for a prompt: a number first, a label of that spelling second.

    Raises UsageError listing versions and labels when it is neither.
    """
    match = _NUMBER.fullmatch(selector)
    number = int(match[1]) if match else None
    if number is not None and number in versions:
        note = "the label exists too and is not used" if selector in labels else f'there is no label "{selector}"'
        return PromptChoice(number, None, f"{selector} = version {number} ({note})")
    if selector in labels:
        absent = "" if number is None else f" (there is no version {number})"
        return PromptChoice(None, selector, f'{selector} = the version with the label "{selector}"{absent}')
    raise UsageError(
        f"prompt {name!r} has no version or label {selector!r}; it has the versions "
        f"{list_values(f'v{number}' for number in sorted(versions))} and the labels {list_values(sorted(labels))}: "
        "choose one"
    )


def unknown_prompt(name: str, where: str, existing: Iterable[str]) -> UsageError:
    """The error for a name that a source does not know."""
    return UsageError(f"there is no prompt {name!r} in {where}; there are {list_values(sorted(existing))}: choose one")


def list_values(values: Iterable[str]) -> str:
    """Values for a message, the last 20 of them; "none" when there are none."""
    texts = list(values)
    if len(texts) > _LISTED:
        return f"{len(texts) - _LISTED} others, {', '.join(texts[-_LISTED:])}"
    return ", ".join(texts) or "none"


def pinned_prompt(
    pin: tuple[str, int | None, str | None, str],
    kind: Literal["text", "chat"],
    messages: Sequence[Turn],
    config: Json,
    place: str,
) -> PromptVersion:
    """The checked value of one version. `pin` is (name, version, label, source); `place` stands before a complaint.

    Raises UsageError for an empty prompt, a role that no model knows, and a config that is no mapping.
    """
    name, version, label, source = pin
    if not any(message.content.strip() for message in messages):
        raise UsageError(f"{place}: the prompt is empty: write its text")
    for message in messages:
        if message.role != "placeholder" and message.role not in ROLES:
            raise UsageError(
                f"{place}: a message has the role {message.role[:80]!r}: use one of {', '.join(sorted(ROLES))}"
            )
    if config is not None and not isinstance(config, Mapping):
        raise UsageError(f"{place}: config is {str(config)[:80]!r}: make it a mapping of parameters, or leave it out")
    try:
        sha256 = prompt_digest(kind, messages, config or {})
    except ValueError:
        raise UsageError(f"{place}: config holds a number that is not finite: write a finite one") from None
    return PromptVersion(
        pin=PromptPin(name=name, version=version, label=label, sha256=sha256, source=source),
        kind=kind,
        messages=tuple(messages),
        config=dict(config or {}),
        variables=variables_in(messages),
    )
