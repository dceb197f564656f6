"""A baseline carried over to another judge: how often the interval of the difference holds the true one."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.simulations.tables import Draws, Table, error, percent, spread
from evaluation.statistics.prediction import Response, corrected_mean
from evaluation.statistics.student_t import critical

TRIALS = 2_000
DRIFT = 0.01
"""By which production is worse, before the judge's slope."""
ALARM = 0.995
"""Confidence at which a night raises an alarm."""


@dataclass(frozen=True)
class Change:
    """The new judge beside the old one: `shift + slope * quality + noise`, where the old one has 0, 1 and 0.05."""

    shift: float
    slope: float
    noise: float = 0.05

    def __str__(self) -> str:
        return f"shift {self.shift:+g}, slope {self.slope:g}, noise {self.noise:g}"


CHANGES: Sequence[Change] = (
    Change(0, 1),
    Change(-0.1, 1),
    Change(0.05, 0.6),
    Change(-0.3, 1.4),
    Change(-0.05, 1, 0.15),
    Change(0.3, 0.2, 0.15),
)
SAMPLES = ((20, 60, 3), (20, 217, 3), (60, 217, 1))
"""Situations that are judged again, of how many, and repeats of each."""


def cell(change: Change, sample: tuple[int, int, int], seed: int, trials: int) -> tuple[float, float, float]:
    """How often the interval of tonight's difference holds the true one, its width in that of the sample alone, and
    how often an unchanged night is called lower at the level of an alarm.
    """
    labelled, situations, repeats = sample
    luck = np.random.default_rng(seed)
    covered = called = 0
    width = alone = 0.0
    truth = -DRIFT * change.slope
    for _ in range(trials):
        shared = luck.normal(0.7, 0.1, (situations, 1))
        before, after = (shared + luck.normal(0, 0.07, (situations, repeats)) for _ in range(2))

        def new(quality: np.ndarray) -> np.ndarray:
            seen = change.shift + change.slope * quality
            return np.clip(seen + luck.normal(0, change.noise, quality.shape), 0, 1)

        old = np.clip(before + luck.normal(0, 0.05, before.shape), 0, 1)
        again, tonight = new(before), new(after - DRIFT)
        responses = [
            Response(str(at), str(at), repeat, 1, tonight[at, repeat] - old[at, repeat],
                     tonight[at, repeat] - again[at, repeat] if at < labelled else None, labelled / situations)
            for at in range(situations)
            for repeat in range(repeats)
        ]  # fmt: skip
        found = corrected_mean(responses, None)
        assert found is not None and found.corrected.ci95 is not None and found.people.ci95 is not None
        assert found.corrected.se is not None
        low, high = found.corrected.ci95
        covered += low <= truth <= high
        width += high - low
        alone += found.people.ci95[1] - found.people.ci95[0]
        reach = critical(ALARM, labelled - 1) * found.corrected.se
        called += found.corrected.mean - truth + reach < 0
    return covered / trials, width / alone, called / trials


def carried_baselines(draws: Draws) -> Table:
    trials = draws.count(TRIALS)
    jobs = [(change, sample, draws.cell("bridges", change, sample), trials) for change in CHANGES for sample in SAMPLES]
    cells = iter(list(spread(cell, jobs)))
    rows = []
    for change in CHANGES:
        found = [next(cells) for _ in SAMPLES]
        rows.append([str(change), *(f"{percent(held)}, {wide:.2f}, {percent(low)}" for held, wide, low in found)])
    return Table(
        "Baselines carried over to another judge",
        ["the new judge", *(f"{few} of {all_} situations, {each} each" for few, all_, each in SAMPLES)],
        rows,
        f"Seed {draws.seed}, {trials:,} trials a cell, standard error {error(trials, 0.95)} points at 95%. In each "
        "cell: percent of intervals that hold the true difference, their width in that of the sample alone, and "
        "percent of nights whose difference lies below the true one at the level of an alarm, of which 0.25 are due.",
    )
