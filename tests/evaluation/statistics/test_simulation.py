"""The whole comparison on simulated runs: how often it is wrong about noise, and how often it finds what is there.

The process: situations of one or two scenarios, single turns and conversations of three; scores from 0 to 1, cut at
both ends, skewed towards their lower end, in steps of 0.05 so that ties are common, and correlated within a situation,
which reacts in its own way to each version. A version that is better is so before its scores are rounded and cut, so
that none leaves the scale; what is called its shift is the one that is left in the mean of the scores. Every number of
trials and every seed is fixed beforehand.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from evaluation.comparison.compare import Comparison, compare
from evaluation.comparison.differences import MetricDifference
from evaluation.statistics.power import reach
from tests.evaluation.comparison.examples import OVERALL, SUITE, run_of, scenario

TRIALS = 2_000
"""On noise: the standard error of 5% is 0.5 points, of which the bounds lie three away."""
POWER_TRIALS = 700
"""On a difference: the standard error of 80% is 1.5 points, of which the bounds lie three away as well."""
SIZES = (1, 1, 1, 2)
TURNS = (1, 3, 1)
CALIBRATION = 4_000
"""Draws for each step of the search for a push."""


class Process:
    """Draws two runs over the same scenarios."""

    def __init__(self, clusters: int, seed: int, sizes: Sequence[int] = SIZES) -> None:
        self.rng = np.random.default_rng(seed)
        self.clusters = clusters
        owners = np.repeat(np.arange(clusters), np.resize(sizes, clusters))
        turns = np.resize(TURNS, len(owners))
        self.scenarios = [
            scenario(number, situation=f"c{owner}", turns=int(count))
            for number, (owner, count) in enumerate(zip(owners, turns, strict=True))
        ]
        self.owners = owners
        self.slots = np.repeat(np.arange(len(owners)), turns)

    def compare(self, push: float = 0.0) -> Comparison:
        """A comparison of two draws; the second is pushed up before its scores are rounded and cut."""
        runs = [
            run_of({OVERALL: scores.tolist()}, self.scenarios, version=version)
            for version, scores in enumerate(self._two(push), start=1)
        ]
        return compare(*runs, suite=SUITE)

    def realised(self, push: float) -> float:
        """The shift of the mean that a push leaves, over `CALIBRATION` draws, to about 2% of an MDE."""
        turns = np.bincount(self.slots)
        changes = []
        for _ in range(CALIBRATION):
            before, after = self._two(push)
            changes.append(np.mean(np.bincount(self.slots, after - before) / turns))
        return float(np.mean(changes))

    def push_for(self, shift: float) -> float:
        """The push that leaves this shift, by three secant steps."""
        push = shift
        for _ in range(3):
            push *= shift / self.realised(push)
        return push

    def _two(self, push: float) -> list[np.ndarray]:
        difficulty = self._effects(0.15) + 0.08 * self.rng.normal(size=len(self.owners))
        return [self._draw(difficulty), self._draw(difficulty + push)]

    def _effects(self, deviation: float) -> np.ndarray:
        found: np.ndarray = (deviation * self.rng.normal(size=self.clusters))[self.owners]
        return found

    def _draw(self, difficulty: np.ndarray) -> np.ndarray:
        levels = difficulty + self._effects(0.08) + 0.06 * self.rng.normal(size=len(self.owners))
        scores = 0.78 + levels[self.slots] - self.rng.exponential(0.08, size=len(self.slots))
        clipped: np.ndarray = np.clip(np.round(scores / 0.05) * 0.05, 0.0, 1.0)
        return clipped


@dataclass(frozen=True)
class Tally:
    """The outcome of many comparisons."""

    verdicts: Counter[str]
    covered: int
    """Intervals that hold 0."""
    shift: float
    """Mean difference over all trials."""
    mean_square_error: float
    ties: int

    @property
    def called(self) -> float:
        """Share of comparisons that called a difference."""
        return (self.verdicts["better"] + self.verdicts["worse"]) / self.verdicts.total()


def primary_of(found: Comparison) -> MetricDifference:
    assert found.primary is not None
    return found.primary


def trials(process: Process, push: float = 0.0, count: int = TRIALS) -> Tally:
    verdicts: Counter[str] = Counter()
    covered = ties = 0
    squares, changes = [], []
    for _ in range(count):
        found = process.compare(push)
        estimate = primary_of(found).estimate
        assert estimate.ci95 is not None and estimate.se is not None and estimate.difference is not None
        verdicts[str(found.verdict)] += 1
        covered += estimate.ci95[0] <= 0 <= estimate.ci95[1]
        ties += estimate.ties
        squares.append(estimate.se**2)
        changes.append(estimate.difference)
    return Tally(verdicts, covered, float(np.mean(changes)), float(np.mean(squares)), ties)


@pytest.mark.long
@pytest.mark.parametrize("clusters", [10, 40, 120])
def test_false_alarms_coverage_and_power(clusters: int) -> None:
    process = Process(clusters, seed=clusters)
    noise = trials(process)
    assert noise.ties > TRIALS, "the process is meant to have ties"
    assert noise.called <= 0.065
    if clusters >= 40:
        assert 0.935 <= noise.covered / TRIALS <= 0.965
    effect = reach(clusters) * noise.mean_square_error**0.5
    found = trials(process, process.push_for(effect), POWER_TRIALS)
    assert found.shift == pytest.approx(effect, rel=0.05)
    assert 0.75 <= found.called <= 0.85
    assert found.verdicts["worse"] == 0


def test_no_score_leaves_the_scale() -> None:
    process = Process(40, seed=1)
    for scores in process._two(0.3):
        assert scores.min() >= 0 and scores.max() <= 1
