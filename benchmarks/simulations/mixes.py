"""A set's mean and that under its users' mix, where the true mix is known: how far off they are, how often they hold.

Six categories differ in quality, and situations within one vary. A set holds some situations of each; users prefer
categories in their own way, return unevenly, and are met in a sample. The truth is the quality over what all users
say: over the population of situations, or over those of the set where some are met far more often than others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from benchmarks.simulations.tables import Draws, Table, error, percent, spread
from evaluation.mix.figures import mean_under
from evaluation.mix.measure import Met, mix_of
from evaluation.mix.weighing import MixWeights, weigh
from evaluation.records import Scenario
from evaluation.statistics.clustered_mean import ClusteredMean
from evaluation.statistics.clusters import clustered_mean
from evaluation.statistics.scenario_scores import ScenarioScores, from_grid

TRIALS = 2_000
QUALITY = (0.4, 0.46, 0.52, 0.58, 0.64, 0.7)
"""Of each category."""
BETWEEN, WITHIN = 0.2, 0.1
"""How far situations lie from their category at most, and scenarios from their situation; alike within that."""
RESPONSES, USERS = 400, 60
UNLIKE = 0.2
"""Share of what users say that is like no scenario."""
EVEN, UNEVEN = (1.0,) * 6, (8.0, 4.0, 2.0, 1.0, 0.5, 0.5)


@dataclass(frozen=True)
class Case:
    """A mix of users and a set."""

    name: str
    shares: Sequence[float]
    """Of the categories, relative to one another."""
    sizes: Sequence[int]
    """Situations of the set in each category."""
    popular: bool = False
    """Some situations are met far more often than others: the k-th of a category by 1 / k."""
    thin: bool = False
    """The fewer situations a set has of a category, the less of what users say there is like any."""


CASES: Sequence[Case] = (
    Case("even mix, 10 situations a category", EVEN, (10,) * 6),
    Case("uneven mix (8 : 4 : 2 : 1 : 0.5 : 0.5), 10 a category", UNEVEN, (10,) * 6),
    Case("the same mix the other way round, 10 a category", UNEVEN[::-1], (10,) * 6),
    Case("uneven mix, 5 to 15 situations, most where users are not", UNEVEN, (5, 5, 10, 10, 15, 15)),
    Case("uneven mix, 40 a category", UNEVEN, (40,) * 6),
    Case("uneven mix, 5 a category", UNEVEN, (5,) * 6),
    Case("uneven mix, popular situations, 20 a category", UNEVEN, (20,) * 6, popular=True),
    Case("even mix, 4 to 24 situations, which cover as little", EVEN, (4, 8, 12, 16, 20, 24), thin=True),
)


@dataclass(frozen=True)
class Trial:
    """What one drawn set and sample say."""

    truth: float
    of_set: ClusteredMean
    of_mix: ClusteredMean | None
    """None where the mix is refused."""
    effective: float


def trial(case: Case, luck: np.random.Generator) -> Trial:
    """One set and one sample."""
    shares = np.array(case.shares) / sum(case.shares)
    quality = [QUALITY[at] + luck.uniform(-BETWEEN, BETWEEN, size) for at, size in enumerate(case.sizes)]
    scenarios, values = _set(quality, luck)
    met = [1 / np.arange(1, size + 1) if case.popular else np.ones(size) for size in case.sizes]
    met = [each / each.sum() for each in met]
    truth = float(shares @ np.array([q @ y for q, y in zip(met, quality, strict=True)] if case.popular else QUALITY))
    weights = weigh(mix_of(_sample(case, shares, met, luck), "simulated"), scenarios)
    of_set = clustered_mean((each.cluster, value) for each, value in zip(scenarios, values, strict=True))
    assert of_set is not None
    if isinstance(weights, str):
        return Trial(truth, of_set, None, 0.0)
    return Trial(truth, of_set, mean_under(scenarios, _scores(scenarios, values, weights), weights), weights.effective)


def _set(quality: Sequence[np.ndarray], luck: np.random.Generator) -> tuple[list[Scenario], list[float]]:
    """One or two scenarios of each situation."""
    scenarios, values = [], []
    for category, situations in enumerate(quality):
        for place, value in enumerate(situations):
            for variant in range(1 + place % 2):
                name = f"{category}/{place}"
                scenarios.append(Scenario(f"{name}/{variant}", str(category), ("",), situation=name))
                values.append(float(value + luck.uniform(-WITHIN, WITHIN)))
    return scenarios, values


def _sample(case: Case, shares: np.ndarray, met: Sequence[np.ndarray], luck: np.random.Generator) -> list[Met]:
    """Users with preferences of their own, some of whom return often; drawn at two rates."""
    preferences = luck.dirichlet(20 * shares, USERS)
    activity = luck.pareto(1.5, USERS) + 0.2
    covered = np.array(case.sizes) / max(case.sizes) if case.thin else np.full(6, 1 - UNLIKE)
    found = []
    for user in luck.choice(USERS, RESPONSES, p=activity / activity.sum()):
        category = int(luck.choice(6, p=preferences[user]))
        stratum, weight = ("old", 9.0) if luck.random() < 0.7 else ("new", 4.0)
        part = ("", "")
        if luck.random() < covered[category]:
            part = (str(category), f"{category}/{luck.choice(len(met[category]), p=met[category])}")
        found.append(Met(stratum, str(user), weight, *part))
    return found


def _scores(scenarios: Sequence[Scenario], values: Sequence[float], weights: MixWeights) -> list[ScenarioScores]:
    return [
        from_grid(each.cluster, [value], 1, 0.0, 1.0, weights.weights.of_scenario(each.id))
        for each, value in zip(scenarios, values, strict=True)
    ]


def holds(found: ClusteredMean, truth: float) -> bool:
    """True where the interval on the scale holds the truth."""
    ends = found.interval_within(0.0, 1.0)
    return ends is not None and ends[0] <= truth <= ends[1]


@dataclass(frozen=True)
class Summed:
    """The trials of one case. Biases are mean differences from the truth; the rest are shares."""

    bias_of_set: float
    bias_of_mix: float
    set_holds: float
    mix_holds: float
    width: float
    """Of the mix's interval, on average."""
    refused: float
    effective: float


def sum_up(case: Case, seed: int, trials: int) -> Summed:
    """The trials in which the mix was not refused; the share of the others."""
    luck = np.random.default_rng(seed)
    found = [trial(case, luck) for _ in range(trials)]
    stated = [(each, each.of_mix) for each in found if each.of_mix is not None]
    ends = [mix.interval_within(0.0, 1.0) or (0.0, 0.0) for _, mix in stated]
    return Summed(
        bias_of_set=fmean(each.of_set.mean - each.truth for each in found),
        bias_of_mix=fmean(mix.mean - each.truth for each, mix in stated),
        set_holds=fmean(holds(each.of_set, each.truth) for each in found),
        mix_holds=fmean(holds(mix, each.truth) for each, mix in stated),
        width=fmean(high - low for low, high in ends),
        refused=1 - len(stated) / trials,
        effective=fmean(each.effective for each, _ in stated),
    )


def mixes(draws: Draws) -> Table:
    """The table of docs/statistics.md."""
    trials = draws.count(TRIALS)
    found = spread(sum_up, [(case, draws.cell("mixes", case.name), trials) for case in CASES])
    rows = [
        (
            case.name,
            f"{each.bias_of_set:+.3f}",
            f"{each.bias_of_mix:+.3f}",
            percent(each.set_holds),
            percent(each.mix_holds),
            f"{each.width:.3f}",
            f"{each.effective:.0f}",
            percent(each.refused),
        )
        for case, each in zip(CASES, found, strict=True)
    ]
    header = ["mix and set", "bias of the set", "bias of the mix", "set holds the truth, %", "mix holds the truth, %"]
    note = (
        f"Seed {draws.seed}, {trials:,} trials for each row; standard error at most {error(trials)} points, 0.5 at 95%."
    )
    return Table("A set and its users' mix", [*header, "width", "effective situations", "refused, %"], rows, note)
