"""Which generations are drawn, from a stream of any length, and how many each of them stands for.

Each generation has a place that follows from the seed and its ids alone. Of each stratum (a prompt version in a week)
those with the lowest places are kept while the stream goes by, so that memory depends on the sample and not on
production, and the same seed draws the same ones in whatever order they come. How many of a stratum are drawn goes with
the root of its size (power allocation, Bankier 1988): a version that few users meet is still seen, and the weights
undo it in every mean.
"""

import hashlib
import heapq
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter

from evaluation.production.observation import Observation, Repeats

LEAST = 2
"""Drawn of each stratum that has them: of one alone nobody can say how its values vary."""

Stratum = tuple[str, ...]
"""Version and week; the version alone, or nothing, where there are too many for the sample."""


@dataclass(frozen=True, slots=True)
class SampledTurn:
    """A drawn generation, which may still turn out to be no turn of a chat."""

    observation: Observation
    stratum: str
    weight: float
    """The size of its stratum over how many of it were drawn."""


class Draw:
    """Draws from the generations that it is offered. `most` is the largest sample that may be asked for."""

    def __init__(self, seed: int, most: int) -> None:
        self._seed, self._most = seed, most
        self._kept: dict[Stratum, list[tuple[int, str]]] = defaultdict(list)
        """Heaps whose first entry has the highest place: -place, key of the generation."""
        self._observations: dict[str, Observation] = {}
        self.sizes: dict[Stratum, int] = defaultdict(int)
        self._repeats = Repeats()

    def is_repeated(self, observation: Observation) -> bool:
        """True where it was asked about before."""
        return self._repeats.is_repeated(observation)

    def offer(self, observation: Observation) -> bool:
        """Counts it; True where it may be drawn by what is known so far."""
        self.sizes[_whole(observation)] += 1
        return self._keep(observation)

    def restore(self, sizes: Mapping[Stratum, int], kept: Iterable[Observation]) -> None:
        """Takes what an earlier draw of the same seed counted and kept."""
        for stratum, size in sizes.items():
            self.sizes[stratum] += size
        for observation in kept:
            self._keep(observation)

    def sample(self, count: int) -> list[SampledTurn]:
        """At most `count` of them, the newest first."""
        merged = _merge(self.sizes, count)
        sizes: dict[Stratum, int] = defaultdict(int)
        pools: dict[Stratum, list[tuple[int, str]]] = defaultdict(list)
        for stratum, size in self.sizes.items():
            sizes[merged(stratum)] += size
            pools[merged(stratum)] += self._kept[stratum]
        numbers = allocate(sizes, count)
        drawn = [
            SampledTurn(self._observations[key], ", ".join(stratum), sizes[stratum] / numbers[stratum])
            for stratum, pool in pools.items()
            for _, key in sorted(pool, key=lambda each: (-each[0], each[1]))[: numbers[stratum]]
        ]
        return sorted(drawn, key=lambda each: (each.observation.started_at, each.observation.key), reverse=True)

    def _keep(self, observation: Observation) -> bool:
        heap = self._kept[_whole(observation)]
        if observation.key in self._observations:
            return False
        entry = (-place(self._seed, observation.key), observation.key)
        self._observations[observation.key] = observation
        if len(heap) < self._most:
            heapq.heappush(heap, entry)
            return True
        out = heapq.heappushpop(heap, entry)
        del self._observations[out[1]]
        return out != entry


def place(seed: int, key: str) -> int:
    """Where a thing stands in the order of drawing: 64 bits that look like chance."""
    return int.from_bytes(hashlib.sha256(f"{seed}|{key}".encode("utf-8", "surrogatepass")).digest()[:8])


def allocate(sizes: Mapping[Stratum, int], count: int) -> dict[Stratum, int]:
    """How many to draw of each: all where that is few enough, else by the roots of their sizes."""
    if sum(sizes.values()) <= count:
        return dict(sizes)
    numbers = {stratum: min(size, LEAST if LEAST * len(sizes) <= count else 1) for stratum, size in sizes.items()}
    waiting = [
        (-math.sqrt(size) / (numbers[stratum] + 1), stratum)
        for stratum, size in sorted(sizes.items())
        if numbers[stratum] < size
    ]
    heapq.heapify(waiting)
    for _ in range(count - sum(numbers.values())):
        _, stratum = heapq.heappop(waiting)
        numbers[stratum] += 1
        if numbers[stratum] < sizes[stratum]:
            heapq.heappush(waiting, (-math.sqrt(sizes[stratum]) / (numbers[stratum] + 1), stratum))
    return numbers


def _whole(observation: Observation) -> Stratum:
    return (observation.version, observation.week)


def _merge(strata: Iterable[Stratum], count: int) -> Callable[[Stratum], Stratum]:
    """Makes strata coarser until each can have its least number."""
    known = list(strata)
    parts = next((few for few in (2, 1) if LEAST * len({stratum[:few] for stratum in known}) <= count), 0)
    return itemgetter(slice(parts))
