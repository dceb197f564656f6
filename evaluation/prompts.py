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

    def fill(self, values: Mapping[str, str], conversation: Sequence[Turn]) -> tuple[Turn, ...]:
        """The messages to send. Values are put in literally, in one pass: braces inside them stay text.

        Raises UsageError when a variable has no value or a placeholder is not known.
        """
        missing = [f"{{{{{name}}}}}" for name in self.variables if name not in values]
        if missing:
            is_, it = ("are", "them") if missing[1:] else ("is", "it")
            raise UsageError(
                f"prompt {self.pin.name!r} needs {', '.join(missing)}, which {is_} not given; "
                f"given are {', '.join(sorted(values)) or 'none'}: rename {it} in the prompt, or set {it} in its "
                "config under variables"
            )
        unknown = [
            repr(message.content)
            for message in self.messages
            if message.role == "placeholder" and message.content not in CONVERSATION_PLACEHOLDERS
        ]
        if unknown:
            raise UsageError(
                f"prompt {self.pin.name!r} has the placeholder {', '.join(unknown)}; "
                f"known are {', '.join(sorted(CONVERSATION_PLACEHOLDERS))}"
            )
        filled: list[Turn] = []
        placed = False
        for message in self.messages:
            if message.role != "placeholder":
                text = VARIABLE.sub(lambda match: values[match.group(1)], message.content)
                filled.append(Turn(message.role, text))
            else:
                filled.extend(conversation)
                placed = True
        if not placed:
            filled.extend(conversation)
        return tuple(filled)


def check_template(title: str, messages: Sequence[Turn]) -> None:
    """Raises UsageError for braces that hold neither a plain variable nor an object's text, naming each one's line.

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
    if found:
        raise UsageError(
            f"{title} has {'; '.join(found[:3])}{f'; and {len(found) - 3} more' if found[3:] else ''}: only plain "
            "{{name}} is filled, as by Langfuse; to show such a text to the model, make it the value of a variable"
        )


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…")


def variables_in(messages: Sequence[Turn]) -> tuple[str, ...]:
    """Names of the template variables, sorted."""
    return tuple(sorted({name for message in messages for name in VARIABLE.findall(message.content)}))


def prompt_digest(kind: str, messages: Sequence[Turn], config: Mapping[str, Json]) -> str:
    """SHA-256 of what decides the replies: the resolved template and its configuration."""
    return digest([kind, [[message.role, message.content] for message in messages], dict(config)])
