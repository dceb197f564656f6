"""Which of the turns that rules scored are given to the judge, and what each then stands for.

The turns of the first phase are sorted by prompt version, by the category that their message is likely to belong to,
and by the band of their rule score; of each such stratum some are drawn (double sampling for stratification; the
formulas are in `evaluation/statistics/two_phase.py`). The lowest sixth of scores is a band, and so is the third above
it: how many of a stratum are drawn goes with the root of its size, so that low scores are drawn more often than others,
and the weights undo it in every mean. Places follow from seed and ids, as in the first phase, and do not depend on
those: where a stratum lies in weeks of which different shares were drawn, the same places would favour some weeks.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

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
    cuts = band_ends([each.score for each in candidates if each.score is not None])
    whole = {each.key: (each.version, _band(each.score, cuts), each.category) for each in candidates}
    strata = _coarse_enough(whole, count)
    members = defaultdict[Stratum, list[str]](list)
    for key, stratum in strata.items():
        members[stratum].append(key)
    numbers = allocate({stratum: len(keys) for stratum, keys in members.items()}, count)
    drawn = {
        key for stratum, keys in members.items() for key in sorted(keys, key=partial(_place, seed))[: numbers[stratum]]
    }
    return SecondPhase(
        {key: ", ".join(stratum) for key, stratum in strata.items()},
        tuple(each.key for each in candidates if each.key in drawn),
    )


def band_ends(scores: Sequence[float]) -> tuple[float, ...]:
    """The highest score of each band but the last: equal scores lie in one band."""
    ordered = sorted(scores)
    return tuple(ordered[max(0, round(cut * len(ordered)) - 1)] for cut in CUTS) if ordered else ()


def _band(score: float | None, ends: Sequence[float]) -> str:
    if score is None:
        return UNSCORED
    return BANDS[sum(score > end for end in ends)]


def _place(seed: int, key: str) -> tuple[int, str]:
    return place(seed, f"judge|{key}"), key


def _coarse_enough(whole: Mapping[str, Stratum], count: int) -> Mapping[str, Stratum]:
    """The strata with thin ones joined, in fewer parts until each can have its least number."""
    for parts in (3, 2, 1):
        found = _joined({key: stratum[:parts] for key, stratum in whole.items()})
        if LEAST * len(set(found.values())) <= count:
            return found
    return dict.fromkeys(whole, ())


def _joined(strata: Mapping[str, Stratum]) -> dict[str, Stratum]:
    """Thin ones joined with each other under what they share, and with the smallest of the rest where that is thin."""
    sizes = Counter(strata.values())
    by_parent = defaultdict[Stratum, list[Stratum]](list)
    for stratum in sorted(sizes):
        by_parent[stratum[:-1]].append(stratum)
    into: dict[Stratum, Stratum] = {}
    for parent, children in by_parent.items():
        thin = [each for each in children if sizes[each] < THIN]
        rest = [each for each in children if sizes[each] >= THIN]
        if len(thin) > 1 or (thin and rest):
            into |= _join(parent, thin, rest, sizes)
    return {key: into.get(stratum, stratum) for key, stratum in strata.items()}


def _join(
    parent: Stratum, thin: Sequence[Stratum], rest: Sequence[Stratum], sizes: Mapping[Stratum, int]
) -> Iterable[tuple[Stratum, Stratum]]:
    together = list(thin)
    if rest and sum(sizes[each] for each in thin) < THIN:
        together.append(min(rest, key=lambda each: (sizes[each], each)))
    return [(each, (*parent, OTHERS)) for each in together]
