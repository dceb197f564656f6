"""A run's means as its users' mix weights them, each with the error of the shares."""

import math
from collections.abc import Sequence
from dataclasses import replace

from evaluation.mix.error import share_variance
from evaluation.mix.weighing import MixWeights
from evaluation.records import Scenario, Source
from evaluation.statistics.clustered_mean import ClusteredMean
from evaluation.statistics.clusters import Scale
from evaluation.statistics.scenario_scores import ScenarioScores, mean_of_scenarios
from evaluation.summary.columns import Columns
from evaluation.summary.metric import MetricSummary, summarise_metric
from evaluation.summary.summary import Summary


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
