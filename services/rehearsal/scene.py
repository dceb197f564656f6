"""What a conversation holds for the one who answers it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.rehearsal.feelings import Feeling, feeling_in
from services.rehearsal.topics import Topic, topic_index

READ_AT_MOST = 2_000
"""Characters of a message that are read; the rest changes nothing but the ranking of the phrases."""
MINE = re.compile(r"\bmy ((?:new |old |little |big |best |younger |older )?[a-z]{3,20})\b")
NOT_A_THING = frozenset({"own", "god", "life", "mind", "self", "whole", "favorite", "favourite", "last", "first"})


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the request. `role` is system, user or assistant; developer counts as system."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Scene:
    """The last user message as understood, and what came before it."""

    system: str
    user: str
    topic: Topic
    feeling: Feeling | None
    earlier: tuple[str, ...]
    """Earlier user messages, oldest first."""
    said: str
    """What the assistant said before, joined."""

    def thread(self, back: int) -> str:
        """Something an earlier user message spoke of, such as "your sister"; `back` picks among the candidates."""
        things = [thing for message in reversed(self.earlier) if (thing := thing_in(message))]
        fresh = [thing for thing in dict.fromkeys(things) if thing != self.topic.label] or things
        return fresh[back % len(fresh)] if fresh else ""


def read_scene(messages: Sequence[Message]) -> Scene:
    """Reads a conversation. Without a user message the scene is about nothing in particular."""
    users = [message.content for message in messages if message.role == "user"]
    user = users[-1] if users else ""
    return Scene(
        system="\n\n".join(message.content for message in messages if message.role == "system"),
        user=user,
        topic=topic_index().best(user[:READ_AT_MOST]),
        feeling=feeling_in(user[:READ_AT_MOST]),
        earlier=tuple(users[:-1]),
        said="\n".join(message.content for message in messages if message.role == "assistant"),
    )


def thing_in(message: str) -> str:
    """The thing or subject a message speaks of, from the assistant's side; empty when nothing stands out."""
    text = message[:READ_AT_MOST].lower()
    for found in MINE.findall(text):
        if found not in NOT_A_THING:
            return f"your {found}"
    topic = topic_index().best(text)
    return topic.label if topic.name not in {"anything", "greeting", "thanks", "memory"} else ""
