"""A conversation as the one who answers it understands it: its subject, the feeling in it, and what was said before."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from services.rehearsal.pools import load_pool

READ_AT_MOST = 2_000
"""Characters of a message that are read; the rest changes nothing but the ranking of the lines."""
WORD = re.compile(r"[^\W_]+")
SHORTEST_STEM = 3
PHRASE_POINTS = 3
WEIGHTY = 2
"""Points of what is serious or lonely beside everyday subjects: "I eat dinner alone" is not about food."""
NOT_THEIRS = re.compile(
    r"\b(?:not|never|no|isn't|wasn't|aren't|(?:he|she|they|you|who)(?:'s|'re|'d be| is| are| was| were| looks| sounds)"
    r"|(?:make|makes|made) (?:you|him|her|them))"
    r"(?: (?:so|very|really|quite|that|even|all|a|always|just|too|pretty)){0,2}(?: feel(?:ing)?)? $"
)
"""Before a feeling, says that the user does not have it: "I'm not sad", "she's so angry"."""
BEFORE = 40
"""Characters before a feeling that are read for that."""


@dataclass(frozen=True, slots=True)
class Topic:
    """One subject and its lines; pools/topics.toml explains the fields."""

    name: str
    label: str
    words: str
    remarks: Sequence[str]
    questions: Sequence[str]
    help: Sequence[str] = ()
    honest: Sequence[str] = ()
    bluffs: Sequence[str] = ()
    urgent: bool = False
    serious: bool = False
    lonely: bool = False
    named: bool = True


@dataclass(frozen=True, slots=True)
class Feeling:
    """A feeling as the reply names it: follows "you are" and "feeling". Its tone is heavy or bright."""

    name: str
    tone: str


@cache
def load_topics() -> tuple[Topic, ...]:
    """All topics in order of preference; the last one is that of a message in which nothing is recognised."""
    return tuple(Topic(name, **lines) for name, lines in load_pool("topics").items())


@cache
def _index() -> dict[str, list[tuple[str, int]]]:
    """The wordings and the places of their topics, by the first three letters."""
    found: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for place, topic in enumerate(load_topics()):
        for word in filter(None, topic.words.split("|")):
            found[word.split()[0].removesuffix("$")[:SHORTEST_STEM]].append((word.replace("$", " "), place))
    return dict(found)


@lru_cache(maxsize=1024)
def find_topic(message: str) -> Topic:
    """The topic that fits best: an urgent one before all others, then the one with most points.

    Apostrophes are left out on both sides, as people who type in a hurry leave them out.
    """
    text = " ".join(WORD.findall(message.lower().replace("’", "").replace("'", ""))) + " "
    points: defaultdict[int, int] = defaultdict(int)
    index, known = _index(), load_topics()
    for match in WORD.finditer(text):
        for wording, place in index.get(match[0][:SHORTEST_STEM], ()):
            if text.startswith(wording, match.start()):
                points[place] += PHRASE_POINTS if " " in wording[:-1] else 1
    for place in points:
        points[place] *= WEIGHTY if known[place].serious or known[place].lonely else 1
    return known[max(points, key=lambda place: (known[place].urgent, points[place], -place), default=-1)]


@cache
def _feelings() -> tuple[re.Pattern[str], tuple[Feeling, ...]]:
    tables = load_pool("moves")["feelings"]
    known = tuple(Feeling(name, tone) for tone, words in tables.items() for name in words)
    patterns = [f"({words})" for table in tables.values() for words in table.values()]
    return re.compile(rf"\b(?:{'|'.join(patterns)})"), known


def find_feeling(message: str) -> Feeling | None:
    """The first feeling that the message speaks of as the user's own, or None."""
    text = message.lower().replace("’", "'")
    wording, known = _feelings()
    for match in wording.finditer(text):
        if match.lastindex and not NOT_THEIRS.search(text[max(0, match.start() - BEFORE) : match.start()]):
            return known[match.lastindex - 1]
    return None


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
    known = [find_topic(user[:READ_AT_MOST]) for user in users]
    return Scene(
        system="\n\n".join(message.content for message in messages if message.role == "system"),
        user=users[-1] if users else "",
        topic=_subject(known),
        feeling=find_feeling(users[-1][:READ_AT_MOST]) if users else None,
        earlier=tuple(known[:-1]),
        said="\n".join(message.content for message in messages if message.role == "assistant"),
    )


def _subject(known: Sequence[Topic]) -> Topic:
    """The subject of the last message.

    An urgent subject is not dropped because the user changes it, and a message in which nothing is recognised goes on
    with the subject before it.
    """
    anything = load_topics()[-1]
    latest = known[:-4:-1] or [anything]
    urgent = next((topic for topic in latest if topic.urgent), None)
    if urgent is not None or latest[0] is not anything:
        return urgent or latest[0]
    return next((topic for topic in latest if topic.named), anything)
