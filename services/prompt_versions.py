"""Prompt versions: as every source gives them, chosen by number or label, and kept as files.

The files are prompts/<name>/v<N>.md for a text prompt, v<N>.yaml for a chat prompt, and labels.yaml.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

from pydantic import BeforeValidator, Field, PlainValidator

from evaluation.errors import ParseError, UsageError
from evaluation.prompts import ROLES, PromptVersion, prompt_digest, variables_in
from evaluation.records import Json, Turn
from evaluation.runspec import PromptPin
from evaluation.text.forms import Form, SourceText
from evaluation.text.yaml_text import load_yaml, locate
from services.text_files import TextFile, read_text, show_path

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

    def explain(self, version: int) -> str:
        """The resolution, with the version that a label turned out to be on."""
        return self.resolution if self.version else f"{self.resolution}, which is version {version}"


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


def unknown_prompt(name: str, where: str, existing: Collection[str], fill: str) -> UsageError:
    """The error for a name that a source does not know; `fill` says how an empty one gets its first prompts."""
    remedy = f"there are {list_values(sorted(existing))}: choose one" if existing else f"there are none yet: {fill}"
    return UsageError(f"there is no prompt {name!r} in {where}; {remedy}")


def list_values(values: Iterable[str]) -> str:
    """Values for a message, the last 20 of them; "none" when there are none."""
    texts = list(values)
    if len(texts) > _LISTED:
        return f"{len(texts) - _LISTED} others, {', '.join(texts[-_LISTED:])}"
    return ", ".join(texts) or "none"


@dataclass(frozen=True, slots=True)
class PromptText:
    """The content of one version, as it was found."""

    kind: Literal["text", "chat"]
    messages: tuple[Turn, ...]
    config: Json
    changes: Json = None
    """Its author's words on the change that it is, where the source keeps them."""

    def pin(self, name: str, version: int | None, label: str | None, source: str, place: str) -> PromptVersion:
        """The checked value of the version; `place` stands before a complaint.

        Raises UsageError for an empty prompt, a role that no model knows, and a config that is no mapping.
        """
        config = {} if self.config is None else self.config
        if not any(message.content.strip() for message in self.messages):
            raise UsageError(f"{place}: the prompt is empty: write its text")
        for message in self.messages:
            if message.role != "placeholder" and message.role not in ROLES:
                raise UsageError(
                    f"{place}: a message has the role {message.role[:80]!r}: use one of {', '.join(sorted(ROLES))}"
                )
        if not isinstance(config, Mapping):
            raise UsageError(
                f"{place}: config is {str(config)[:80]!r}: make it a mapping of parameters, or leave it out"
            )
        variables = variables_in(self.messages)
        try:
            sha256 = prompt_digest(self.kind, self.messages, config)
        except ValueError:
            raise UsageError(f"{place}: config holds a number that is not finite: write a finite one") from None
        pin = PromptPin(name=name, version=version, label=label, sha256=sha256, source=source)
        return PromptVersion(pin, self.kind, self.messages, dict(config), variables)


# --- prompts kept as files --------------------------------------------------------------------------------------------

TEXT_SUFFIXES = (".md", ".txt")
CHAT_SUFFIXES = (".yaml", ".yml", ".json")
_VERSION_FILE = re.compile(r"v([1-9][0-9]{0,8})")
_NAME_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]{0,79}")


def _turn(message: Any) -> Turn:
    match message:
        case {"placeholder": str(name), **rest} if not rest:
            return Turn("placeholder", name)
        case {"role": str(role), "content": str(content), **rest} if not rest and role != "placeholder":
            return Turn(role, content)
    raise ValueError("is neither {role, content} nor {placeholder: name}: write one")


def _some(messages: Any) -> Any:
    if not isinstance(messages, list) or not messages:
        raise ValueError("is missing: give a list of {role, content} and {placeholder: name}")
    return messages


class PromptHead(Form):
    """The keys of a prompt file beside its text: none but the config reaches a model."""

    config: Any = None
    changes: Any = None
    """Its author's words on the change that it is."""
    why: Any = None
    description: Any = None
    author: Any = None
    date: Any = None
    tags: Any = None


class ChatPrompt(PromptHead):
    """A chat prompt's file."""

    messages: Annotated[list[Annotated[Turn, PlainValidator(_turn)]], BeforeValidator(_some)] = Field(
        default_factory=list, validate_default=True
    )


@dataclass(frozen=True, slots=True)
class DirectoryPrompts:
    """The prompts below one folder. A name is never a path: its parts are checked before they are used."""

    root: Path

    async def find(self, name: str, selector: str) -> FoundPrompt:
        """The version that `selector` means. Raises UsageError listing what exists, ParseError for a broken file."""
        versions = self.versions(name)
        if not versions:
            fill = f"write {show_path(self.root)}/{name}/v1.md, or set EVAL_PROMPTS_DIR to another folder"
            raise unknown_prompt(name, f"{show_path(self.root)}/", self.names(), fill)
        labels = self.labels(name)
        choice = choose(name, selector, versions, labels)
        version = choice.version or labels[choice.label or ""]
        prompt = prompt_from_file(read_text(versions[version]), name, version, choice.label, "directory")
        return FoundPrompt(prompt, f"{name} {choice.explain(version)}, from {show_path(versions[version])}")

    def names(self) -> tuple[str, ...]:
        """Every prompt that has a version, sorted."""
        files = self.root.rglob("v[1-9]*.*") if self.root.is_dir() else ()
        return tuple(sorted({file.parent.relative_to(self.root).as_posix() for file in files if version_number(file)}))

    def versions(self, name: str) -> dict[int, Path]:
        """Version number -> file, rising; empty for an unknown name. Raises UsageError when two files share one."""
        if not all(_NAME_PART.fullmatch(part) for part in name.split("/")):
            return {}
        folder = self.root / name
        found: dict[int, Path] = {}
        for file in sorted(folder.iterdir()) if folder.is_dir() else ():
            number = version_number(file)
            if number and number in found:
                raise UsageError(
                    f"{show_path(file)}: is version {number} like {found[number].name}: remove one of the two"
                )
            if number:
                found[number] = file
        return dict(sorted(found.items()))

    def labels(self, name: str) -> dict[str, int]:
        """Label -> version number, from labels.yaml; `latest` is the highest number unless the file says otherwise."""
        versions = self.versions(name)
        labels = {"latest": max(versions)} if versions else {}
        path = self.root / name / "labels.yaml"
        if not versions or not path.is_file():
            return labels
        file = read_text(path)
        value = load_yaml(file.text, file.place)
        if value is None:
            return labels
        if not isinstance(value, dict):
            raise ParseError(file.place, "is not a mapping: write lines like 'production: 3'")
        for label, number in value.items():
            if isinstance(number, bool) or not isinstance(number, int) or number not in versions:
                known = ", ".join(str(known) for known in versions)
                place = locate(file.text, file.place, (label,))
                raise ParseError(place, f"label {label!r} is on {number!r}, which is no version: choose from {known}")
            labels[label] = number
        return labels


def prompt_from_file(file: TextFile, name: str, version: int | None, label: str | None, source: str) -> PromptVersion:
    """One prompt file as a pinned version. Raises UsageError or ParseError naming the file and line."""
    return parse_prompt(file.text, file.place, Path(file.place).suffix).pin(name, version, label, source, file.place)


def parse_prompt(text: str, place: str, suffix: str) -> PromptText:
    """A prompt file's text: Markdown with optional YAML front matter, or YAML with `messages`.

    White space around a text prompt is dropped. Raises ParseError naming the line.
    """
    if suffix in CHAT_SUFFIXES:
        chat = SourceText(text, place).read(ChatPrompt, "messages:")
        return PromptText("chat", tuple(chat.messages), chat.config, chat.changes)
    if suffix not in TEXT_SUFFIXES:
        raise ParseError(place, f"a prompt file ends with {', '.join(TEXT_SUFFIXES + CHAT_SUFFIXES)}: rename it")
    head = PromptHead()
    if text.startswith("---\n"):
        # The line break that begins the front matter keeps the line numbers of complaints those of the file.
        front, closing, text = text.removeprefix("---").partition("\n---\n")
        if not closing:
            raise ParseError(f"{place}:1", "the front matter that '---' opens is not closed: add a line '---'")
        head = SourceText(front, place).read(PromptHead, "config:", may_be_empty=True)
    return PromptText("text", (Turn("system", text.strip()),), head.config, head.changes)


def version_number(file: Path) -> int | None:
    """The version that a file of a prompt's folder holds; None for any other file."""
    match = _VERSION_FILE.fullmatch(file.stem)
    return int(match[1]) if match and file.suffix in TEXT_SUFFIXES + CHAT_SUFFIXES and file.is_file() else None
