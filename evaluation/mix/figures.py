"""A run's means as its users' mix weights them, each with what the mix's own uncertainty adds to its error.

A mean under a mix is m = sum over cells k of p_k y_k, with p_k the cell's share and y_k the mean of its scenarios. The
shares come from n independent responses, so that their error is that of a multinomial, and by the delta method

    Var = Var of the weighted mean of scenarios + sum over k of p_k (y_k - m)^2 / n

Responses are not independent: users return, and some stand for more than others. n is their number over the mean design
effect of the shares, the sum of their clustered variances over that of simple random sampling (Rao and Scott 1981).
Shares that somebody wrote without a sample count as exact.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from evaluation.mix.weighing import Cell, MixWeights
from evaluation.records import Scenario, Source
from evaluation.statistics.clustered_mean import ClusteredMean
from evaluation.statistics.clusters import Scale, weighted_average
from evaluation.statistics.scenario_scores import ScenarioScores, mean_of_scenarios
from evaluation.summary.columns import Columns
from evaluation.summary.metric import MetricSummary, summarise_metric
from evaluation.summary.summary import Summary


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


def summary_under(summary: Summary, columns: Columns, weights: MixWeights) -> Summary:
    """The summary with every mean weighted by the mix; what people labelled, and all that is counted, is left out.

    Categories keep the set's means: within one, the mix changes little and has few situations to do it with.
    """
    weighted = columns.weighted(weights.weights)
    metrics: dict[Source, dict[str, MetricSummary]] = {}
    for (source, metric), column in weighted.in_order():
        scale, share = columns.suite.scale(source), source == "check"
        scenarios = weighted.plan.scores(column, *scale)
        found = summarise_metric(scenarios, scale, share=share)
        mean = mean_under(columns.scenarios, scenarios, weights)
        if mean is not None and mean.se is not None:
            most = found.estimate.n if share else math.inf
            ends = mean.interval_within(*scale, most=most)
            found = replace(found, estimate=replace(found.estimate, se=mean.se, ci95=ends))
        metrics.setdefault(source, {})[metric] = found
    overall = metrics.get(summary.source, {}).get(summary.overall)
    return replace(
        summary,
        metrics=metrics,
        quality_level=columns.suite.level_of(None if overall is None else overall.estimate.mean),
        weights=weights.weights,
        human=None,
    )


def mean_under(
    scenarios: Sequence[Scenario], scores: Sequence[ScenarioScores], weights: MixWeights
) -> ClusteredMean | None:
    """The mean of weighted scores, one for each scenario, whose error knows that the shares are estimates."""
    mean = mean_of_scenarios(scores)
    if mean is None or mean.se is None:
        return mean
    pairs = zip(scenarios, scores, strict=True)
    values = {scenario.id: found.mean for scenario, found in pairs if found.mean is not None}
    return replace(mean, se=math.sqrt(mean.se**2 + share_variance(values, weights)))


def with_uncovered(mean: float, scale: Scale, weights: MixWeights) -> tuple[float, float]:
    """Where the mean over everything that users say may lie: what no scenario is like, at either end of the scale."""
    share = weights.mix.uncovered_share
    low, high = (mean * (1 - share) + end * share for end in scale)
    return low, high
