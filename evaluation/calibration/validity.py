"""How far the rules of a rubric order responses as people do, beside another rubric and beside the length alone.

What is compared is chosen beforehand: which metric belongs to which rated dimension. Every figure has an interval that
respects conversations, and the differences are taken over the same resamples.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from pydantic import Field

from evaluation.calibration.people import one_against_rest, rating_scales
from evaluation.calibration.rated_pairs import PairAccuracy, pair_accuracy
from evaluation.calibration.ratings import WORDS, RatedUnit, ScoreKey, values_of
from evaluation.statistics.agreement import RankFigures, rank_figures, spearman
from evaluation.statistics.clusters import average
from evaluation.statistics.resamples import RESAMPLES
from evaluation.text.forms import Form, SourceText

FEWEST_OF_A_BOT = 10
"""Units that a bot needs for a correlation of its own."""

BotOf: TypeAlias = Callable[[str], str]
"""From the id of a unit to the bot that answered; empty where none is known."""


class Pair(Form):
    """A rated dimension and the metric that should follow it."""

    dimension: str
    metric: str
    data: str = ""
    """Beginning of the names of the files that it holds for; empty for all."""


class _Pairs(Form):
    pairs: tuple[Pair, ...] = Field(strict=False, min_length=1)


def parse_pairs(text: str, place: str) -> tuple[Pair, ...]:
    """The pairs of a file. Raises ParseError for whatever is no such file."""
    return SourceText(text, place).read(_Pairs, "pairs:").pairs


@dataclass(frozen=True, slots=True)
class RatedSet:
    """One file of ratings, scored by two rubrics."""

    name: str
    units: Sequence[RatedUnit]
    """With the scores of the rubric that is looked at."""
    base: Mapping[str, Mapping[ScoreKey, float]]
    """Unit id -> the scores of the rubric that it is held against."""


@dataclass(frozen=True, slots=True)
class Validity:
    """One metric against one dimension of one set."""

    data: str
    dimension: str
    metric: str
    n: int
    clusters: int
    ranks: RankFigures
    within_bots: float | None
    """Mean over bots of the rank correlation among a bot's own units; None where no bot has enough."""
    bots: int
    people: float | None
    """People with people: one of them against the mean of the others; None where the file has means alone."""
    chosen: bool
    """True where metric and dimension were chosen for each other beforehand; else the overall stands in."""


@dataclass(frozen=True, slots=True)
class PairValidity:
    """Which of two responses is better: the rubric, the base and the length."""

    data: str
    metric: str
    rubric: PairAccuracy
    base: PairAccuracy
    length: PairAccuracy


def chosen_metrics(data: str, dimension: str, pairs: Sequence[Pair]) -> tuple[str, ...]:
    """The metrics chosen for a dimension of a set."""
    return tuple(pair.metric for pair in pairs if pair.dimension == dimension and data.startswith(pair.data))


def metrics_for(data: str, dimension: str, pairs: Sequence[Pair], overall: str) -> tuple[str, ...]:
    """The same; the overall where none was."""
    return chosen_metrics(data, dimension, pairs) or (overall,)


def bot_by(pattern: str) -> BotOf:
    """The bot in an id: the first group of a pattern that is found. Raises re.error for what is no pattern."""
    compiled = re.compile(pattern)

    def bot(identity: str) -> str:
        found = compiled.search(identity) if pattern else None
        return next((group for group in found.groups() if group), "") if found else ""

    return bot


def measure_validity(
    rated: RatedSet, pairs: Sequence[Pair], overall: str, bot_of: BotOf, *, seed: int, resamples: int = RESAMPLES
) -> Iterator[Validity]:
    """Every chosen pair of a set whose units are rated one by one."""
    alone = [unit for unit in rated.units if unit.level != "pair"]
    for dimension in dict.fromkeys(name for unit in alone for name in unit.ratings):
        for metric in metrics_for(rated.name, dimension, pairs, overall):
            key: ScoreKey = ("heuristic", metric)
            units = [
                unit
                for unit in alone
                if dimension in unit.ratings and key in unit.scores and key in rated.base.get(unit.id, {})
            ]
            tool, people = [unit.scores[key] for unit in units], [unit.ratings[dimension] for unit in units]
            ranks = rank_figures(
                tool,
                [rated.base[unit.id][key] for unit in units],
                [unit.scores[WORDS] for unit in units],
                people,
                [unit.cluster for unit in units],
                seed=seed,
                resamples=resamples,
            )
            own = _within_bots(units, key, dimension, bot_of)
            mean = average(own) if own else None
            clusters = len({unit.cluster for unit in units})
            raters = one_against_rest([unit.raters[dimension] for unit in units if _has_several(unit, dimension)])
            chosen = metric in chosen_metrics(rated.name, dimension, pairs)
            yield Validity(rated.name, dimension, metric, len(units), clusters, ranks, mean, len(own), raters, chosen)


def _has_several(unit: RatedUnit, dimension: str) -> bool:
    return len(values_of(unit.raters.get(dimension, ()))) > 1


def _within_bots(units: Sequence[RatedUnit], key: ScoreKey, dimension: str, bot_of: BotOf) -> list[float]:
    groups: dict[str, list[RatedUnit]] = {}
    for unit in units:
        if bot := bot_of(unit.id):
            groups.setdefault(bot, []).append(unit)
    found = [
        spearman([unit.scores[key] for unit in own], [unit.ratings[dimension] for unit in own])
        for own in groups.values()
        if len(own) >= FEWEST_OF_A_BOT
    ]
    return [value for value in found if value is not None]


def measure_pairs(
    rated: RatedSet, pairs: Sequence[Pair], overall: str, *, seed: int, resamples: int = RESAMPLES
) -> Iterator[PairValidity]:
    """Every chosen pair of a set that says which of two responses is better."""
    units = [unit for unit in rated.units if unit.level == "pair"]
    base = [replace(unit, scores=rated.base.get(unit.id, {})) for unit in units]
    for dimension, scale in rating_scales(units, {}).items():
        for metric in metrics_for(rated.name, dimension, pairs, overall):
            key: ScoreKey = ("heuristic", metric)
            own, other, words = (
                pair_accuracy(dimension, each, side, scale, seed=seed, resamples=resamples)
                for each, side in ((key, units), (key, base), (WORDS, units))
            )
            yield PairValidity(rated.name, metric, own, other, words)
