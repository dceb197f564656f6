"""The scenarios that fell most from one run to another: where to look first."""

from evaluation.comparison.differences import pair_runs
from evaluation.comparison.runs import RunScores
from evaluation.statistics.paired import ScenarioPair
from evaluation.suites.suite import Suite

MOST = 5


def worst_falls(base: RunScores, candidate: RunScores, suite: Suite) -> list[ScenarioPair]:
    """The scenarios whose overall under the deciding source fell most, at most `MOST`."""
    key = (base.summary.source, suite.overall)
    if key not in base.columns or key not in candidate.columns:
        return []
    pairs = pair_runs(base, candidate, suite, [key]).pairs[key]
    fallen = [pair for pair in pairs if pair.difference is not None and pair.difference < 0]
    return sorted(fallen, key=lambda pair: pair.difference or 0.0)[:MOST]
