"""Which scenario is like a message that somebody wrote, and which category the message is likely to belong to.

Likeness is the cosine of weighted word stems: a stem counts by how few situations have it (Spärck Jones 1972), a
function word for a tenth. The category comes from a multinomial naive Bayes classifier with Lidstone smoothing
(Manning, Raghavan and Schütze 2008, ch. 13): a message has few words, so it is a guess with a
probability, and no more than that.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.records import Scenario
from evaluation.text.function_words import FUNCTION_WORDS
from evaluation.text.stems import stem_of

COVERED = 0.5
"""From this likeness on a scenario covers a message."""
LONGEST = 5_000
"""Characters of a message that are looked at."""
_WORD = re.compile(r"[^\W_]+")
_FUNCTION_WORD = 0.1
_SMOOTHING = 0.5


@dataclass(frozen=True, slots=True)
class Guess:
    """The scenario that is most like a message, and the likeliest category."""

    scenario_id: str
    """Empty where no word is shared with any scenario."""
    situation: str
    similarity: float
    """0 (no word in common) to 1 (the same words)."""
    category: str
    """That of the scenario where it covers the message, else the likeliest; empty without scenarios."""
    categories: Mapping[str, float]
    """Category -> its probability; they add up to 1."""

    @property
    def is_covered(self) -> bool:
        return self.similarity >= COVERED


@dataclass(frozen=True, slots=True)
class _Message:
    scenario: Scenario
    weights: Mapping[str, float]
    length: float


class Nearest:
    """Compares messages with what users say in `scenarios`; the first of equally like ones is named."""

    def __init__(self, scenarios: Sequence[Scenario]) -> None:
        situations = defaultdict[str, set[str]](set)
        for scenario in scenarios:
            for stem in (stem for turn in scenario.turns for stem, _ in _stems(turn)):
                situations[stem].add(scenario.cluster)
        self._number = len({scenario.cluster for scenario in scenarios})
        self._spread = {stem: len(found) for stem, found in situations.items()}
        self._messages = [self._message(scenario, turn) for scenario in scenarios for turn in scenario.turns]
        self._holders = defaultdict[str, list[int]](list)
        for place, message in enumerate(self._messages):
            for stem in message.weights:
                self._holders[stem].append(place)
        self._categories = _Categories(scenarios)

    def of(self, text: str) -> Guess:
        """The guess for a user's message."""
        weights = self._weigh(text)
        shared = defaultdict[int, float](float)
        for stem, weight in weights.items():
            for place in self._holders.get(stem, ()):
                shared[place] += weight * self._messages[place].weights[stem]
        length = _length(weights)
        likeness = {place: found / (length * self._messages[place].length) for place, found in shared.items() if found}
        best = max(likeness, key=lambda place: (likeness[place], -place), default=None)
        probable = self._categories.of(text)
        likeliest = max(probable, key=lambda name: probable[name], default="")
        if best is None:
            return Guess("", "", 0.0, likeliest, probable)
        found, similarity = self._messages[best].scenario, min(1.0, likeness[best])
        category = found.category if similarity >= COVERED else likeliest
        return Guess(found.id, found.cluster, similarity, category, probable)

    def _message(self, scenario: Scenario, turn: str) -> _Message:
        weights = self._weigh(turn)
        return _Message(scenario, weights, _length(weights))

    def _weigh(self, text: str) -> dict[str, float]:
        counts = defaultdict[str, float](float)
        for stem, weight in _stems(text):
            counts[stem] += weight
        return {
            stem: (1 + math.log(count) if count > 1 else count)
            * math.log((self._number + 1) / (self._spread.get(stem, 0) + 0.5))
            for stem, count in counts.items()
        }


class _Categories:
    """Words of each category's first messages; a scenario for an audience says nothing, as others share its words."""

    def __init__(self, scenarios: Iterable[Scenario]) -> None:
        self._counts = defaultdict[str, Counter[str]](Counter)
        self._messages = Counter[str]()
        for scenario in scenarios:
            if not scenario.audience:
                self._counts[scenario.category].update(_features(scenario.turns[0]))
                self._messages[scenario.category] += 1
        self._totals = {name: sum(counts.values()) for name, counts in self._counts.items()}
        self._words = len({word for counts in self._counts.values() for word in counts})

    def of(self, text: str) -> dict[str, float]:
        """Category -> its probability."""
        features = Counter(_features(text))
        likely = {name: self._log_likelihood(name, features) for name in self._messages}
        top = max(likely.values(), default=0.0)
        shares = {name: math.exp(value - top) for name, value in likely.items()}
        whole = sum(shares.values())
        return {name: share / whole for name, share in shares.items()}

    def _log_likelihood(self, name: str, features: Counter[str]) -> float:
        counts, room = self._counts[name], self._totals[name] + _SMOOTHING * (self._words + 1)
        said = sum(times * math.log((counts[word] + _SMOOTHING) / room) for word, times in features.items())
        return math.log(self._messages[name]) + said


def _stems(text: str) -> list[tuple[str, float]]:
    return [
        (stem_of(word), _FUNCTION_WORD if word in FUNCTION_WORDS else 1.0)
        for word in _WORD.findall(text[:LONGEST].lower())
    ]


def _features(text: str) -> list[str]:
    """Stems, and whether it asks and how long it is, as words of their own."""
    stems = [stem for stem, _ in _stems(text)]
    return [*stems, f"asks {'?' in text}", f"length {min(5, len(stems).bit_length())}"]


def _length(weights: Mapping[str, float]) -> float:
    return math.sqrt(math.fsum(weight * weight for weight in weights.values())) or 1.0
