"""The weighted overall: a sum of other metrics' values, each times its share."""

from collections.abc import Mapping

from evaluation.metrics.adjustments import DECIMALS
from evaluation.metrics.explained import Explained, Term, clamped
from evaluation.metrics.quoting import number, signed


def weighted_sum(
    weights: Mapping[str, float], values: Mapping[str, float], low: float = 0.0, high: float = 1.0
) -> Explained:
    """Sum of weight x value, explained as "0.15 x 0.8 appropriateness + 0.2 x 1.0 helpfulness".

    `values` holds a value for every weighted metric. Weights that add up to 1 keep the sum within the scale but for
    the last decimals, which are a term of their own when they lie outside.
    """
    total = 0.0
    terms: list[Term] = []
    texts: list[str] = []
    for name, weight in weights.items():
        amount = weight * values[name]
        total += amount
        terms.append(Term(round(amount, DECIMALS), name))
        texts.append(f"{number(weight)} x {number(values[name])} {name}")
    value, clamp = clamped(round(total, DECIMALS), low, high)
    if clamp is not None:
        terms.append(clamp)
        texts.append(f"{signed(clamp.amount)} {clamp.label}")
    return Explained(value, tuple(terms), " + ".join(texts))
