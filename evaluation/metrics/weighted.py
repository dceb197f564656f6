"""The weighted overall: a sum of other metrics' values, each times its share."""

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TypeAlias

from evaluation.metrics.adjustments import DECIMALS
from evaluation.metrics.explained import Explained, Term, clamped, term_text
from evaluation.metrics.quoting import number

WeightedSum: TypeAlias = Callable[[Mapping[str, Explained]], Explained]
"""From the weighted metrics, explained, to the overall."""


def weighted_sum(weights: Mapping[str, float], low: float = 0.0, high: float = 1.0) -> WeightedSum:
    """Prepares the sum of weight x value, explained as "0.15 x 0.8 appropriateness + 0.2 x 1.0 helpfulness".

    Weights that add up to 1 keep the sum within the scale but for its last decimals, which are then a term.
    """
    shares = tuple(weights.items())

    @lru_cache(maxsize=4096)
    def summed(values: tuple[float, ...]) -> Explained:
        pairs = tuple(zip(shares, values, strict=True))
        terms = [Term(round(weight * value, DECIMALS), name) for (name, weight), value in pairs]
        texts = [f"{number(weight)} x {number(value)} {name}" for (name, weight), value in pairs]
        total = round(math.fsum(term.amount for term in terms), DECIMALS)
        if not low <= total <= high:
            total, clamp = clamped(total, low, high)
            terms.append(clamp)
            texts.append(term_text(clamp))
        return Explained(total, tuple(terms), " + ".join(texts))

    def rule(explained: Mapping[str, Explained]) -> Explained:
        return summed(tuple([explained[name].value for name in weights]))

    return rule
