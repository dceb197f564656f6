"""Which of the turns that rules scored are given to the judge, and what each then stands for.

The turns of the first phase are sorted by prompt version, by the category that their message is likely to belong to,
and by the band of their rule score; of each such stratum some are drawn (double sampling for stratification; the
formulas are in `evaluation/statistics/two_phase.py`). The lowest sixth of scores is a band, and so is the third above
it: how many of a stratum are drawn goes with the root of its size, so that low scores are drawn more often than others,
and the weights undo it in every mean. Places follow from seed and ids, as in the first phase, and do not depend on
those: where a stratum lies in weeks of which different shares were drawn, the same places would favour some weeks.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate

from evaluation.production.sampling import LEAST, Stratum, allocate, place

CUTS = (1 / 6, 1 / 2)
"""Shares of the turns below which the bands end."""
BANDS = ("low", "middle", "high")
UNSCORED = "unscored"
"""The band of a turn without a rule score."""
THIN = 2 * LEAST
"""A stratum of fewer turns is joined with its neighbours."""
OTHERS = "others"
"""A stratum of categories that are thin by themselves."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One turn of the first phase."""

    key: str
    version: str
    category: str
    """Its likely category; empty where none was guessed."""
    score: float | None
    """Its overall by the rules."""


@dataclass(frozen=True, slots=True)
class SecondPhase:
    """The turns that could be drawn, by their strata, and those that were."""

    strata: Mapping[str, str]
    """Key of each turn of the first phase -> its stratum."""
    drawn: tuple[str, ...]
    """Keys, in the order of the first phase."""


def draw_again(candidates: Sequence[Candidate], count: int, seed: int) -> SecondPhase:
    """At most `count` of the candidates; the same ones for the same seed, in whatever order they come."""
    ends = band_ends([each.score for each in candidates if each.score is not None])
    whole = {each.key: (each.version, band_of(each.score, ends), each.category) for each in candidates}
    joined = coarse_enough(Counter[Stratum](whole.values()), count)
    members = defaultdict[Stratum, list[str]](list)
    for key, stratum in whole.items():
        members[joined[stratum]].append(key)
    numbers = allocate({stratum: len(keys) for stratum, keys in members.items()}, count)
    drawn = {
        key
        for stratum, keys in members.items()
        for key in sorted(keys, key=partial(second_place, seed))[: numbers[stratum]]
    }
    return SecondPhase(
        {key: ", ".join(joined[stratum]) for key, stratum in whole.items()},
        tuple(each.key for each in candidates if each.key in drawn),
    )


def band_ends(scores: Sequence[float]) -> tuple[float, ...]:
    """The highest score of each band but the last: equal scores lie in one band."""
    return ends_of(Counter(scores))


def ends_of(numbers: Mapping[float, int]) -> tuple[float, ...]:
    """The same from how often each score is met."""
    total = sum(numbers.values())
    if not total:
        return ()
    ordered = sorted(numbers)
    below = list(accumulate(numbers[score] for score in ordered))
    return tuple(ordered[bisect_right(below, max(0, round(cut * total) - 1))] for cut in CUTS)


def band_of(score: float | None, ends: Sequence[float]) -> str:
    """The band of a rule score, where bands end as `band_ends` says."""
    if score is None:
        return UNSCORED
    return BANDS[sum(score > end for end in ends)]


def second_place(seed: int, key: str) -> tuple[int, str]:
    """Where a thing stands in the order of the second draw: the lowest places of a stratum are drawn."""
    return place(seed, f"judge|{key}"), key


def coarse_enough(sizes: Mapping[Stratum, int], count: int) -> dict[Stratum, Stratum]:
    """The strata in which so many can be drawn, by those as they are, whose `sizes` are known.

    Thin ones are joined, and the last parts of all are left out until each can have its least number.
    """
    for parts in range(max(map(len, sizes), default=0), 0, -1):
        joined = _joined(sizes, parts)
        if LEAST * len(set(joined.values())) <= count:
            return joined
    return dict.fromkeys(sizes, ())


def _joined(whole: Mapping[Stratum, int], parts: int) -> dict[Stratum, Stratum]:
    """Thin ones joined with each other under what they share, and with the smallest of the rest where that is thin."""
    sizes = Counter[Stratum]()
    for stratum, size in whole.items():
        sizes[stratum[:parts]] += size
    by_parent = defaultdict[Stratum, list[Stratum]](list)
    for stratum in sorted(sizes):
        by_parent[stratum[:-1]].append(stratum)
    into: dict[Stratum, Stratum] = {}
    for parent, children in by_parent.items():
        thin = [each for each in children if sizes[each] < THIN]
        rest = [each for each in children if sizes[each] >= THIN]
        if len(thin) > 1 or (thin and rest):
            into |= _join(parent, thin, rest, sizes)
    return {stratum: into.get(stratum[:parts], stratum[:parts]) for stratum in whole}


def _join(
    parent: Stratum, thin: Sequence[Stratum], rest: Sequence[Stratum], sizes: Mapping[Stratum, int]
) -> Iterable[tuple[Stratum, Stratum]]:
    together = list(thin)
    if rest and sum(sizes[each] for each in thin) < THIN:
        together.append(min(rest, key=lambda each: (sizes[each], each)))
    return [(each, (*parent, OTHERS)) for each in together]
