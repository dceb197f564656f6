"""The exchanges of a page when there are too many for it: the ones worth reading, and a sample of the rest."""

import hashlib
import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluation.summary.columns import is_value

MOST = 2000
"""Exchanges in one page, those of all runs together."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Slots of a plan, and how many of them came from where."""

    slots: frozenset[int]
    not_scored: int
    weakest: int
    disagreeing: int
    sampled: int
    available: int
    """Exchanges that there were to choose from."""


def select(
    present: Sequence[int],
    weak: Sequence[float],
    apart: Sequence[float],
    *,
    seed: int,
    most: int = MOST,
) -> Selection | None:
    """Chooses at most `most` of the slots in `present`; None when all of them fit.

    `weak` and `apart` hold a value for each slot, or a mark: the lowest of the former and the highest of the latter are
    taken, a third of the room each; up to a tenth goes to slots without a value in `weak` first, and what is left to a
    random sample, the same for the same seed.
    """
    if len(present) <= most:
        return None
    chosen: set[int] = set()
    unscored = [slot for slot in present if not is_value(weak[slot])]
    not_scored = _take(chosen, sorted(unscored, key=lambda slot: _draw(seed, slot)), most // 10)
    scored = (slot for slot in present if is_value(weak[slot]))
    weakest = _take(chosen, heapq.nsmallest(most // 3, scored, key=lambda slot: (weak[slot], slot)), most // 3)
    differing = (slot for slot in present if slot not in chosen and is_value(apart[slot]))
    disagreeing = _take(chosen, heapq.nlargest(most // 3, differing, key=lambda slot: (apart[slot], -slot)), most // 3)
    rest = (slot for slot in present if slot not in chosen)
    room = most - len(chosen)
    sampled = _take(chosen, heapq.nsmallest(room, rest, key=lambda slot: _draw(seed, slot)), room)
    return Selection(frozenset(chosen), not_scored, weakest, disagreeing, sampled, len(present))


def _take(chosen: set[int], slots: Iterable[int], room: int) -> int:
    before = len(chosen)
    for slot in slots:
        if len(chosen) - before >= room:
            break
        chosen.add(slot)
    return len(chosen) - before


def _draw(seed: int, slot: int) -> bytes:
    """A number that orders slots at random, the same on every machine."""
    return hashlib.blake2b(f"{seed}:{slot}".encode(), digest_size=8).digest()
