"""The no-regression gate on simulated situations: false passes, and what an unchanged version passes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulations.tables import Draws, Table, change, error, percent, spread
from evaluation.comparison.opening import Held, chance_unchanged, draw_unchanged
from evaluation.statistics.bound import LEVEL, share_below, unseen_size
from evaluation.statistics.student_t import critical
from evaluation.suites.suite import ROUNDING

Rows: TypeAlias = NDArray[np.float64]
Draw: TypeAlias = Callable[[np.random.Generator, tuple[int, int]], Rows]

SIZES = (12, 24, 60, 81, 217)
SHIPPED = (1,) * 203 + (3,) * 14
"""Scenarios of each situation of the companion's set."""
SEVEN = Held(overall=(0.02, 0.5), metrics=((0.05, 0.5),) * 6)


def passes(rows: Rows, sizes: Sequence[int], largest: float, margin: float) -> NDArray[np.bool_]:
    """Whether the gate passes each row of differences, by the product's own bound."""
    weights = np.array(sizes, dtype=float)
    share = share_below(rows, weights, np.full(len(rows), largest), -margin - ROUNDING, unseen_size(weights))
    found: NDArray[np.bool_] = share <= LEVEL
    return found


def interval(rows: Rows, sizes: Sequence[int], confidence: float) -> tuple[Rows, Rows]:
    """Both ends of the clustered t interval of each row's mean."""
    weights = np.array(sizes, dtype=float)
    count = len(weights)
    mean = rows @ weights / weights.sum()
    squares = (((rows - mean[:, None]) * weights) ** 2).sum(axis=1)
    reach = critical(confidence, count - 1) * np.sqrt(squares * count / (count - 1)) / weights.sum()
    return mean - reach, mean + reach


def passed_before(rows: Rows, sizes: Sequence[int], margin: float) -> NDArray[np.bool_]:
    """By the rule that was: the lower end of the 90% interval."""
    found: NDArray[np.bool_] = interval(rows, sizes, 0.9)[0] >= -margin - ROUNDING
    return found


@dataclass(frozen=True)
class Regression:
    """A process whose true mean difference is minus the margin, and an unchanged one of its kind."""

    name: str
    margin: float
    largest: float
    worse: Draw
    unchanged: Draw


def falls(size: float, rate: float, gains: float = 0.0, gain: float = 0.0) -> Draw:
    """Falls of one size at a rate, gains at another."""

    def draw(luck: np.random.Generator, shape: tuple[int, int]) -> Rows:
        lot = luck.random(shape)
        return np.where(lot < rate, -size, np.where(lot > 1 - gains, gain, 0.0))

    return draw


def checks(before: float, after: float) -> Draw:
    """Single outcomes of two independent draws."""

    def draw(luck: np.random.Generator, shape: tuple[int, int]) -> Rows:
        return (luck.random(shape) < after).astype(float) - (luck.random(shape) < before)

    return draw


REGRESSIONS = (
    Regression("check 1.00 to 0.95, margin 0.05", 0.05, 1.0, checks(1.0, 0.95), checks(1.0, 1.0)),
    Regression("falls of 0.5 in 4%, margin 0.02", 0.02, 0.5, falls(0.5, 0.04), falls(0.5, 0.02, 0.02, 0.5)),
    Regression("falls of 0.2 in 10%, margin 0.02", 0.02, 0.5, falls(0.2, 0.1), falls(0.2, 0.05, 0.05, 0.2)),
    Regression("check 0.90 to 0.85, margin 0.05", 0.05, 1.0, checks(0.9, 0.85), checks(0.9, 0.9)),
    Regression("ties in 85%, margin 0.02", 0.02, 0.5, falls(0.25, 0.1, 0.05, 0.1), falls(0.1, 0.075, 0.075, 0.1)),
)


def false_pass_cell(place: int, situations: int, seed: int, trials: int) -> tuple[float, float, float, float]:
    """Shares that pass: the regression by the old rule and the new, an unchanged version by either."""
    process, luck, sizes = REGRESSIONS[place], np.random.default_rng(seed), [1] * situations
    found = []
    for draw in (process.worse, process.unchanged):
        rows = draw(luck, (trials, situations))
        found += [passed_before(rows, sizes, process.margin).mean()]
        found += [passes(rows, sizes, process.largest, process.margin).mean()]
    return float(found[0]), float(found[1]), float(found[2]), float(found[3])


def false_passes(draws: Draws) -> Table:
    trials = draws.count(20_000)
    jobs = [
        (place, size, draws.cell("falls", place, size), trials) for place in range(len(REGRESSIONS)) for size in SIZES
    ]
    cells = iter(list(spread(false_pass_cell, jobs)))
    rows = []
    for process in REGRESSIONS:
        found = [next(cells) for _ in SIZES]
        rows.append([process.name, *(change(*each[:2]) for each in found)])
        rows.append(["unchanged, of that kind", *(change(*each[2:]) for each in found)])
    return Table(
        "False passes of a regression equal to the margin",
        ["percent that pass, old rule → new", *(f"G = {size}" for size in SIZES)],
        rows,
        f"Seed {draws.seed}, {trials:,} trials a cell, standard error at most {error(trials, 0.05)} points at 5% and "
        f"{error(trials)} at 50%. The cost is in every second row: what an unchanged version passes.",
    )


OPENING: Sequence[tuple[str, Sequence[int]]] = (
    *((f"{count}", (1,) * count) for count in (12, 24, 60, 100, 150, 217, 300)),
    ("217, of which 14 hold three", SHIPPED),
)


def opening_cell(sizes: Sequence[int], repeats: int, seed: int, trials: int) -> tuple[float, float]:
    """Shares of unchanged versions that pass all seven metrics, by the old rule and the new."""
    luck = np.random.Generator(np.random.PCG64(seed))
    before = np.ones(trials, dtype=bool)
    for rows, (margin, largest) in zip(draw_unchanged(luck, trials, len(sizes), repeats, SEVEN), SEVEN, strict=True):
        before &= passed_before(np.maximum(rows, -largest), sizes, margin)
    return float(before.mean()), chance_unchanged(sizes, repeats, SEVEN, trials=trials, seed=seed)


def opening(draws: Draws) -> Table:
    trials = draws.count(2_000)
    jobs = [
        (sizes, repeats, draws.cell("opening", name, repeats), trials)
        for name, sizes in OPENING
        for repeats in (1, 3, 5)
    ]
    cells = iter(list(spread(opening_cell, jobs)))
    rows = [[name, *(change(*next(cells)) for _ in range(3))] for name, _ in OPENING]
    return Table(
        "Unchanged versions that pass the gate on all seven metrics",
        ["situations", "1 repeat: percent, old rule → new", "3 repeats", "5 repeats"],
        rows,
        f"Seed {draws.seed}, {trials:,} trials a cell, standard error at most {error(trials)} points. The table is the "
        "cost in power.",
    )


UNEVEN: Sequence[tuple[str, Sequence[int]]] = (
    *((f"one of {count} holds half", (count - 1,) + (1,) * (count - 1)) for count in (12, 24, 60)),
    ("4 of 40 hold half", (9,) * 4 + (1,) * 36),
    ("1 of 80 holds two", (2,) + (1,) * 79),
    ("14 of 217 hold three", SHIPPED),
)


def uneven_cell(sizes: Sequence[int], seed: int, trials: int) -> tuple[float, float, float, float, float]:
    """Coverage of the 95% interval; passes of a regression and of an unchanged version, by either rule."""
    luck, margin, largest = np.random.default_rng(seed), 0.05, 0.5
    noise = np.clip(luck.normal(0, 0.1, (trials, len(sizes))), margin - largest, largest - margin)
    low, high = interval(noise, sizes, 0.95)
    found = [float(((low <= 0) & (high >= 0)).mean())]
    for rows in (noise - margin, noise):
        found += [float(passed_before(rows, sizes, margin).mean()), float(passes(rows, sizes, largest, margin).mean())]
    return found[0], found[1], found[2], found[3], found[4]


def uneven(draws: Draws) -> Table:
    trials = draws.count(20_000)
    jobs = [(sizes, draws.cell("uneven", name), trials) for name, sizes in UNEVEN]
    rows = [
        [name, percent(found[0]), change(*found[1:3]), change(*found[3:])]
        for (name, _), found in zip(UNEVEN, spread(uneven_cell, jobs), strict=True)
    ]
    return Table(
        "Situations of uneven size, margin 0.05, standard deviation 0.10",
        ["situations", "the 95% t interval covers", "false passes, old → new", "unchanged pass, old → new"],
        rows,
        f"Seed {draws.seed}, {trials:,} trials a cell, standard error at most {error(trials)} points. The last column "
        "is the cost.",
    )


LOST = (0.0, 0.005, 0.01, 0.02)


def gap_cell(share: float, seed: int, trials: int) -> tuple[float, float, float, float]:
    """An unchanged version that lost situations at random, and a regression that lost those that fell, from 0.5."""
    luck, margin, largest, count = np.random.default_rng(seed), 0.02, 0.5, 217
    lost = round(share * count)
    found = []
    for rows, order in (
        (np.clip(luck.normal(0, 0.065, (trials, count)), -largest, largest), None),
        (falls(0.5, 0.04)(luck, (trials, count)), True),
    ):
        ranked = np.sort(rows, axis=1) if order else rows
        worst = ranked.copy()
        worst[:, :lost] = -largest
        known = ranked[:, lost:]
        before = passed_before(known, [1] * (count - lost), margin) & (worst.mean(axis=1) >= -margin - ROUNDING)
        found += [float(before.mean()), float(passes(worst, [1] * count, largest, margin).mean())]
    return found[0], found[1], found[2], found[3]


def gaps(draws: Draws) -> Table:
    trials = draws.count(20_000)
    jobs = [(share, draws.cell("gaps", share), trials) for share in LOST]
    rows = [
        [f"{100 * share:g}%", change(*found[2:]), change(*found[:2])]
        for share, found in zip(LOST, spread(gap_cell, jobs), strict=True)
    ]
    return Table(
        "Missing pairs, 217 situations, margin 0.02",
        [
            "of the situations are lost",
            "false passes: those that fell are lost, old → new",
            "unchanged, lost by chance",
        ],
        rows,
        f"Seed {draws.seed}, {trials:,} trials a cell, standard error at most {error(trials)} points. The falls are of "
        "0.5 in 4% of situations; the unchanged version deviates by 0.065 (three repeats): its column is the cost.",
    )
