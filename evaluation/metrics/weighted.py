"""The weighted overall: a sum of other metrics' values, each times its share."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from evaluation.metrics.adjustments import DECIMALS
from evaluation.metrics.explained import Explained, Term, clamped, term_text
from evaluation.metrics.quoting import number

WeightedSum: TypeAlias = Callable[[Mapping[str, Explained]], Explained]
"""From the weighted metrics, explained, to the overall."""


def weighted_sum(weights: Mapping[str, float], low: float = 0.0, high: float = 1.0) -> WeightedSum:
    """Prepares the sum of weight x value, explained as "0.15 x 0.8 appropriateness + 0.2 x 1.0 helpfulness".

    Weights that add up to 1 keep the sum within the scale but for its last decimals, which are then a term. Metrics
    without a value take no part: the sum of the others is divided by their weights, and the explanation says so.
    """
    shares = tuple(weights.items())

    @lru_cache(maxsize=4096)
    def summed(values: tuple[float | None, ...]) -> Explained:
        pairs = tuple((share, value) for share, value in zip(shares, values, strict=True) if value is not None)
        if len(pairs) < len(shares):
            return _over_the_rest(
                pairs, [name for (name, _), value in zip(shares, values, strict=True) if value is None]
            )
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


def _over_the_rest(pairs: Sequence[tuple[tuple[str, float], float]], absent: Sequence[str]) -> Explained:
    if not pairs:
        return Explained(None, (), "", "no metric has a value")
    total = math.fsum(weight for (_, weight), _ in pairs)
    terms = tuple(Term(round(weight * value / total, DECIMALS), name) for (name, weight), value in pairs)
    texts = [f"{number(weight)} x {number(value)} {name}" for (name, weight), value in pairs]
    low, high = min(value for _, value in pairs), max(value for _, value in pairs)
    value = min(high, max(low, round(math.fsum(term.amount for term in terms), DECIMALS)))
    rest = f"re-weighted over {number(round(total, DECIMALS))} of 1: no value for {', '.join(absent)}"
    return Explained(value, terms, f"{' + '.join(texts)}, {rest}")
