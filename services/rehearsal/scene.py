"""What a conversation holds for the one who answers it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.rehearsal.feelings import Feeling, feeling_in
from services.rehearsal.topics import Topic, topic_index, topic_of

READ_AT_MOST = 2_000
"""Characters of a message that are read; the rest changes nothing but the ranking of the phrases."""
FOLLOWING = (
    r"a|about|again|also|and|are|as|at|because|before|but|by|can|did|does|doesn't|for|from|had|has|have|he|i|if|in|is"
    r"|isn't|just|keeps|on|or|said|says|she|so|than|that|the|this|to|today|told|tonight|wants|was|were|when|who|will"
    r"|with|won't|would|yesterday"
)
MINE = re.compile(
    r"\bmy ((?:new |old |little |big |best |younger |older )?[a-z]{3,20})"
    rf"(?=[^\w\s'’]|\s*$|\s+(?:{FOLLOWING})\b)",
    re.IGNORECASE,
)
"""Something of the user's: one noun, perhaps with a plain adjective. What follows shows that the noun ends there."""
NOT_A_THING = frozenset(
    {"ass", "best", "eyes", "face", "fault", "feet", "favorite", "favourite", "first", "god", "goodness"}
) | {"head", "heart", "last", "life", "mind", "name", "own", "self", "time", "turn", "way", "whole", "word"}
UNNAMED = frozenset(
    {"anything", "greeting", "thanks", "memory", "nothing_new", "how_to", "knowledge", "role", "insult"}
    | {"about_me", "joke", "opinion", "story"}
)
"""Topics that are nothing to come back to."""


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
    thing: str
    """Something of the user's that the message names, such as "your desk"; empty when there is none."""
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
        topic=_topic(users),
        feeling=feeling_in(user[:READ_AT_MOST]),
        thing=_own(user[:READ_AT_MOST]),
        earlier=tuple(users[:-1]),
        said="\n".join(message.content for message in messages if message.role == "assistant"),
    )


def _topic(users: Sequence[str]) -> Topic:
    """What the last message is about.

    An urgent subject is not dropped because the user changes it, and a message in which nothing is recognised goes on
    with the subject before it.
    """
    index = topic_index()
    latest = [topic_of(user[:READ_AT_MOST]) for user in users[:-4:-1]] or [index.anything]
    urgent = next((topic for topic in latest if topic.urgent), None)
    if urgent is not None:
        return urgent
    if latest[0] is index.anything:
        return next((topic for topic in latest if topic.name not in UNNAMED), index.anything)
    return latest[0]


def thing_in(message: str) -> str:
    """The thing or subject a message speaks of, from the assistant's side; empty when nothing stands out."""
    text = message[:READ_AT_MOST]
    if own := _own(text):
        return own
    topic = topic_of(text)
    return "" if topic.urgent or topic.name in UNNAMED else topic.label


def _own(text: str) -> str:
    """The first thing of the user's that a text names, as the assistant calls it; empty when there is none."""
    for found in MINE.findall(text):
        named = found.lower() if found.isupper() else found
        if named.lower() not in NOT_A_THING:
            return f"your {named}"
    return ""
