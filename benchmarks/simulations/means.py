"""How often the 95% interval of one run's mean holds the true mean, by three formulas."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.simulations.tables import Draws, Table, error, percent, spread
from evaluation.statistics.clustered_mean import ClusteredMean
from evaluation.statistics.clusters import clustered_mean
from evaluation.statistics.student_t import critical

SITUATIONS = (10, 20, 50, 200)
TRIALS = 10_000
SLACK = 1e-9
"""Decimals do not sum to decimals in binary: a mean this close to an end lies within."""

Drawn = Callable[[np.random.Generator, int], np.ndarray]


@dataclass(frozen=True)
class Shape:
    """A distribution of scores, and the scenarios that situations hold, in turn."""

    name: str
    draw: Drawn
    mean: float
    sizes: tuple[int, ...] = (1,)
    low: float = 0.0
    high: float = 1.0


def values(*parts: tuple[float, float]) -> tuple[Drawn, float]:
    """Of (share, value), the shares summing to 1: the draw and its mean."""
    shares, found = zip(*parts, strict=True)
    mean = math.fsum(share * value for share, value in parts)
    return lambda luck, count: luck.choice(found, size=count, p=shares), mean


def beta(a: float, b: float) -> tuple[Drawn, float]:
    return lambda luck, count: luck.beta(a, b, count), a / (a + b)


FALLS = values((0.9, 1.0), (0.1, 0.5))
SHAPES: Sequence[Shape] = (
    Shape("1, falls of 0.7 in 2%", *values((0.98, 1.0), (0.02, 0.3))),
    Shape("1, falls of 0.5 in 4%", *values((0.96, 1.0), (0.04, 0.5))),
    Shape("1, falls of 0.2 in 10%", *values((0.9, 1.0), (0.1, 0.8))),
    Shape("1, falls of 1 in 5%", *values((0.95, 1.0), (0.05, 0.0))),
    Shape("0.9, falls to 0.3 in 10%", *values((0.9, 0.9), (0.1, 0.3))),
    Shape("0.6, falls to 0.4 in 5%", *values((0.95, 0.6), (0.05, 0.4))),
    Shape("0.3 or 0.7", *values((0.5, 0.3), (0.5, 0.7))),
    Shape("beta(8, 2)", *beta(8, 2)),
    Shape("beta(0.5, 0.5)", *beta(0.5, 0.5)),
    Shape("beta(20, 1)", *beta(20, 1)),
    Shape("beta(5, 0.3)", *beta(5, 0.3)),
    Shape("1 to 5, middling", *values((0.05, 1), (0.1, 2), (0.5, 3), (0.3, 4), (0.05, 5)), low=1, high=5),
    Shape("1 to 5, mostly 5", *values((0.02, 1), (0.03, 2), (0.05, 3), (0.2, 4), (0.7, 5)), low=1, high=5),
    Shape("1 to 5, 3 or 1 in 2%", *values((0.98, 5), (0.01, 3), (0.01, 1)), low=1, high=5),
    Shape("1 or 2 a situation, beta(8, 2)", *beta(8, 2), sizes=(1, 1, 1, 2)),
    Shape("1 to 3 a situation, beta(8, 2)", *beta(8, 2), sizes=(1, 2, 3)),
    Shape("1 to 3 a situation, falls of 0.5 in 10%", *FALLS, sizes=(1, 2, 3)),
    Shape("one in ten holds half, beta(8, 2)", *beta(8, 2), sizes=(9, *[1] * 9)),
    Shape("one in ten holds half, falls of 0.5 in 10%", *FALLS, sizes=(9, *[1] * 9)),
)


def estimates(shape: Shape, situations: int, seed: int, trials: int) -> list[ClusteredMean]:
    """Drawn sets of scenarios; half of those in a situation have its value, the others one of their own."""
    luck = np.random.default_rng(seed)
    places = [place for place in range(situations) for _ in range(shape.sizes[place % len(shape.sizes)])]
    names = [str(place) for place in places]
    found = []
    for _ in range(trials):
        drawn = shape.draw(luck, len(places))
        if len(places) > situations:
            shared = shape.draw(luck, situations)[places]
            drawn = np.where(luck.random(len(places)) < 0.5, shared, drawn)
        estimate = clustered_mean(zip(names, drawn.tolist(), strict=True))
        assert estimate is not None
        found.append(estimate)
    return found


def logit_interval(found: ClusteredMean, low: float, high: float) -> tuple[float, float]:
    """mean +- t * SE on the scale of log odds; a point where the mean is at an end."""
    share, width = (found.mean - low) / (high - low), high - low
    if not 0 < share < 1 or found.se is None:
        return found.mean, found.mean
    centre, reach = math.log(share / (1 - share)), found.se / width / (share * (1 - share))
    reach *= critical(0.95, found.clusters - 1)
    ends = [low + width * (1 + math.tanh((centre + side) / 2)) / 2 for side in (-reach, reach)]
    return ends[0], ends[1]


def coverage(shape: Shape, situations: int, seed: int, trials: int) -> tuple[float, float, float, float]:
    """Shares covered by t, by t on log odds, and by the product's interval; the mean width of the last, of the scale.

    Cut at the ends of the scale, the t interval covers as often as uncut.
    """
    found = estimates(shape, situations, seed, trials)
    kinds = (
        [each.interval() for each in found],
        [logit_interval(each, shape.low, shape.high) for each in found],
        [each.interval_within(shape.low, shape.high) for each in found],
    )
    t, logit, ours = (
        sum(ends is not None and ends[0] - SLACK <= shape.mean <= ends[1] + SLACK for ends in kind) / trials
        for kind in kinds
    )
    width = math.fsum(ends[1] - ends[0] for ends in kinds[2] if ends is not None) / trials
    return t, logit, ours, width / (shape.high - shape.low)


def covered_means(draws: Draws) -> Table:
    trials = draws.count(TRIALS)
    places = [(at, count) for at in range(len(SHAPES)) for count in SITUATIONS]
    found = spread(_coverage_at, [(*at, draws.cell("means", SHAPES[at[0]].name, at[1]), trials) for at in places])
    rows = []
    for shape in SHAPES:
        cells = [next(found) for _ in SITUATIONS]
        shown = [" · ".join(map(percent, cell[:3])) for cell in cells]
        rows.append([shape.name, *shown, f"{cells[0][3]:.2f}, {cells[2][3]:.2f}"])
    return Table(
        "Intervals of one run's means",
        ["covered %: t · t of log odds · Wilson's", *(f"G = {count}" for count in SITUATIONS), "width at 10, 50"],
        rows,
        f"Seed {draws.seed}, {trials:,} trials a cell, standard error {error(trials, 0.95)} points at 95%. The width "
        "is that of Wilson's interval as a share of the scale: what the coverage costs.",
    )


def _coverage_at(place: int, situations: int, seed: int, trials: int) -> tuple[float, float, float, float]:
    return coverage(SHAPES[place], situations, seed, trials)
