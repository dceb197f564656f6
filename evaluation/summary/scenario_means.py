"""The mean of every scenario of a run on one metric: what a matrix of scenarios shows."""

from evaluation.records import Source
from evaluation.summary.columns import Columns


def scenario_means(columns: Columns, source: Source, metric: str) -> dict[str, float]:
    """Scenario id -> its mean over turns, then repeats, in plan order; without those that have no value."""
    scores = columns.plan.scores(columns.column(source, metric), *columns.suite.scale(source))
    found = zip(columns.scenarios, scores, strict=True)
    return {scenario.id: each.mean for scenario, each in found if each.mean is not None}
