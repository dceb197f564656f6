"""The mean of every scenario of a run on one metric: what a matrix of scenarios shows."""

from collections.abc import Iterator

from evaluation.records import Source
from evaluation.statistics.scenario_scores import from_grid
from evaluation.summary.columns import Columns


def scenario_means(columns: Columns, source: Source, metric: str) -> Iterator[tuple[str, float]]:
    """Scenario id and its mean over turns, then repeats, in plan order; without those that have no value."""
    column, scale = columns.column(source, metric), columns.suite.scale(source)
    for scenario, span in zip(columns.scenarios, columns.plan.spans, strict=True):
        mean = from_grid(span.cluster, column[span.start : span.stop].tolist(), span.turns, *scale).mean
        if mean is not None:
            yield scenario.id, mean
