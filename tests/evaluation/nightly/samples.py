"""Samples of production as a night keeps them."""

from collections.abc import Mapping

from evaluation.nightly.production import KindShare, Sample, Selection
from evaluation.statistics.clusters import WeightedEstimate
from tests.evaluation.comparison.examples import SUITE

OVERALL = SUITE.overall
METRICS = tuple(metric for metric in SUITE.metrics_of("heuristic") if metric != OVERALL)


def mean(value: float | None, se: float | None = 0.01, n: int = 300, clusters: int = 40) -> WeightedEstimate:
    return WeightedEstimate(n, clusters, value, se, None, 1_000.0, float(n))


def sample(
    overall: float = 0.7,
    *,
    se: float = 0.01,
    n: int = 300,
    clusters: int = 40,
    users: float | None = None,
    version: int = 3,
    selection: Selection | None = None,
    scored_by: str = "rules",
    others: Mapping[str, WeightedEstimate] | None = None,
    kinds: Mapping[str, KindShare] | None = None,
) -> Sample:
    means = {OVERALL: mean(overall, se, n, clusters), **{metric: mean(0.8) for metric in METRICS}, **(others or {})}
    return Sample(
        sample_id=f"20261120T020000Z-production-penpal-{version}",
        selection=selection or Selection("penpal"),
        version=version,
        since="2026-11-13T02:00:00.000Z",
        until="2026-11-20T02:00:00.000Z",
        suite=SUITE.name,
        rubric="example 1",
        scored_by=scored_by,
        overall=OVERALL,
        turns=1_000.0,
        means=means,
        users=dict.fromkeys(means, float(clusters) if users is None else users),
        kinds=kinds or {},
    )
