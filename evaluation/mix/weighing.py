"""A mix laid over the scenarios of a run: what each of them stands for (poststratification, Holt and Smith 1979).

A category has the share p_c of the mix. Within it the scenarios count alike, or by situation where enough responses
show how often each is met: then situation g has

    q_g = (n_g + u_g S) / (n + S)

with n_g of n independent responses of the category, S situations that the set has there, and u_g the situation's share
of the category's scenarios. That is a prior of one response for each situation (Good 1965): what a small sample did
not show is not taken for impossible. Nothing is trimmed: weights that are too uneven are refused instead, since a mean
of trimmed weights is that of no users at all.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evaluation.mix.mix import CategoryShare, Mix
from evaluation.records import Scenario
from evaluation.statistics.clusters import effective_number
from evaluation.statistics.scenario_scores import SampleWeight
from evaluation.summary.weights import ScenarioWeights
from evaluation.text import numbers

LEAST_SITUATIONS = 10.0
"""Situations of equal weight that a verdict needs, as everywhere."""
LARGEST_SHARE = 0.2
"""Of one situation: beyond it a mean says how the responses to that one are."""
LEAST_RESPONSES = 30.0
"""Independent responses of a category from which situations within it have weights of their own."""
LEAST_REACHED = 0.5
"""Share of the mix whose categories the scenarios must have."""

Level: TypeAlias = Literal["situation", "category"]
Cell: TypeAlias = tuple[str, str]
"""Category and situation; the situation is empty where the category's scenarios count alike."""


@dataclass(frozen=True, slots=True)
class MixWeights:
    """The weights of a run's scenarios under a mix."""

    mix: Mix
    weights: ScenarioWeights
    """Shares: they add up to 1. Scenarios of a category that users never meet are not named."""
    cells: Mapping[str, Cell]
    """Scenario id -> the part of the mix whose share it has a part in."""
    by: Level
    """The finest part of the mix that the weights follow anywhere."""
    situations: int
    effective: float
    """Situations of equal weight that would say as much."""
    heaviest: tuple[str, float]
    """The situation of the largest share."""
    reached: float
    """Share of the mix in categories that the scenarios have; the rest is left out."""


def weigh(mix: Mix, scenarios: Sequence[Scenario]) -> MixWeights | str:
    """The weights, or in one line why this mix and these scenarios do not go together.

    By situation where that leaves enough of them, else by category alone.
    """
    known = [scenario for scenario in scenarios if mix.categories.get(scenario.category, CategoryShare(0.0)).share > 0]
    reached = sum(mix.categories[name].share for name in dict.fromkeys(each.category for each in known))
    reached /= mix.covered or 1.0
    if reached < LEAST_REACHED:
        return (
            f"its scenarios have the categories of {numbers.percent(reached)} of what the mix says, "
            f"{numbers.percent(LEAST_REACHED)} are needed: play more categories"
        )
    by_situation = _laid_over(mix, known, "situation", reached)
    found = by_situation if _fault(by_situation) is None else _laid_over(mix, known, "category", reached)
    return _fault(found) or found


def _fault(found: MixWeights) -> str | None:
    name, share = found.heaviest
    if found.effective < LEAST_SITUATIONS:
        return (
            f"the mix is too uneven for {numbers.times(found.situations, 'situation')}: they count like "
            f"{found.effective:.1f} of equal weight, {LEAST_SITUATIONS:.0f} are needed: add scenarios where users are"
        )
    if share > LARGEST_SHARE:
        return (
            f"situation {name!r} alone would carry {numbers.percent(share)} of the mean, at most "
            f"{numbers.percent(LARGEST_SHARE)} may: add situations to its category"
        )
    return None


def _laid_over(mix: Mix, scenarios: Sequence[Scenario], level: Level, reached: float) -> MixWeights:
    members: dict[str, list[Scenario]] = {}
    for scenario in scenarios:
        members.setdefault(scenario.category, []).append(scenario)
    whole = sum(mix.categories[name].share for name in members)
    sample: dict[str, SampleWeight] = {}
    cells: dict[str, Cell] = {}
    for name, group in members.items():
        share = mix.categories[name].share / whole
        within = _shares_within(mix, mix.categories[name], group) if level == "situation" else {}
        sizes = Counter(scenario.cluster for scenario in group)
        for scenario in group:
            part = within[scenario.cluster] / sizes[scenario.cluster] if within else 1 / len(group)
            sample[scenario.id] = SampleWeight(share * part, name)
            cells[scenario.id] = (name, scenario.cluster if within else "")
    of_situation: dict[str, float] = {}
    for scenario in scenarios:
        of_situation[scenario.cluster] = of_situation.get(scenario.cluster, 0.0) + sample[scenario.id].weight
    return MixWeights(
        mix=mix,
        weights=ScenarioWeights("mix", sample),
        cells=cells,
        by="situation" if any(situation for _, situation in cells.values()) else "category",
        situations=len(of_situation),
        effective=effective_number(of_situation.values()),
        heaviest=max(of_situation.items(), key=lambda each: each[1], default=("", 0.0)),
        reached=reached,
    )


def _shares_within(mix: Mix, category: CategoryShare, group: Sequence[Scenario]) -> Mapping[str, float]:
    """Situation -> its share of the category, smoothed; empty where too few responses tell situations apart."""
    own = Counter(scenario.cluster for scenario in group)
    met = {name: each.share for name, each in category.situations.items() if name in own}
    total = sum(met.values())
    if total <= 0:
        return {}
    if mix.independent is None:
        return {name: met.get(name, 0.0) / total for name in own}
    responses = mix.independent * total / (mix.covered + mix.uncovered)
    if responses < LEAST_RESPONSES:
        return {}
    prior = len(own)
    return {
        name: (responses * met.get(name, 0.0) / total + prior * count / len(group)) / (responses + prior)
        for name, count in own.items()
    }
