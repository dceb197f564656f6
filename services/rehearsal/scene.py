"""What a conversation holds for the one who answers it."""

from collections.abc import Sequence
from dataclasses import dataclass

from services.rehearsal.topics import Feeling, Topic, feeling_in, topic_of, topics

READ_AT_MOST = 2_000
"""Characters of a message that are read; the rest changes nothing but the ranking of the lines."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the request. `role` is system, user or assistant; developer counts as system."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Scene:
    """The last user message as understood, and the conversation before it."""

    system: str
    user: str
    topic: Topic
    feeling: Feeling | None
    earlier: tuple[Topic, ...]
    """The subjects of earlier user messages, oldest first."""
    said: str
    """The assistant's earlier turns, joined."""

    def thread(self) -> str:
        """A subject of an earlier message, such as "your family"; each turn takes up another one."""
        labels = [topic.label for topic in self.earlier if topic.named and not topic.urgent]
        fresh = [label for label in dict.fromkeys(labels) if label != self.topic.label] or labels
        return fresh[len(self.earlier) % len(fresh)] if fresh else ""


def read_scene(messages: Sequence[Message]) -> Scene:
    """Reads a conversation. Without a user message the scene is about nothing in particular."""
    users = [message.content for message in messages if message.role == "user"]
    known = [topic_of(user[:READ_AT_MOST]) for user in users]
    return Scene(
        system="\n\n".join(message.content for message in messages if message.role == "system"),
        user=users[-1] if users else "",
        topic=_subject(known),
        feeling=feeling_in(users[-1][:READ_AT_MOST]) if users else None,
        earlier=tuple(known[:-1]),
        said="\n".join(message.content for message in messages if message.role == "assistant"),
    )


def _subject(known: Sequence[Topic]) -> Topic:
    """The subject of the last message.

    An urgent subject is not dropped because the user changes it, and a message in which nothing is recognised goes on
    with the subject before it.
    """
    anything = topics()[-1]
    latest = known[:-4:-1] or [anything]
    urgent = next((topic for topic in latest if topic.urgent), None)
    if urgent is not None or latest[0] is not anything:
        return urgent or latest[0]
    return next((topic for topic in latest if topic.named), anything)
