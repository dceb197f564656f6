"""The scores of a run's scenarios: each averaged over its turns and repeats, then all together into an estimate.

What is missing is left out of the mean and kept as the range in which the mean may lie.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evaluation.statistics.clustered_mean import ClusteredMean
from evaluation.statistics.clusters import (
    Scale,
    WeightedValue,
    average,
    clustered_mean,
    percentile,
    stdev,
    weighted_mean,
)

MISSING = math.nan
"""In a grid: a planned value that was not obtained."""
NOT_APPLICABLE = math.inf
"""In a grid: the metric means nothing here; outside mean, count and coverage."""


class Observation(NamedTuple):
    """One score, and where it stands."""

    cluster: str
    """The scenario's situation."""
    scenario_id: str
    repeat: int
    turn: int
    value: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimate of one metric. All figures but `n` and `clusters` are None where there are too few values."""

    n: int
    """Exchanges with a value."""
    clusters: int
    mean: float | None
    stdev: float | None
    """Of the scored exchanges around their own plain average (n - 1); it describes them, the interval uses `se`."""
    se: float | None
    """Clustered standard error of `mean`."""
    ci95: tuple[float, float] | None
    min: float | None
    p10: float | None
    p50: float | None
    max: float | None


class SampleWeight(NamedTuple):
    """What a scenario stands for, where scenarios do not count alike."""

    weight: float
    """How many it stands for, in any unit; 0 where it is outside of every mean."""
    stratum: str = ""
    """The part of the whole from which it was drawn."""


class ScenarioScores(NamedTuple):
    """The scores of one scenario under one metric, over all its repeats and turns."""

    cluster: str
    values: Sequence[float]
    missing: int
    not_applicable: int
    mean: float | None
    """None without any value."""
    lowest: float | None
    """The mean if every missing value were the lowest of the scale; None where nothing is applicable."""
    highest: float | None
    sample: SampleWeight | None = None
    """None where all scenarios count alike: of one set, either all have a weight or none."""

    def emptied(self) -> "ScenarioScores":
        """Still one of those that were drawn, and outside of what is averaged."""
        return ScenarioScores(self.cluster, (), 0, 0, None, None, None, self.sample)


def mean_of_scenarios(scenarios: Sequence[ScenarioScores]) -> ClusteredMean | None:
    """The mean over those with a value, each with its weight where they have weights; None without any."""
    if scenarios and scenarios[0].sample is not None:
        return weighted_mean(_weighted(each, each.mean) for each in scenarios)
    return clustered_mean((scenario.cluster, scenario.mean) for scenario in scenarios if scenario.mean is not None)


def part_of(scenarios: Sequence[ScenarioScores], places: Sequence[int]) -> list[ScenarioScores]:
    """Those at these places; of a weighted set the others remain, emptied, as its strata were drawn as a whole."""
    if not scenarios or scenarios[0].sample is None:
        return [scenarios[place] for place in places]
    inside = set(places)
    return [each if place in inside else each.emptied() for place, each in enumerate(scenarios)]


def _weighted(scenario: ScenarioScores, value: float | None) -> WeightedValue:
    weight, stratum = scenario.sample or SampleWeight(1.0)
    return WeightedValue(stratum, scenario.cluster, weight, value if weight > 0 else None)


def from_grid(
    cluster: str, grid: Sequence[float], turns: int, low: float, high: float, sample: SampleWeight | None = None
) -> ScenarioScores:
    """One scenario from its planned values: repeat by repeat, `turns` values each, with the two marks above.

    `low` and `high` are the ends of the metric's scale; missing values are set to them for the bounds.
    """
    if sample is not None and sample.weight == 0:
        return ScenarioScores(cluster, (), 0, 0, None, None, None, sample)
    # A tuple takes half of a list's memory, and there is one per scenario of a run.
    values = tuple([value for value in grid if value < math.inf])
    if len(values) == len(grid):
        cells: Sequence[float] = (
            values if turns == 1 else [average(values[at : at + turns]) for at in range(0, len(values), turns)]
        )
        mean = average(cells)
        return ScenarioScores(cluster, values, 0, 0, mean, mean, mean, sample)
    known = _mean_of_cells(grid, turns)
    not_applicable = sum(1 for value in grid if value == math.inf)
    missing = len(grid) - len(values) - not_applicable
    if not missing:
        return ScenarioScores(cluster, values, 0, not_applicable, known, known, known, sample)
    lowest, highest = (
        _mean_of_cells([end if math.isnan(value) else value for value in grid], turns) for end in (low, high)
    )
    return ScenarioScores(cluster, values, missing, not_applicable, known, lowest, highest, sample)


def from_observations(observations: Iterable[Observation]) -> dict[str, ScenarioScores]:
    """Scenario id -> its scores, in the order of first appearance; nothing counts as missing."""
    cells: dict[str, dict[int, list[float]]] = {}
    clusters: dict[str, str] = {}
    for cluster, scenario_id, repeat, _, value in observations:
        clusters.setdefault(scenario_id, cluster)
        cells.setdefault(scenario_id, {}).setdefault(repeat, []).append(value)
    scenarios = {}
    for scenario_id, repeats in cells.items():
        values = [value for cell in repeats.values() for value in cell]
        mean = average([average(cell) for cell in repeats.values()])
        scenarios[scenario_id] = ScenarioScores(clusters[scenario_id], values, 0, 0, mean, mean, mean)
    return scenarios


def estimate(observations: Iterable[Observation], scale: Scale | None) -> Estimate:
    """The estimate from a set of scores without a plan: for ratings and other gathered values."""
    return estimate_scenarios(list(from_observations(observations).values()), scale)


def estimate_scenarios(scenarios: Sequence[ScenarioScores], scale: Scale | None, *, share: bool = False) -> Estimate:
    """The estimate from the scores of these scenarios; missing and inapplicable values are left out.

    `scale` is None for figures that have none. `share` is True where each value is one of its two ends, so that the
    mean is a share of passes.
    """
    found = mean_of_scenarios(scenarios)
    if found is None:
        return Estimate(0, 0, None, None, None, None, None, None, None, None)
    values = sorted(value for scenario in scenarios for value in scenario.values)
    most = len(values) if share else math.inf
    return Estimate(
        n=len(values),
        clusters=found.clusters,
        mean=found.mean,
        stdev=stdev(values),
        se=found.se,
        ci95=found.interval() if scale is None else found.interval_within(*scale, most=most),
        min=values[0],
        p10=percentile(values, 0.1),
        p50=percentile(values, 0.5),
        max=values[-1],
    )


def bounds(scenarios: Sequence[ScenarioScores]) -> tuple[float, float] | None:
    """The lowest and highest mean that the missing values leave possible; None where nothing is applicable."""
    if scenarios and scenarios[0].sample is not None:
        low, high = (
            weighted_mean(_weighted(each, end) for each, end in ends)
            for ends in ([(each, each.lowest) for each in scenarios], [(each, each.highest) for each in scenarios])
        )
        return (low.mean, high.mean) if low is not None and high is not None else None
    lowest = [scenario.lowest for scenario in scenarios if scenario.lowest is not None]
    highest = [scenario.highest for scenario in scenarios if scenario.highest is not None]
    return (average(lowest), average(highest)) if lowest else None


def _mean_of_cells(grid: Sequence[float], turns: int) -> float | None:
    cells = [grid[start : start + turns] for start in range(0, len(grid), turns)]
    known = [[value for value in cell if value < math.inf] for cell in cells]
    means = [average(values) for values in known if values]
    return average(means) if means else None
