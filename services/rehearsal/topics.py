"""What a message is about, and what can be said about it: the phrase pools of topics.toml."""

import re
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
SHORTEST_STEM = 3


@dataclass(frozen=True, slots=True)
class Topic:
    """One subject and its phrases; topics.toml explains the fields."""

    name: str
    label: str
    words: tuple[str, ...]
    remarks: tuple[str, ...]
    questions: tuple[str, ...]
    tips: tuple[str, ...]
    honest: tuple[str, ...] = ()
    bluffs: tuple[str, ...] = ()
    serious: bool = False
    lonely: bool = False


@dataclass(frozen=True, slots=True)
class TopicIndex:
    """Topics by the words they are recognised by, in order of preference."""

    topics: tuple[Topic, ...]
    stems: dict[str, tuple[int, ...]]
    exact: dict[str, tuple[int, ...]]
    phrases: tuple[tuple[str, int], ...]

    def best(self, message: str) -> Topic:
        """The topic that fits best; a phrase counts for three words. The last topic fits everything."""
        text = message.lower().replace("’", "'")
        points: defaultdict[int, int] = defaultdict(int)
        for phrase, number in self.phrases:
            if phrase in text:
                points[number] += 3
        for word in WORD.findall(text):
            for number in self.exact.get(word, ()):
                points[number] += 1
            for length in range(SHORTEST_STEM, len(word) + 1):
                for number in self.stems.get(word[:length], ()):
                    points[number] += 1
        if not points:
            return self.topics[-1]
        return self.topics[max(points, key=lambda number: (points[number], -number))]


@cache
def topic_index() -> TopicIndex:
    """Reads topics.toml once per process."""
    table = tomllib.loads((Path(__file__).parent / "topics.toml").read_text(encoding="utf-8"))
    topics = tuple(_topic(entry) for entry in table["topic"])
    stems: defaultdict[str, tuple[int, ...]] = defaultdict(tuple)
    exact: defaultdict[str, tuple[int, ...]] = defaultdict(tuple)
    phrases: list[tuple[str, int]] = []
    for number, topic in enumerate(topics):
        for word in topic.words:
            if " " in word:
                phrases.append((word.rstrip("$"), number))
            elif word.endswith("$"):
                exact[word[:-1]] += (number,)
            else:
                stems[word] += (number,)
    return TopicIndex(topics, dict(stems), dict(exact), tuple(phrases))


def _topic(entry: dict[str, Any]) -> Topic:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
    return Topic(**values)
