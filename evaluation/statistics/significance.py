"""Sign-flip tests: how often chance alone would move a mean difference this far; and many tests at once.

If two runs are draws of one process, each paired difference is as likely to be positive as negative. Situations are
independent of one another, the differences within one are not: so the whole vector of a cluster changes its sign at
once, in all metrics together. The p-value is the share of sign patterns whose absolute sum reaches the observed one:
of all 2^G patterns up to `EXACT_UP_TO` clusters, else of `DRAWS` seeded draws, with p = (b + 1) / (B + 1), which is
never 0 and holds its level (Phipson and Smyth 2010, "Permutation P-values Should Never Be Zero").
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from numpy import float64, uint8
    from numpy.random import PCG64
    from numpy.typing import NDArray

EXACT_UP_TO = 14
"""Clusters; 2^14 patterns are counted one by one."""
DRAWS = 9_999
SEED = 1
SAME = 1e-9
"""Sums that differ by less than this share of the largest possible sum count as equal: rounding must not break ties."""
BLOCK = 2_000_000
"""Signs held in memory at once."""


class SignFlip(NamedTuple):
    """A two-sided p-value and how it was found."""

    p: float
    exact: bool
    """All sign patterns counted; otherwise a sample of them."""


def sign_flip(totals: Sequence[Mapping[str, float]], seed: int = SEED) -> list[SignFlip]:
    """One result for each metric's mapping of cluster -> sum of its paired differences.

    All sampled metrics share their draws. A metric without any cluster has p = 1. Equal input and seed give equal
    output on every machine: the stream of the PCG64 bit generator is fixed.
    """
    found = {
        place: SignFlip(_exact(list(metric.values())), exact=True)
        for place, metric in enumerate(totals)
        if len(metric) <= EXACT_UP_TO
    }
    places = [place for place in range(len(totals)) if place not in found]
    if places:
        shares = _sample([totals[place] for place in places], seed)
        found |= {place: SignFlip(p, exact=False) for place, p in zip(places, shares, strict=True)}
    return [found[place] for place in range(len(totals))]


def _exact(totals: Sequence[float]) -> float:
    """Half of the patterns suffice, the first sign kept: the others mirror them."""
    if not totals:
        return 1.0
    sums = [totals[0]]
    for total in totals[1:]:
        sums = [kept + total for kept in sums] + [kept - total for kept in sums]
    least = _threshold(totals)
    return sum(1 for value in sums if abs(value) >= least) / len(sums)


def _threshold(totals: Sequence[float]) -> float:
    return abs(math.fsum(totals)) - SAME * math.fsum(map(abs, totals))


def _sample(totals: Sequence[Mapping[str, float]], seed: int) -> list[float]:
    import numpy as np

    clusters = list(dict.fromkeys(cluster for metric in totals for cluster in metric))
    sums = np.array([[metric.get(cluster, 0.0) for metric in totals] for cluster in clusters])
    observed = sums.sum(axis=0)
    least = np.array([_threshold(list(metric.values())) for metric in totals])
    generator = np.random.PCG64(seed)
    reached = np.zeros(len(totals), dtype=np.int64)
    block = max(1, BLOCK // len(clusters))
    for start in range(0, DRAWS, block):
        flipped = _bits(generator, min(block, DRAWS - start), len(clusters)).astype(np.float64)
        drawn: NDArray[float64] = observed - 2 * (flipped @ sums)
        reached += (np.abs(drawn) >= least).sum(axis=0)
    return [(int(count) + 1) / (DRAWS + 1) for count in reached]


def _bits(generator: "PCG64", rows: int, columns: int) -> "NDArray[uint8]":
    import numpy as np

    words = -(-columns // 64)
    raw = np.asarray(generator.random_raw(rows * words), dtype="<u8")
    return np.unpackbits(raw.view(np.uint8)).reshape(rows, words * 64)[:, :columns]


def sign_test(better: int, worse: int) -> float:
    """The exact two-sided p-value of so many differences either way, when each is as likely: binomial at one half.

    Of one pair of outcomes in each cluster it is McNemar's exact test. Without a difference it is 1.
    """
    differing = better + worse
    tail = sum(math.comb(differing, count) for count in range(min(better, worse) + 1))
    return min(1.0, tail / (1 << differing) * 2)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values in the order given: the k-th smallest of m is multiplied by m - k + 1, never falls, ends at 1.

    Several tests, and yet at most a share alpha of all families with any false alarm, however the tests depend on one
    another; rejects whatever Bonferroni rejects (Holm 1979, "A Simple Sequentially Rejective Multiple Test Procedure").

    A test is significant at alpha within its family when its adjusted p-value is at most alpha.
    """
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = running
    return adjusted
