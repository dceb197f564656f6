"""What a message is about, and what can be said about it: the phrase pools in pools/."""

import re
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

WORD = re.compile(r"[^\W_]+")
SHORTEST_STEM = 3
PHRASE_POINTS = 3
WEIGHTY = 2
"""What is serious or lonely counts this often beside everyday subjects: "I eat dinner alone" is not about food."""
POOLS = ("danger.toml", "troubles.toml", "everyday.toml")


@dataclass(frozen=True, slots=True)
class Topic:
    """One subject and its phrases; pools/troubles.toml explains the fields."""

    name: str
    label: str
    words: tuple[str, ...]
    remarks: tuple[str, ...]
    questions: tuple[str, ...]
    tips: tuple[str, ...]
    help: tuple[str, ...] = ()
    honest: tuple[str, ...] = ()
    bluffs: tuple[str, ...] = ()
    urgent: bool = False
    serious: bool = False
    lonely: bool = False

    @property
    def weight(self) -> int:
        return WEIGHTY if self.serious or self.lonely else 1


@dataclass(frozen=True, slots=True)
class Phrase:
    """Several words in a row, as they stand in a message of words joined by single spaces."""

    text: str
    topic: int


@dataclass(frozen=True, slots=True)
class TopicIndex:
    """Topics by the words they are recognised by, in order of preference."""

    topics: tuple[Topic, ...]
    stems: dict[str, tuple[int, ...]]
    exact: dict[str, tuple[int, ...]]
    phrases: dict[str, tuple[Phrase, ...]]
    """By their first word, so that a message is held against those alone that it may contain."""

    @property
    def anything(self) -> Topic:
        """The topic of a message in which nothing is recognised."""
        return self.topics[-1]

    def best(self, message: str) -> Topic:
        """The topic that fits best: an urgent one before all others, then by points; a phrase counts for three words.

        Apostrophes are left out on both sides, as people who type in a hurry leave them out.
        """
        words = WORD.findall(message.lower().replace("’", "").replace("'", ""))
        points: defaultdict[int, int] = defaultdict(int)
        text = f" {' '.join(words)} "
        for word in set(words):
            for phrase in self.phrases.get(word, ()):
                if phrase.text in text:
                    points[phrase.topic] += PHRASE_POINTS
        for word in words:
            for number in self.exact.get(word, ()):
                points[number] += 1
            for length in range(SHORTEST_STEM, len(word) + 1):
                for number in self.stems.get(word[:length], ()):
                    points[number] += 1
        if not points:
            return self.anything
        return self.topics[max(points, key=lambda number: self._rank(number, points[number]))]

    def _rank(self, number: int, points: int) -> tuple[bool, int, int]:
        topic = self.topics[number]
        return topic.urgent, points * topic.weight, -number


@lru_cache(maxsize=1024)
def topic_of(message: str) -> Topic:
    """What one message is about; kept, since every turn of a conversation looks at those before it again."""
    return topic_index().best(message)


@cache
def topic_index() -> TopicIndex:
    """Reads the pools once per process."""
    folder = Path(__file__).parent / "pools"
    tables = [tomllib.loads((folder / name).read_text(encoding="utf-8")) for name in POOLS]
    topics = tuple(_topic(entry) for table in tables for entry in table["topic"])
    stems: defaultdict[str, tuple[int, ...]] = defaultdict(tuple)
    exact: defaultdict[str, tuple[int, ...]] = defaultdict(tuple)
    phrases: defaultdict[str, tuple[Phrase, ...]] = defaultdict(tuple)
    for number, topic in enumerate(topics):
        for given in topic.words:
            word = given.replace("'", "").removesuffix("$")
            if " " in word:
                end = " " if given.endswith("$") else ""
                phrases[word.partition(" ")[0]] += (Phrase(f" {word}{end}", number),)
            elif given.endswith("$"):
                exact[word] += (number,)
            else:
                stems[word] += (number,)
    return TopicIndex(topics, dict(stems), dict(exact), dict(phrases))


def _topic(entry: dict[str, Any]) -> Topic:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
    return Topic(**values)
