"""What a mix's own uncertainty adds to the error of a mean under it.

A mean under a mix is m = sum over cells k of p_k y_k, with p_k the cell's share and y_k the mean of its scenarios. The
shares come from n independent responses, so that their error is that of a multinomial, and by the delta method

    Var = Var of the weighted mean of scenarios + sum over k of p_k (y_k - m)^2 / n

Responses are not independent: users return, and some stand for more than others. n is their number over the mean design
effect of the shares, the sum of their clustered variances over that of simple random sampling (Rao and Scott 1981).
Shares that somebody wrote without a sample count as exact.
"""

import math
from collections.abc import Iterable, Mapping

from evaluation.mix.weighing import Cell, MixWeights
from evaluation.statistics.clusters import weighted_average


def share_variance(values: Mapping[str, float], weights: MixWeights) -> float:
    """What the shares' error adds to the variance of a mean; `values` are those of scenarios, by id."""
    if weights.mix.independent is None:
        return 0.0
    responses = weights.mix.independent * (1 - weights.mix.uncovered_share) * weights.reached
    cells: dict[Cell, tuple[list[float], list[float]]] = {}
    for name, value in values.items():
        sample = weights.weights.of_scenario(name)
        if sample.weight > 0:
            known, shares = cells.setdefault(weights.cells[name], ([], []))
            known.append(value)
            shares.append(sample.weight)
    means = [weighted_average(known, shares) for known, shares in cells.values()]
    sizes = [math.fsum(shares) for _, shares in cells.values()]
    return _spread(means, sizes) / responses if means and responses > 0 else 0.0


def _spread(means: Iterable[float], sizes: Iterable[float]) -> float:
    """The variance between cells, each by its share."""
    means, sizes = list(means), list(sizes)
    centre, whole = weighted_average(means, sizes), math.fsum(sizes)
    return math.fsum([size * (mean - centre) ** 2 for mean, size in zip(means, sizes, strict=True)]) / whole
