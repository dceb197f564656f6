"""A prompt version as a value, and how its template is filled."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from evaluation.errors import UsageError
from evaluation.records import Json, Turn
from evaluation.runspec import PromptPin, digest

VARIABLE = re.compile(r"\{\{\s*([^\W\d][\w.-]*)\s*\}\}")
_BRACED = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
"""What Langfuse takes for a variable: all from an opening pair to the next closing one."""
_LITERAL = re.compile(r"\s*(?:(?:\"[^\"]*\"|'[^']*'|[\w$-]+)\s*:(?:(?!\{\{).)*)?", re.DOTALL)
"""Nothing, or the begin of an object ("name": ...) that somebody doubled the braces of: a text for every engine."""
_TAG = re.compile(r"\{%[-+]?\s*\w.*?%\}", re.DOTALL)
_SHOWN = 40
CONVERSATION_PLACEHOLDERS = frozenset({"conversation", "history", "chat_history", "messages"})
"""Names of placeholder messages that stand for the conversation so far."""


ROLES = frozenset({"system", "developer", "user", "assistant"})
"""Of a prompt's messages."""


@dataclass(frozen=True, slots=True)
class PromptVersion:
    """One version, pinned: the template's messages, its configuration, and where both came from."""

    pin: PromptPin
    kind: Literal["text", "chat"]
    messages: tuple[Turn, ...]
    """A text prompt is one system message; a placeholder message has role `placeholder` and its name as content."""
    config: Mapping[str, Json]
    variables: tuple[str, ...]
    """Names in {{double braces}}, sorted."""

    @property
    def own_values(self) -> dict[str, str]:
        """Values that its own configuration gives for its variables."""
        given = self.config.get("variables")
        return {str(name): str(value) for name, value in given.items()} if isinstance(given, Mapping) else {}

    @property
    def placed_messages(self) -> dict[str, tuple[Turn, ...]]:
        """Messages that its own configuration gives for its placeholders: lists among its `variables`, as Langfuse
        takes them; without those of a form that no message has."""
        given = self.config.get("variables")
        lists = (
            {name: given[name] for name in self._placeholders if name in given} if isinstance(given, Mapping) else {}
        )
        return {
            name: tuple(Turn(each["role"], each["content"]) for each in value)
            for name, value in lists.items()
            if isinstance(value, list) and all(map(_is_message, value))
        }

    @property
    def _placeholders(self) -> tuple[str, ...]:
        """Names of its placeholders, without those of the conversation."""
        named = dict.fromkeys(message.content for message in self.messages if message.role == "placeholder")
        return tuple(name for name in named if name not in CONVERSATION_PLACEHOLDERS)

    def unfilled(self, values: Mapping[str, str]) -> list[str]:
        """What would be left over of the template under these values, each as a clause with what to do."""
        faults = []
        placed = self.placed_messages
        needed = {*self.variables, *(name for turns in placed.values() for name in variables_in(turns))}
        if missing := [f"{{{{{name}}}}}" for name in sorted(needed) if name not in values]:
            is_, it = ("are", "them") if missing[1:] else ("is", "it")
            faults.append(
                f"it needs {', '.join(missing)}, which {is_} not given; "
                f"given are {', '.join(sorted(values)) or 'none'}: "
                f"rename {it} in the prompt, or set {it} in its config under variables"
            )
        if unknown := [repr(name) for name in self._placeholders if name not in placed]:
            faults.append(
                f"it has the placeholder {', '.join(unknown)}, and no messages for it: set a list of "
                f"{{role, content}} of that name in its config under variables, the role one of "
                f"{', '.join(sorted(ROLES))} (the conversation's are {', '.join(sorted(CONVERSATION_PLACEHOLDERS))})"
            )
        return faults

    def fill(self, values: Mapping[str, str], conversation: Sequence[Turn]) -> tuple[Turn, ...]:
        """The messages to send. Values are put in literally, in one pass: braces inside them stay text.

        Messages of a placeholder are filled like its others; the conversation stands at its own placeholder, or last.
        Raises UsageError when a variable has no value or a placeholder no messages.
        """
        if faults := self.unfilled(values):
            raise UsageError(f"prompt {self.pin.name!r}: {'; '.join(faults)}")
        placed_messages = self.placed_messages if self._placeholders else {}
        filled: list[Turn] = []
        placed = False
        for message in self.messages:
            if message.role != "placeholder":
                filled.append(_filled(message, values))
            elif message.content in placed_messages:
                filled.extend(_filled(each, values) for each in placed_messages[message.content])
            else:
                filled.extend(conversation)
                placed = True
        if not placed:
            filled.extend(conversation)
        return tuple(filled)


def _is_message(value: Json) -> bool:
    return (
        isinstance(value, Mapping)
        and set(value) == {"role", "content"}
        and all(isinstance(part, str) for part in value.values())
        and value["role"] in ROLES
    )


def _filled(message: Turn, values: Mapping[str, str]) -> Turn:
    return Turn(message.role, VARIABLE.sub(lambda match: values[match.group(1)], message.content))


def check_template(title: str, messages: Sequence[Turn]) -> None:
    """Raises UsageError for braces that hold neither a plain variable nor an object's text, naming each one's line."""
    if faults := template_faults(messages):
        raise UsageError(f"{title}: {'; '.join(faults)}")


def template_faults(messages: Sequence[Turn]) -> list[str]:
    """One clause on all braces that hold neither a plain variable nor an object's text; empty where there are none.

    Langfuse fills plain variables alone and sends blocks, helpers, filters and triple braces to the model as they
    stand (`TemplateParser` of its SDK, whose search for the next pair this follows): nobody means that.
    """
    found = []
    for number, message in enumerate(messages, start=1):
        matches = [*_BRACED.finditer(message.content), *_TAG.finditer(message.content)]
        for match in sorted(matches, key=lambda match: match.start()):
            if not VARIABLE.fullmatch(match[0]) and not (match.re is _BRACED and _LITERAL.fullmatch(match[1])):
                line = message.content.count("\n", 0, match.start()) + 1
                where = f"message {number}, line {line}" if messages[1:] else f"line {line} of its text"
                found.append(f"{_shown(match[0])} in {where}")
    if not found:
        return []
    return [
        f"it has {'; '.join(found[:3])}{f'; and {len(found) - 3} more' if found[3:] else ''}: only plain "
        "{{name}} is filled, as by Langfuse; to show such a text to the model, make it the value of a variable"
    ]


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…")


def variables_in(messages: Sequence[Turn]) -> tuple[str, ...]:
    """Names of the template variables, sorted."""
    return tuple(sorted({name for message in messages for name in VARIABLE.findall(message.content)}))


def prompt_digest(kind: str, messages: Sequence[Turn], config: Mapping[str, Json]) -> str:
    """SHA-256 of what decides the replies: the resolved template and its configuration."""
    return digest([kind, [[message.role, message.content] for message in messages], dict(config)])
