"""Which texts nearly repeat one another: the Jaccard likeness of their shingles, which are runs of five letters.

Case, signs and blanks do not count. A text is remembered by a sketch of its shingles' hashes, which does not hold its
words (bottom-k sketches: Cohen and Kaplan 2007), though whoever knows a text can recognise it.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeAlias

LETTERS = 5
NEAR = 0.6
"""From this likeness on one text repeats another."""
SKETCH = 128
"""Hashes that are kept of a text, the smallest; those of a text of up to 132 letters are all kept."""

Sketch: TypeAlias = frozenset[int]


def sketch_of(text: str) -> Sketch:
    """The sketch of a text; empty for one without a letter or digit."""
    plain = " ".join("".join(sign if sign.isalnum() else " " for sign in text.lower().replace("'", "")).split())
    padded = f" {plain} " if plain else ""
    shingles = {padded[place : place + LETTERS] for place in range(max(1, len(padded) - LETTERS + 1))} if padded else ()
    hashes = (int.from_bytes(blake2b(each.encode("utf-8", "replace"), digest_size=7).digest()) for each in shingles)
    return frozenset(sorted(hashes)[:SKETCH])


def likeness(one: Sketch, other: Sketch) -> float:
    """0 (nothing in common) to 1 (the same). Of texts with more shingles than a sketch holds it is an estimate."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if shared else 0.0


class Known:
    """Texts that were seen; asked whether another nearly repeats one of them.

    Whoever repeats a text to the share `NEAR` has one of any 41 in a hundred of its shingles, so the rarest of them say
    which texts it is held against (the prefix filter of Chaudhuri, Ganti and Kaushik 2006).
    """

    def __init__(self) -> None:
        self._texts: list[tuple[Sketch, str]] = []
        self._holders = defaultdict[int, list[int]](list)

    def add(self, sketch: Sketch, name: str) -> None:
        """Remembers a text under a name."""
        for each in sketch:
            self._holders[each].append(len(self._texts))
        self._texts.append((sketch, name))

    def like(self, sketch: Sketch) -> str:
        """The name of the text that it repeats most, the first of equals; empty where it repeats none."""
        holders = self._holders
        rarest = sorted(sketch, key=lambda each: len(holders.get(each, ())))
        probed = rarest[: len(rarest) - math.ceil(NEAR * len(rarest)) + 1]
        places = {place for each in probed for place in holders.get(each, ())}
        found = [(likeness(sketch, self._texts[place][0]), -place) for place in places]
        best = max(found, default=(0.0, 0))
        return self._texts[-best[1]][1] if best[0] >= NEAR else ""


def first_of_each(sketches: Sequence[Sketch]) -> list[int]:
    """For each text the place of the first one before it that it repeats, or its own.

    As all texts are at hand, their shingles are in one order, the rarest first, and the first of each text suffice to
    find it.
    """
    spread = Counter(each for sketch in sketches for each in sketch)
    holders, same, found = defaultdict[int, list[int]](list), dict[Sketch, int](), list[int]()
    for place, sketch in enumerate(sketches):
        leader = same.get(sketch)
        if leader is None:
            rarest = sorted(sketch, key=lambda each: (spread[each], each))
            probed = rarest[: len(rarest) - math.ceil(NEAR * len(rarest)) + 1] if rarest else []
            near = {other for each in probed for other in holders.get(each, ())}
            leader = min((other for other in near if likeness(sketch, sketches[other]) >= NEAR), default=place)
            if leader == place:
                for each in probed:
                    holders[each].append(place)
            same[sketch] = leader
        found.append(leader)
    return found
