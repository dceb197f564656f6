"""The night's noise floor: how far apart two evaluations of one prompt lie tonight, with nothing changed between them.

Some situations are played a second time with another seed (an A/A comparison). Its clustered standard error, scaled to
the situations of the whole comparison, times the t quantile of its own degrees of freedom, is the largest difference
that repetition alone explains in 95 of 100 cases. Where the A/A comparison itself is called, at the level of an alarm,
something moves within the night, and its own difference is the floor if that is larger.
"""

import math
from collections.abc import Sequence

from evaluation.comparison.compare import Comparison
from evaluation.comparison.differences import MetricDifference
from evaluation.records import Scenario
from evaluation.runspec import digest
from evaluation.statistics.student_t import critical
from evaluation.summary.columns import Key

CONFIDENCE = 0.95
LEVEL = 0.005
"""Of the tests on which an alarm rests."""
SHARE = 0.25
"""Of the scenarios that are played twice, unless another share is asked for."""
LEAST = 20
"""Scenarios that are played twice at least, where there are so many."""


def repeated_scenarios(scenarios: Sequence[Scenario], date: str, share: float = SHARE) -> tuple[str, ...]:
    """Ids of the scenarios to play twice: whole situations, chosen by the date alone, in the order of the plan.

    At least `LEAST` and at least `share` (0..1) of them, or all there are.
    """
    wanted = min(len(scenarios), max(LEAST, math.ceil(share * len(scenarios))))
    sizes: dict[str, int] = {}
    for scenario in scenarios:
        sizes[scenario.cluster] = sizes.get(scenario.cluster, 0) + 1
    chosen: set[str] = set()
    count = 0
    for cluster in sorted(sizes, key=lambda name: digest([date, name])):
        if count >= wanted:
            break
        chosen.add(cluster)
        count += sizes[cluster]
    return tuple(scenario.id for scenario in scenarios if scenario.cluster in chosen)


def repeat_seed(seed: int, date: str) -> int:
    """The seed of the second playing: never the first one's."""
    drawn = int(digest(["repeat", date])[:8], 16) & 0x7FFFFFFF
    return drawn if drawn != seed else drawn + 1


def noise_floor(row: MetricDifference, repeat: Comparison | None) -> float | None:
    """The smallest difference of this metric that is more than noise tonight, in its units.

    None where it was not measured: no A/A comparison, or fewer than two situations in it.
    """
    found = None if repeat is None else _row(repeat, (row.source, row.metric))
    if found is None or found.estimate.se is None or not row.estimate.clusters:
        return None
    estimate = found.estimate
    assert estimate.se is not None
    scale = math.sqrt(estimate.clusters / row.estimate.clusters)
    floor = critical(CONFIDENCE, estimate.clusters - 1) * estimate.se * scale
    return max(floor, abs(estimate.difference or 0.0)) if _is_called(found) else floor


def unsteady(repeat: Comparison) -> bool:
    """True where the same prompt, played twice tonight, differs by more than chance."""
    return repeat.primary is not None and _is_called(repeat.primary)


def _is_called(row: MetricDifference) -> bool:
    return row.estimate.p is not None and row.estimate.p <= LEVEL


def _row(comparison: Comparison, key: Key) -> MetricDifference | None:
    return comparison.metrics.get(key[0], {}).get(key[1])
