"""A prompt version as a value, and how its template is filled."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from evaluation.errors import UsageError
from evaluation.records import Json, Turn
from evaluation.runspec import PromptPin, digest

VARIABLE = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_.-]*)\s*\}\}")
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
        missing = [name for name in self.variables if name not in values]
        if missing:
            raise UsageError(
                f"prompt {self.pin.name!r} needs {{{{{missing[0]}}}}}, which is not given; "
                f"given are {', '.join(sorted(values)) or 'none'}: rename it in the prompt or set it in its config"
            )
        filled: list[Turn] = []
        placed = False
        for message in self.messages:
            if message.role != "placeholder":
                text = VARIABLE.sub(lambda match: values[match.group(1)], message.content)
                filled.append(Turn(message.role, text))
            elif message.content in CONVERSATION_PLACEHOLDERS:
                filled.extend(conversation)
                placed = True
            else:
                raise UsageError(
                    f"prompt {self.pin.name!r} has the placeholder {message.content!r}; "
                    f"known are {', '.join(sorted(CONVERSATION_PLACEHOLDERS))}"
                )
        if not placed:
            filled.extend(conversation)
        return tuple(filled)


def variables_in(messages: Sequence[Turn]) -> tuple[str, ...]:
    """Names of the template variables, sorted."""
    return tuple(sorted({name for message in messages for name in VARIABLE.findall(message.content)}))


def prompt_digest(kind: str, messages: Sequence[Turn], config: Mapping[str, Json]) -> str:
    """SHA-256 of what decides the replies: the resolved template and its configuration."""
    return digest([kind, [[message.role, message.content] for message in messages], dict(config)])
