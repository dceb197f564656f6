"""Two runs over the same scenarios: the difference on each, and what they say together.

The estimand is that of `clusters.py`, applied to differences: the turns within a cell, then the repeats within a
scenario, then the scenarios with equal weight; the standard error is clustered by situation, t with G - 1 degrees of
freedom (pairing: Miller 2024, "Adding Error Bars to Evals"; the clustered error: see `clusters.py`). An exchange counts
when both runs have a value for it, so that a turn that failed in one run does not change the mixture of the other. The
permutation test is in `significance.py`.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from evaluation.statistics.clustered_mean import ClusteredMean
from evaluation.statistics.clusters import (
    WeightedValue,
    average,
    clustered_mean,
    squares,
    weighted_average,
    weighted_mean,
)
from evaluation.statistics.scenario_scores import MISSING, NOT_APPLICABLE, SampleWeight, ScenarioScores, from_grid
from evaluation.statistics.significance import SignFlip
from evaluation.statistics.student_t import critical, upper_tail

SAME = 1e-9
"""Scenario means that differ by less than this are a tie: sums of decimals do not land on decimals."""


class Grid(NamedTuple):
    """The planned values of one scenario in one run: repeat by repeat, `turns` values each, marks as in `clusters`."""

    values: Sequence[float]
    turns: int


class Place(NamedTuple):
    """The scenario of a pair."""

    scenario_id: str
    cluster: str
    category: str
    sample: SampleWeight | None = None
    """What it stands for; None where all scenarios count alike."""


class ScenarioPair(NamedTuple):
    """One scenario under one metric, in two runs."""

    place: Place
    a: float | None
    """Mean of the first run over the exchanges that both runs have; None without any."""
    b: float | None
    difference: float | None
    """b - a."""
    cells: tuple[float, ...]
    """The difference repeat by repeat; empty where the runs have different numbers of repeats or turns."""
    planned: int
    """Exchanges on which the metric means something. Where plans differ: those of the run that misses more."""
    paired: int
    """Those with a value in both runs. Where plans differ: of `planned`, those with a value; 0 unless both have any."""
    lowest: float | None
    """The difference if all missing values were the worst in b and the best in a; None where nothing is applicable."""
    highest: float | None

    @property
    def cluster(self) -> str:
        return self.place.cluster

    @property
    def weight(self) -> float:
        """1 where all scenarios count alike."""
        return 1.0 if self.place.sample is None else self.place.sample.weight


@dataclass(frozen=True, slots=True)
class PairedEstimate:
    """The verdict of one metric's pairs. Figures are None where there are too few of them."""

    scenarios: int
    """Scenarios with a difference."""
    clusters: int
    mean_a: float | None
    mean_b: float | None
    difference: float | None
    se: float | None
    """Clustered standard error of `difference`; 0 where no cluster deviates from the mean."""
    ci95: tuple[float, float] | None
    ci90: tuple[float, float] | None
    effect: float | None
    """Difference in standard deviations of the scenario differences (d_z, Lakens 2013); None where these are 0."""
    wins: int
    """Scenarios on which b is higher."""
    ties: int
    losses: int
    p_t: float | None
    """Two-sided, from t with G - 1 degrees of freedom: at most 0.05 exactly when the 95% interval leaves out 0."""
    p_sign_flip: float | None
    exact: bool
    """True where `p_sign_flip` counts all sign patterns."""
    freedom: float | None = None
    """Degrees of freedom of `se` where scenarios are weighted; None for G - 1."""

    def figures(self) -> dict[str, Any]:
        """Each by its name; degrees of freedom where they are not G - 1."""
        found = asdict(self)
        if self.freedom is None:
            del found["freedom"]
        return found

    @property
    def p(self) -> float | None:
        """The larger of the two: a difference counts only when both tests agree on it."""
        if self.p_t is None or self.p_sign_flip is None:
            return None
        return max(self.p_t, self.p_sign_flip)

    def interval(self, confidence: float) -> tuple[float, float] | None:
        """difference +- t * se, for a confidence between 0 and 1."""
        if self.difference is None or self.se is None:
            return None
        half = critical(confidence, self.clusters - 1 if self.freedom is None else self.freedom) * self.se
        return (self.difference - half, self.difference + half)


def pair_up(place: Place, a: Grid, b: Grid, low: float, high: float) -> ScenarioPair:
    """Pairs one scenario exchange by exchange; its means, where the two plans differ in repeats or turns.

    `low` and `high` are the ends of the metric's scale, which missing values are set to for the bounds.
    """
    if len(a.values) != len(b.values) or a.turns != b.turns:
        return _by_means(place, a, b, low, high)
    changes = [after - before for before, after in zip(a.values, b.values, strict=True)]
    if math.isfinite(sum(changes)):
        return _complete(place, a, b, changes)
    return _with_gaps(place, a, b, low, high)


def totals(pairs: Sequence[ScenarioPair]) -> dict[str, float]:
    """Cluster -> sum of its scenario differences, weighted: what the sign-flip test turns over."""
    found: dict[str, list[float]] = {}
    for pair in pairs:
        if pair.difference is not None:
            found.setdefault(pair.cluster, []).append(pair.weight * pair.difference)
    return {cluster: math.fsum(values) for cluster, values in found.items()}


def estimate_pairs(pairs: Sequence[ScenarioPair], flip: SignFlip) -> PairedEstimate:
    """Mean difference, its error and tests; `flip` is the sign-flip result for `totals(pairs)`."""
    known = [pair for pair in pairs if pair.difference is not None]
    differences = [pair.difference for pair in known if pair.difference is not None]
    found = _mean_difference(pairs)
    if found is None:
        return PairedEstimate(0, 0, None, None, None, None, None, None, None, 0, 0, 0, None, None, False)
    se = None if found.se is None else _without_dust(found.se)
    ends = None if se is None else tuple(critical(level, found.degrees) * se for level in (0.95, 0.9))
    wins, losses = (sum(1 for change in differences if change * sign > 0) for sign in (1, -1))
    return PairedEstimate(
        scenarios=found.scenarios,
        clusters=found.clusters,
        mean_a=_weighted([(pair, pair.a) for pair in known]),
        mean_b=_weighted([(pair, pair.b) for pair in known]),
        difference=found.mean,
        se=se,
        ci95=None if ends is None else (found.mean - ends[0], found.mean + ends[0]),
        ci90=None if ends is None else (found.mean - ends[1], found.mean + ends[1]),
        effect=_effect(found.mean, differences),
        wins=wins,
        ties=len(differences) - wins - losses,
        losses=losses,
        p_t=None if se is None else two_sided(found.mean, se, found.degrees),
        p_sign_flip=None if se is None else flip.p,
        exact=flip.exact,
        freedom=found.freedom,
    )


def coverage(pairs: Sequence[ScenarioPair]) -> tuple[int, int]:
    """Exchanges with a value in both runs, and exchanges on which the metric means something."""
    return sum(pair.paired for pair in pairs), sum(pair.planned for pair in pairs)


def difference_bounds(pairs: Sequence[ScenarioPair]) -> tuple[float, float] | None:
    """The mean difference at the worst and at the best of the missing values; None where nothing is applicable."""
    lowest, highest = (
        _weighted([(pair, pair.lowest) for pair in pairs]),
        _weighted([(pair, pair.highest) for pair in pairs]),
    )
    return None if lowest is None or highest is None else (lowest, highest)


def _mean_difference(pairs: Sequence[ScenarioPair]) -> ClusteredMean | None:
    if pairs and pairs[0].place.sample is not None:
        samples = [pair.place.sample or SampleWeight(pair.weight) for pair in pairs]
        return weighted_mean(
            WeightedValue(sample.stratum, pair.cluster, sample.weight, pair.difference)
            for pair, sample in zip(pairs, samples, strict=True)
        )
    return clustered_mean((pair.cluster, pair.difference) for pair in pairs if pair.difference is not None)


def _weighted(values: Sequence[tuple[ScenarioPair, float | None]]) -> float | None:
    known = [value for _, value in values if value is not None]
    if not known or values[0][0].place.sample is None:
        return average(known) if known else None
    return weighted_average(known, [pair.weight for pair, value in values if value is not None])


def _complete(place: Place, a: Grid, b: Grid, changes: Sequence[float]) -> ScenarioPair:
    """No gaps: cells are of one size, so that the mean of their means is the plain mean."""
    size = len(changes)
    if size == 1:
        cells = [_without_dust(changes[0])]
    elif a.turns == 1:
        cells = [_without_dust(change) for change in changes]
    else:
        cells = [_without_dust(average(changes[start : start + a.turns])) for start in range(0, size, a.turns)]
    change = _without_dust(average(cells))
    return ScenarioPair(place, average(a.values), average(b.values), change, tuple(cells), size, size, change, change)


def _with_gaps(place: Place, a: Grid, b: Grid, low: float, high: float) -> ScenarioPair:
    both = list(zip(a.values, b.values, strict=True))
    marks = [_mark(first, second) for first, second in both]
    before, after, changes = (
        [value if mark is None else mark for value, mark in zip(values, marks, strict=True)]
        for values in (a.values, b.values, [second - first for first, second in both])
    )
    pieces = [changes[start : start + a.turns] for start in range(0, len(changes), a.turns)]
    means = [from_grid(place.cluster, piece, a.turns, low, high).mean for piece in pieces]
    cells = [_without_dust(mean) for mean in means if mean is not None]
    first_mean, second_mean = (from_grid(place.cluster, grid, a.turns, low, high).mean for grid in (before, after))
    lowest, highest = _limits(place, a, b, low, high)
    return ScenarioPair(
        place,
        first_mean,
        second_mean,
        _without_dust(average(cells)) if cells else None,
        tuple(cells),
        sum(1 for change in changes if change != NOT_APPLICABLE),
        sum(1 for change in changes if change < math.inf),
        lowest,
        highest,
    )


def _by_means(place: Place, a: Grid, b: Grid, low: float, high: float) -> ScenarioPair:
    first, second = (from_grid(place.cluster, grid.values, grid.turns, low, high) for grid in (a, b))
    known = first.mean is not None and second.mean is not None
    planned, paired = _wider_gaps(first, second)
    change = second.mean - first.mean if first.mean is not None and second.mean is not None else None
    lowest, highest = _limits(place, a, b, low, high)
    return ScenarioPair(
        place,
        first.mean if known else None,
        second.mean if known else None,
        None if change is None else _without_dust(change),
        (),
        planned,
        paired if known else 0,
        lowest,
        highest,
    )


def _wider_gaps(a: ScenarioScores, b: ScenarioScores) -> tuple[int, int]:
    """Planned exchanges and those with a value, in the run with the smaller share of values; the shorter of equals."""
    counts = [(len(run.values) + run.missing, len(run.values)) for run in (a, b)]
    if any(planned == 0 for planned, _ in counts):
        return 0, 0
    return min(counts, key=lambda count: (count[1] / count[0], count[0]))


def _limits(place: Place, a: Grid, b: Grid, low: float, high: float) -> tuple[float | None, float | None]:
    first, second = (from_grid(place.cluster, grid.values, grid.turns, low, high) for grid in (a, b))
    if first.lowest is None or first.highest is None or second.lowest is None or second.highest is None:
        return None, None
    return second.lowest - first.highest, second.highest - first.lowest


def _mark(first: float, second: float) -> float | None:
    """The mark for a pair that is no pair of values."""
    if NOT_APPLICABLE in (first, second):
        return NOT_APPLICABLE
    return MISSING if math.isnan(first) or math.isnan(second) else None


def _without_dust(change: float) -> float:
    return 0.0 if abs(change) < SAME else change


def _effect(mean: float, differences: Sequence[float]) -> float | None:
    if len(differences) < 2:
        return None
    spread = math.sqrt(squares(differences) / (len(differences) - 1))
    return mean / spread if spread >= SAME else None


def two_sided(mean: float, se: float, degrees: float) -> float:
    """The p-value of a mean difference by t."""
    if se == 0:
        return 1.0 if abs(mean) < SAME else 0.0
    return 2 * upper_tail(abs(mean) / se, degrees)
