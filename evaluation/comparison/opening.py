"""Whether the no-regression gate can open on a set of scenarios: what is known of that before anything is paid for.

How likely an unchanged version is to pass is simulated with the gate's own bound, on the situations of the set. What is
supposed of two draws of one version: the difference of a situation is normal, with the standard deviations below; the
overall is the mean of its metrics, which are a little correlated; each check passes in 98 of 100 cases, on both sides
alike. Nothing is missing.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluation.comparison.differences import ALL_CHECKS
from evaluation.comparison.gate import RegressionRules
from evaluation.records import Scenario, Source
from evaluation.statistics.bound import LEVEL, share_below, situations_needed, unseen_size
from evaluation.suites.suite import Suite
from evaluation.text import numbers

if TYPE_CHECKING:
    from numpy import float64
    from numpy.random import Generator
    from numpy.typing import NDArray

BETWEEN = 0.0366
WITHIN = 0.0931
"""Standard deviations of a situation's overall difference, in shares of the scale: what stays, and of one repeat."""
OF_METRICS = 2.0
"""A single metric's, in those of the overall."""
PASS_RATE = 0.98
"""Of a check, in either run."""
ADVISED_REPEATS = 3
TRIALS = 400
SEED = 1
MOST_SITUATIONS = 2_000
"""A larger set can always show the usual margins: nothing is said of it."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a gate will hold, in shares of the scale: (margin, largest fall) of each."""

    overall: tuple[float, float] | None
    metrics: tuple[tuple[float, float], ...]
    all_checks: tuple[float, float] | None = None
    checks: tuple[tuple[float, float], ...] = ()

    def __iter__(self) -> Iterator[tuple[float, float]]:
        yield from (each for each in (self.overall, *self.metrics, self.all_checks, *self.checks) if each is not None)


def held_by(rules: RegressionRules, suite: Suite, source: Source) -> Held:
    """The metrics of a comparison whose deciding source this is, as far as the plan shows them."""

    def of(metric: str, source: Source) -> tuple[float, float]:
        return rules.margin(metric, source), rules.fall(metric, source)

    checks = tuple(name for name in suite.checks if name != suite.overall)
    scored = () if source == "check" else suite.metrics
    return Held(
        overall=of(suite.overall, source) if scored else None,
        metrics=tuple(of(metric, source) for metric in scored if metric != suite.overall),
        all_checks=of(ALL_CHECKS, "check") if checks else None,
        checks=tuple(of(check, "check") for check in checks),
    )


def describe_opening(
    scenarios: Sequence[Scenario], repeats: int, rules: RegressionRules, suite: Suite, source: Source
) -> str:
    """What the gate can show of these scenarios, in one line; empty where they are so many that it always can."""
    sizes = list(Counter(scenario.cluster for scenario in scenarios).values())
    held = held_by(rules, suite, source)
    if len(sizes) > MOST_SITUATIONS or not all(0 < margin < largest for margin, largest in held):
        return ""
    needed = max(situations_needed(margin, largest) for margin, largest in held)
    chance = chance_unchanged(sizes, repeats, held)
    shown = f"about {round(100 * chance)}" if chance >= 0.01 else "none"
    more = ""
    if repeats < ADVISED_REPEATS and chance < 0.9:
        better = chance_unchanged(sizes, ADVISED_REPEATS, held)
        more = f", with --repeats {ADVISED_REPEATS} about {round(100 * better)}" if better > chance else ""
    few = "; a better one may" if chance < 0.01 else ""
    return (
        f"gate no_regression: without any fall its margins take {needed} situations of one size, here are "
        f"{numbers.times(len(sizes), 'situation')}, the largest with {numbers.times(max(sizes), 'scenario')}: {shown} "
        f"of 100 unchanged versions would pass{more}{few} (docs/statistics.md says what is supposed)"
    )


def chance_unchanged(
    sizes: Sequence[int], repeats: int, held: Held, *, trials: int = TRIALS, seed: int = SEED
) -> float:
    """The share of `trials` simulated pairs of draws of one version that pass all that is held."""
    import numpy as np

    weights = np.array(sizes, dtype=float)
    unseen = unseen_size(weights)
    generator = np.random.Generator(np.random.PCG64(seed))
    passed = np.ones(trials, dtype=bool)
    for drawn, (margin, largest) in zip(
        draw_unchanged(generator, trials, len(sizes), repeats, held), held, strict=True
    ):
        table, limit = np.maximum(drawn, -largest), np.full(trials, largest)
        passed[passed] = share_below(table[passed], weights, limit[passed], -margin, unseen) <= LEVEL
    return float(passed.mean())


def draw_unchanged(
    generator: "Generator", trials: int, situations: int, repeats: int, held: Held
) -> Iterator["NDArray[float64]"]:
    """Differences of trials x situations of an unchanged version, for each that is held, in its order."""
    import numpy as np

    shape = (trials, situations)
    if held.overall is not None:
        deviation = math.sqrt(BETWEEN**2 + WITHIN**2 / repeats)
        count = max(1, len(held.metrics))
        # Correlated so far that the mean of so many metrics deviates half as much as one of them.
        shared = max(0.0, (count / OF_METRICS**2 - 1) / (count - 1)) if count > 1 else 0.0
        common = generator.normal(size=shape) * math.sqrt(shared)
        metrics = [common + generator.normal(size=shape) * math.sqrt(1 - shared) for _ in range(count)]
        mean = sum(metrics, np.zeros(shape)) / count
        yield mean * deviation / math.sqrt(shared + (1 - shared) / count)
        yield from (metric * deviation * OF_METRICS for metric in metrics[: len(held.metrics)])
    if held.all_checks is not None:
        before, after = generator.binomial(repeats, PASS_RATE, (2, len(held.checks), *shape)) / repeats
        checks = after - before
        yield checks.mean(axis=0)
        yield from checks
