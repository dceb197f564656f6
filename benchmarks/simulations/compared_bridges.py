"""Two versions that two judges scored, one carried over: how often the interval of the difference holds the true one.

Unlike a night, the versions differ: every situation reacts to them in its own way. Situations hold up to three
scenarios and scenarios up to three turns, and the sample is drawn by the code that draws it for a comparison.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.simulations.bridges import CHANGES, Change
from benchmarks.simulations.tables import Draws, Table, error, percent, spread
from evaluation.comparison.bridge import sampled_scenarios
from evaluation.comparison.carried import LEAST_EXCHANGES
from evaluation.records import Scenario
from evaluation.statistics.prediction import Response, corrected_mean

TRIALS = 2_000
BETTER = 0.03
"""By which the candidate is better, before the judge's slope."""
REACTION = 0.06
"""Standard deviation of a situation's own reaction to the version."""


@dataclass(frozen=True)
class Shape:
    """The base: situations, each with 1 to `scenarios` scenarios of 1 to `turns` turns."""

    situations: int
    scenarios: int
    turns: int
    repeats: int = 1

    def __str__(self) -> str:
        parts = [f"{self.situations} situations of {_up_to(self.scenarios, 'scenario')}"]
        parts += [f"{_up_to(self.turns, 'turn')} each"] if self.turns > 1 else []
        return ", ".join([*parts, f"{self.repeats} repeats"] if self.repeats > 1 else parts)


SHAPES = (Shape(217, 1, 1), Shape(80, 3, 1), Shape(40, 3, 3), Shape(40, 1, 1, repeats=3))


def _up_to(most: int, what: str) -> str:
    return f"1 {what}" if most == 1 else f"1 to {most} {what}s"


def cell(change: Change, shape: Shape, seed: int, trials: int) -> tuple[float, float]:
    """How often the interval through the bridge holds the true difference, and its width in that without a bridge."""
    luck = np.random.default_rng(seed)
    truth = BETTER * change.slope
    covered = 0
    width = alone = 0.0
    for trial in range(trials):
        scenarios = _scenarios(shape, luck)
        chosen = set(sampled_scenarios(scenarios, shape.repeats, str(trial), LEAST_EXCHANGES))
        situations = {scenario.situation for scenario in scenarios}
        sampled = {scenario.situation for scenario in scenarios if scenario.id in chosen}
        whole = list(_responses(scenarios, shape.repeats, change, luck))
        share = len(sampled) / len(situations)
        part = [_as_sampled(each, kept=each.cluster in sampled, probability=share) for each in whole]
        found, without = corrected_mean(part, None), corrected_mean(whole, None)
        assert found is not None and found.corrected.ci95 is not None
        assert without is not None and without.corrected.ci95 is not None
        low, high = found.corrected.ci95
        covered += low <= truth <= high
        width += high - low
        alone += without.corrected.ci95[1] - without.corrected.ci95[0]
    return covered / trials, width / alone


def _as_sampled(response: Response, *, kept: bool, probability: float) -> Response:
    """The response as the sample shows it: without the new judge's word where it was not drawn."""
    return response._replace(people=response.people if kept else None, probability=probability)


def _scenarios(shape: Shape, luck: np.random.Generator) -> list[Scenario]:
    return [
        Scenario(f"{at}-{number}", "talk", ("said",) * int(luck.integers(1, shape.turns + 1)), f"g{at}")
        for at in range(shape.situations)
        for number in range(luck.integers(1, shape.scenarios + 1))
    ]


def _responses(
    scenarios: Sequence[Scenario], repeats: int, change: Change, luck: np.random.Generator
) -> Sequence[Response]:
    """Candidate less base by the old judge, and by the new judge on both sides."""

    def seen(quality: float, *, new: bool) -> float:
        value = change.shift + change.slope * quality if new else quality
        return float(min(1.0, max(0.0, value + luck.normal(0, change.noise if new else 0.05))))

    found = []
    levels: dict[str, tuple[float, float]] = {}
    for scenario in scenarios:
        if scenario.situation not in levels:
            levels[scenario.situation] = luck.normal(0.65, 0.08), luck.normal(BETTER, REACTION)
        level, reaction = levels[scenario.situation]
        level += luck.normal(0, 0.05)
        for repeat in range(1, repeats + 1):
            for turn in range(1, len(scenario.turns) + 1):
                before, after = level + luck.normal(0, 0.07), level + reaction + luck.normal(0, 0.07)
                candidate = seen(after, new=True)
                by_old, by_new = seen(before, new=False), seen(before, new=True)
                place = (scenario.situation, scenario.id, repeat, turn)
                found.append(Response(*place, candidate - by_old, candidate - by_new, 1.0))
    return found


def compared_through_bridges(draws: Draws) -> Table:
    trials = draws.count(TRIALS)
    jobs = [
        (change, shape, draws.cell("compared-bridges", change, shape), trials) for change in CHANGES for shape in SHAPES
    ]
    cells = iter(list(spread(cell, jobs)))
    rows = []
    for change in CHANGES:
        found = [next(cells) for _ in SHAPES]
        rows.append([str(change), *(f"{percent(held)}, {wide:.2f}" for held, wide in found)])
    return Table(
        "Two versions that two judges scored",
        ["the new judge", *map(str, SHAPES)],
        rows,
        f"Seed {draws.seed}, {trials:,} trials a cell, standard error {error(trials, 0.95)} points at 95%. In each "
        "cell: percent of intervals that hold the true difference, and what the bridge costs, their width in that of "
        "a base which the new judge scored whole.",
    )
