"""Messages that no scenario covers, gathered into subjects: leader clustering by the words that say what each is about.

The heaviest messages lead; each other one joins the leader that it is most like, or leads a cluster of its own
(Hartigan 1975). Likeness is the cosine of stems weighted by how few messages have them, as for scenarios.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.metrics.utterance import fold
from evaluation.scenarios.nearest import COVERED, LONGEST
from evaluation.text.function_words import FUNCTION_WORDS
from evaluation.text.stems import stem_of

MOST_COMMON = 0.2
"""A stem in more than this share of many messages says nothing of what one of them is about."""
MANY = 50


@dataclass(slots=True)
class Cluster:
    """Messages about one subject."""

    leader: int
    """Place of the message that stands for all."""
    members: list[int] = field(default_factory=list)
    """Places, the leader's first."""
    weight: float = 0.0
    """How many messages of production all stand for."""


def clusters(messages: Sequence[tuple[str, float]]) -> list[Cluster]:
    """The clusters of (text, weight), the heaviest first; a message without a telling word is in none."""
    stems = [_stems(text) for text, _ in messages]
    spread = Counter(stem for each in stems for stem in each)
    frequent = len(messages) * MOST_COMMON if len(messages) >= MANY else math.inf
    weighed = [_weigh(each, spread, len(messages), frequent) for each in stems]
    order = sorted(range(len(messages)), key=lambda place: (-messages[place][1], len(messages[place][0]), place))
    found, holders = list[Cluster](), defaultdict[str, list[tuple[int, float]]](list)
    for place in order:
        weights = weighed[place]
        if not weights:
            continue
        number = _nearest(weights, holders)
        if number is None:
            number = len(found)
            found.append(Cluster(place))
            for stem, weight in weights.items():
                holders[stem].append((number, weight))
        found[number].members.append(place)
        found[number].weight += messages[place][1]
    return sorted(found, key=lambda cluster: (-cluster.weight, cluster.leader))


def _nearest(weights: Mapping[str, float], holders: Mapping[str, Sequence[tuple[int, float]]]) -> int | None:
    """The number of the cluster whose leader it is most like; None where it is like none."""
    shared = defaultdict[int, float](float)
    for stem, weight in weights.items():
        for number, other in holders.get(stem, ()):
            shared[number] += weight * other
    best = max(shared, key=lambda number: (shared[number], -number), default=None)
    return best if best is not None and shared[best] >= COVERED else None


def _stems(text: str) -> Counter[str]:
    words = "".join(sign if sign.isalnum() else " " for sign in fold(text[:LONGEST])).split()
    return Counter(stem_of(word) for word in words if word not in FUNCTION_WORDS and len(word) > 1)


def _weigh(stems: Counter[str], spread: Mapping[str, int], messages: int, frequent: float) -> dict[str, float]:
    """Stem -> its weight, all of length 1."""
    found = {
        stem: (1 + math.log(count)) * math.log(1 + messages / spread[stem])
        for stem, count in stems.items()
        if spread[stem] <= frequent
    }
    length = math.sqrt(math.fsum(weight * weight for weight in found.values()))
    return {stem: weight / length for stem, weight in found.items()} if length else {}
