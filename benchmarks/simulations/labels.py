"""Means corrected by people's labels: how often their intervals hold the truth, how wide, how often deployed falsely.

People's values and the machine's scores are drawn together: of a common shape on a scale from 0 to 1, correlated, both
with a part that the responses of a situation share. The machine is wrong by a bias as well. A few responses are
labelled, by situations or one by one, with equal probabilities or with those of an expected gain.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from benchmarks.simulations.tables import Draws, Table, error, percent, spread
from evaluation.statistics.prediction import Response, corrected_mean

Values: TypeAlias = NDArray[np.float64]

TRIALS = 2_000
SHARED = 0.3
"""Of the variance, what the responses of a situation have in common."""
BIAS = 0.08
"""By which the machine scores too high."""
CORRELATIONS = (0.2, 0.8)
POOL = 10
"""Situations of the run for each one that is expected to be labelled."""
GRID = np.linspace(-6, 6, 4_001)

NORMAL, BETA, STEPS, SKEWED = "normal", "beta(8, 2)", "steps of 0.25, most at the top", "1 less an exponential"
SHAPES: dict[str, Callable[[Values], Values]] = {
    NORMAL: lambda z: 0.7 + 0.1 * z,
    BETA: lambda z: stats.beta.ppf(stats.norm.cdf(z), 8, 2),
    STEPS: lambda z: np.clip(np.round(4 * (0.8 + 0.2 * z)) / 4, 0, 1),
    SKEWED: lambda z: np.maximum(0.0, 1 - 0.15 * stats.expon.ppf(stats.norm.cdf(z))),
}


@dataclass(frozen=True)
class Labelling:
    """A shape of values, and how many responses are labelled how."""

    shape: str
    situations: int
    """Labelled ones; where responses are drawn one by one, a third of the labels that are expected."""
    responses: tuple[int, int] = (3, 3)
    """Least and most of a situation."""
    draw: str = "situations"

    def __str__(self) -> str:
        least, most = self.responses
        each = f"{least}" if least == most else f"{least} to {most}"
        return f"{self.shape}; {self.situations} of {POOL * self.situations}, {each} each; {self.draw}"


BY_SITUATION, ONE_BY_ONE, BY_GAIN = "situations", "responses alike", "responses by gain"
LABELLINGS: Sequence[Labelling] = (
    *(Labelling(shape, 10) for shape in SHAPES),
    *(Labelling(BETA, count) for count in (15, 20, 40)),
    *(Labelling(SKEWED, count) for count in (15, 20, 40)),
    *(Labelling(shape, 10, (1, 5)) for shape in (BETA, STEPS)),
    *(Labelling(shape, 10, (3, 5), draw) for shape in (BETA, STEPS, SKEWED) for draw in (ONE_BY_ONE, BY_GAIN)),
    *(Labelling(BETA, count, (1, 5), BY_GAIN) for count in (20, 40)),
)


@lru_cache
def shaped(shape: str) -> Values:
    found: Values = SHAPES[shape](GRID)
    return found


@lru_cache
def true_mean(shape: str) -> float:
    weights = stats.norm.pdf(GRID)
    return float(np.sum(shaped(shape) * weights) / np.sum(weights))


@lru_cache
def latent_correlation(shape: str, correlation: float) -> float:
    """Of the normal values that are shaped, so that people and machine correlate as asked once they are."""
    luck = np.random.default_rng(0)
    first, second = luck.standard_normal((2, 100_000))
    people = np.interp(first, GRID, shaped(shape))
    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        machine = np.interp(middle * first + np.sqrt(1 - middle**2) * second, GRID, shaped(shape))
        below = np.corrcoef(people, machine)[0, 1] < correlation
        low, high = (middle, high) if below else (low, middle)
    return (low + high) / 2


def draw_run(labelling: Labelling, correlation: float, luck: np.random.Generator, bias: float = BIAS) -> list[Response]:
    """A run with its labels."""
    count = POOL * labelling.situations
    sizes = luck.integers(labelling.responses[0], labelling.responses[1], endpoint=True, size=count)
    place = np.repeat(np.arange(count), sizes)

    def latent() -> Values:
        shared, own = luck.standard_normal(count)[place], luck.standard_normal(len(place))
        mixed: Values = np.sqrt(SHARED) * shared + np.sqrt(1 - SHARED) * own
        return mixed

    of_people = latent()
    common = latent_correlation(labelling.shape, correlation)
    of_machine = common * of_people + np.sqrt(1 - common**2) * latent()
    people, machine = (np.interp(z, GRID, shaped(labelling.shape)) for z in (of_people, of_machine))
    drawn, chances = choose(labelling, place, people, machine, luck)
    scores = machine + bias
    return [
        Response(str(at), str(at), 1, turn, float(scores[turn]), float(people[turn]) if drawn[turn] else None, chance)
        for turn, (at, chance) in enumerate(zip(place.tolist(), chances.tolist(), strict=True))
    ]


def choose(
    labelling: Labelling, place: NDArray[np.int64], people: Values, machine: Values, luck: np.random.Generator
) -> tuple[NDArray[np.bool_], Values]:
    """Which are labelled, and the probabilities; a draw that holds less than 10 situations is made once more."""
    count, size = POOL * labelling.situations, len(place)
    if labelling.draw == BY_SITUATION:
        chosen = luck.choice(count, labelling.situations, replace=False)
        return np.isin(place, chosen), np.full(size, 1 / POOL)
    gain = np.ones(size)
    if labelling.draw == BY_GAIN:
        # What is expected knows a part of the machine's true error, as the gap between two sources does.
        guess = np.abs(machine - people) * luck.uniform(0, 2, size)
        gain = 0.5 + 0.5 * np.minimum(3.0, guess / guess.mean())
    chances = np.minimum(1.0, 3 * labelling.situations * gain / gain.sum())
    while True:
        drawn = luck.random(size) < chances
        if len(set(place[drawn].tolist())) >= 10:
            return drawn, chances


@dataclass(frozen=True)
class Found:
    """Shares of trials, and mean widths."""

    covered: float
    covered_by_people: float
    false_deploys: float
    """The lower end is above the true mean: a bound just above it would be taken for cleared."""
    width: float
    """In those of the people's own interval."""
    slope: float


def cell(labelling: Labelling, correlation: float, seed: int, trials: int) -> Found:
    luck, truth = np.random.default_rng(seed), true_mean(labelling.shape)
    rows = []
    for _ in range(trials):
        found = corrected_mean(draw_run(labelling, correlation, luck), (0.0, 1.0))
        assert found is not None and found.corrected.ci95 is not None and found.people.ci95 is not None
        (low, high), (own_low, own_high) = found.corrected.ci95, found.people.ci95
        held = low <= truth <= high, own_low <= truth <= own_high, low > truth
        rows.append((*held, high - low, own_high - own_low, found.slope))
    covered, by_people, above, width, own, slope = np.array(rows, dtype=float).mean(axis=0).tolist()
    return Found(covered, by_people, above, width / own, slope)


def corrected_means(draws: Draws) -> Table:
    trials = draws.count(TRIALS)
    places = [(each, correlation) for each in LABELLINGS for correlation in CORRELATIONS]
    jobs = [(*place, draws.cell("labels", *place), trials) for place in places]
    cells = iter(list(spread(cell, jobs)))
    rows = []
    for labelling in LABELLINGS:
        pair = [next(cells) for _ in CORRELATIONS]
        shown = [
            text
            for found in pair
            for text in (
                percent(found.covered), f"{found.width:.2f}", percent(found.false_deploys), f"{found.slope:.2f}"
            )
        ]  # fmt: skip
        rows.append([str(labelling), percent(pair[0].covered_by_people), *shown])
    at = [f"{what} at {correlation:g}" for correlation in CORRELATIONS for what in ("covered", "width", "false", "λ")]
    return Table(
        "Corrected means",
        ["values; labelled situations, responses; drawn", "people alone", *at],
        rows,
        f"Seed {draws.seed}, {trials:,} trials a cell, standard error {error(trials, 0.95)} points at 95% and 5%. "
        "Covered and false in percent; the width is in those of the people's own interval, the correlation that of "
        "people's values and the machine's scores of single responses.",
    )
