"""Simulated nights: how often an unchanged one raises an alarm, and how often a worse one does.

The process is that of the statistics' own simulations: situations of one or two scenarios, single turns and
conversations, skewed scores in steps of 0.05 with ties. Every night is held against the same baseline, as in life, so
that a lucky baseline weighs on all of its nights. Seeds are fixed beforehand.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from evaluation.comparison.compare import compare
from evaluation.comparison.gate import RegressionRules
from evaluation.comparison.runs import RunScores
from evaluation.nightly.alarm import night_gate, repeated_scenarios
from evaluation.nightly.attribution import COMPARED
from evaluation.records import Scenario
from evaluation.summary.columns import Key
from tests.evaluation.comparison.examples import COMPONENTS, SUITE, run_of, scenario

PAGE = Path(__file__).parents[3] / "docs" / "nightly.md"
NIGHTS = 30
STATED = 0.15
"""False alarms in 30 nights on average at most, as docs/nightly.md says."""
WEIGHTS = (0.5, 0.3, 0.2)
RULES = RegressionRules(margins={"overall": 0.02})
TINY = RegressionRules(margins={"overall": 1e-6, "default": 1e-6})
"""Margins that hold nothing back: what the tests and the noise floor do alone."""


class Months:
    """Draws baselines, nights, and the repetition of a part of each night."""

    def __init__(self, clusters: int, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        owners = np.repeat(np.arange(clusters), np.resize((1, 1, 1, 2), clusters))
        turns = np.resize((1, 3, 1), len(owners))
        self.clusters = clusters
        self.owners = owners
        self.slots = np.repeat(np.arange(len(owners)), turns)
        self.scenarios = [
            scenario(number, situation=f"c{owner}", turns=int(count))
            for number, (owner, count) in enumerate(zip(owners, turns, strict=True))
        ]
        self.level = 0.12 * self.rng.normal(size=clusters)[owners] + 0.06 * self.rng.normal(size=len(owners))

    def run(self, scenarios: Sequence[Scenario] | None = None, *, push: float = 0.0) -> RunScores:
        """One evaluation of the same system, or of one that is `push` better."""
        shown = self.scenarios if scenarios is None else scenarios
        columns: dict[Key, list[float]] = {}
        parts = [self._draw(push) for _ in COMPONENTS]
        kept = {each.id for each in shown}
        mask = np.array([self.scenarios[slot].id in kept for slot in self.slots])
        for name, part in zip(COMPONENTS, parts, strict=True):
            columns["heuristic", name] = part[mask].tolist()
        overall = sum(weight * part for weight, part in zip(WEIGHTS, parts, strict=True))
        columns["heuristic", "overall"] = np.asarray(overall)[mask].tolist()
        return run_of(columns, shown)

    def _draw(self, push: float) -> "np.ndarray":
        noise = 0.06 * self.rng.normal(size=self.clusters)[self.owners] + 0.05 * self.rng.normal(size=len(self.owners))
        scores = 0.78 + push + (self.level + noise)[self.slots] - self.rng.exponential(0.08, size=len(self.slots))
        return np.clip(np.round(scores / 0.05) * 0.05, 0.0, 1.0)


def alarms(months: Months, baseline: RunScores, nights: int, rules: RegressionRules, push: float = 0.0) -> int:
    """In so many nights, each with its own repetition."""
    found = 0
    for number in range(nights):
        night = months.run(push=push)
        chosen = set(repeated_scenarios(months.scenarios, f"day {number}"))
        again = months.run([each for each in months.scenarios if each.id in chosen], push=push)
        whole = compare(baseline, night, suite=SUITE, by=COMPARED)
        repeat = compare(night, again, suite=SUITE, by=("scenarios", "seed"))
        found += any(check.raised for check in night_gate(whole, repeat, SUITE, rules).checks)
    return found


@pytest.mark.long
def test_thirty_unchanged_nights_raise_no_more_than_is_stated() -> None:
    systems = [Months(clusters, seed) for seed, clusters in enumerate((12, 20, 40) * 3)]
    counts = [alarms(months, months.run(), NIGHTS, RULES) for months in systems]
    assert sum(counts) / len(counts) <= STATED, counts
    assert f"**{STATED} false alarms on average at most**" in PAGE.read_text(encoding="utf-8")


@pytest.mark.long
def test_without_margins_the_tests_alone_keep_the_rate() -> None:
    months = Months(20, seed=7)
    counts = [alarms(months, months.run(), 4, TINY) for _ in range(50)]
    # 200 nights at 0.5% at most: more than 5 have a chance below 1 in 1,000.
    assert sum(counts) <= 5, counts


@pytest.mark.slow
def test_a_real_fall_is_found() -> None:
    months = Months(40, seed=3)
    found = sum(alarms(months, months.run(), 1, RULES, push=-0.08) for _ in range(20))
    assert found >= 18
