"""The amounts of a rubric's adjustments, chosen so that its metrics order responses as people do.

Strengths of cues are taken once per response. Amounts then move one at a time by a step, keep their sign, and stay
within bounds, while the mean rank correlation over the chosen pairs of metric and dimension rises (decision 0039). What
is left out of a choice is scored by the amounts that were chosen without it. numpy and scipy are imported when
something is computed.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from evaluation.calibration.ratings import RatedLine, RatedUnit, ScoreKey, rated_units
from evaluation.calibration.validity import BotOf, Pair, metrics_for
from evaluation.rubrics.rubric import Rubric

STEP, LEAST, MOST = 0.05, 0.05, 0.40
GAIN = 0.001
"""The least rise of the mean correlation for which an amount moves: less is chance."""
FEWEST = 3
"""Rated units of a pair: fewer have no order to follow."""
FIFTHS = 5
MOST_ROUNDS = 20

AdjustmentKey: TypeAlias = tuple[str, int]
"""Metric, and place among its adjustments."""
Amounts: TypeAlias = dict[AdjustmentKey, float]
Strengths: TypeAlias = Mapping[str, Sequence[float]]
"""Metric -> strength of each of its adjustments in one response; 0 where it does not apply."""
Scores: TypeAlias = dict[ScoreKey, float]


@dataclass(frozen=True, slots=True)
class WeighedSet:
    """One file of ratings with the strengths of all adjustments."""

    name: str
    units: Sequence[RatedUnit]
    """Their scores are not looked at."""
    lines: Sequence[tuple[str, Strengths, bool]]
    """Unit id, strengths and whether there is an earlier conversation, of each response."""


@dataclass(frozen=True, slots=True)
class Fold:
    """What is left out of a choice."""

    kind: str
    """sources, bots or conversations"""
    name: str
    left_out: frozenset[tuple[str, str]]
    """Set and unit."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The amounts that were chosen without a fold; without any for all that there is."""

    fold: Fold | None
    amounts: Amounts
    agreement: float
    """Mean rank correlation over the pairs of what was left in."""


def weigh(name: str, lines: Sequence[RatedLine], strengths: Sequence[Strengths]) -> WeighedSet:
    """The set with the strengths of its lines, paired by position. Pairs of responses take no part."""
    alone = [(line, each) for line, each in zip(lines, strengths, strict=True) if line.level != "pair"]
    units = rated_units((line, ()) for line, _ in alone)
    return WeighedSet(name, units, [(line.unit, each, bool(line.exchange.context)) for line, each in alone])


def present_amounts(rubric: Rubric) -> Amounts:
    """Every adjustment with the amount that the rubric gives it."""
    return {
        (name, place): adjustment.add
        for name, metric in rubric.metrics.items()
        for place, adjustment in enumerate(metric.adjustments)
    }


def make_folds(sets: Sequence[WeighedSet], bot_of: BotOf) -> Iterator[Fold]:
    """Each source, each bot, and each fifth of the conversations of all sources together; none that leaves nothing."""
    everything = [(each.name, unit) for each in sets for unit in each.units]
    groups: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for kind, group_of in _groupings(bot_of).items():
        for name, unit in everything:
            if group := group_of(name, unit):
                groups.setdefault((kind, group), set()).add((name, unit.id))
    for (kind, group), members in groups.items():
        if len(members) < len(everything):
            yield Fold(kind, group, frozenset(members))


def _groupings(bot_of: BotOf) -> Mapping[str, Callable[[str, RatedUnit], str]]:
    return {
        "sources": lambda name, _: name,
        "bots": lambda name, unit: f"{name} {bot_of(unit.id)}" if bot_of(unit.id) else "",
        "conversations": lambda name, unit: f"fifth {_fifth(name, unit.cluster)}",
    }


def _fifth(name: str, cluster: str) -> int:
    digest = hashlib.sha256(f"{name} {cluster}".encode()).digest()
    return 1 + digest[0] % FIFTHS


class Weighing:
    """The rated sets as arrays, so that an amount can be tried in a thousandth of a second."""

    def __init__(self, rubric: Rubric, sets: Sequence[WeighedSet], pairs: Sequence[Pair]) -> None:
        import numpy as np

        self._rubric = rubric
        self.units = [(each.name, unit) for each in sets for unit in each.units]
        places = {(name, unit.id): place for place, (name, unit) in enumerate(self.units)}
        lines = [
            (places[each.name, unit], strengths, in_context)
            for each in sets
            for unit, strengths, in_context in each.lines
        ]
        self._of_unit = np.array([place for place, _, _ in lines])
        self._in_context = np.array([in_context for _, _, in_context in lines], dtype=bool)
        self._lines_of_unit = np.bincount(self._of_unit, minlength=len(self.units))
        self._metrics = [name for name, metric in rubric.metrics.items() if metric.kind == "adjustments"]
        self._strengths = {
            name: np.array([strengths[name] for _, strengths, _ in lines], dtype=float).reshape(len(lines), -1)
            for name in self._metrics
        }
        self._targets = list(self._make_targets(sets, pairs))

    @property
    def has_pairs(self) -> bool:
        """Whether any chosen pair of metric and dimension can be measured: without one every choice is as it began."""
        return any(len(places) >= FEWEST for _, places, _ in self._targets)

    def _make_targets(self, sets: Sequence[WeighedSet], pairs: Sequence[Pair]) -> Iterator[tuple[str, Any, Any]]:
        """Metric, places of the units, and their ratings, for each pair that was chosen."""
        import numpy as np

        for rated in sets:
            for dimension in dict.fromkeys(name for unit in rated.units for name in unit.ratings):
                if not any(pair.dimension == dimension and rated.name.startswith(pair.data) for pair in pairs):
                    continue
                for metric in metrics_for(rated.name, dimension, pairs, self._rubric.overall):
                    found = [
                        (place, unit.ratings[dimension])
                        for place, (name, unit) in enumerate(self.units)
                        if name == rated.name and dimension in unit.ratings
                    ]
                    yield metric, np.array([place for place, _ in found]), np.array([value for _, value in found])

    def values(self, metric: str, amounts: Amounts) -> Any:
        """One value per unit: the mean over its responses."""
        import numpy as np

        of_lines = self._of_lines(metric, amounts)
        return np.bincount(self._of_unit, weights=of_lines, minlength=len(self.units)) / self._lines_of_unit

    def _of_lines(self, metric: str, amounts: Amounts) -> Any:
        import numpy as np

        rubric = self._rubric
        if metric == rubric.overall:
            shares = {name: self._share(name, weight) for name, weight in rubric.weights.items()}
            total = sum(share * self._of_lines(name, amounts) for name, share in shares.items())
            return total / sum(shares.values())
        own = rubric.metrics[metric]
        added = self._strengths[metric] @ np.array([amounts[metric, place] for place in range(len(own.adjustments))])
        return np.clip(own.base + added, rubric.low, rubric.high)

    def _share(self, metric: str, weight: float) -> Any:
        """The weight in the overall of each line: 0 where the metric is left out of it."""
        return weight * (self._in_context | (not self._rubric.metrics[metric].leaves_overall))

    def agreement(self, amounts: Amounts, left_in: Any, known: dict[str, Any]) -> float:
        """Mean rank correlation over the pairs; one whose metric is constant has 0. `known` keeps what is unchanged."""
        from scipy.stats import rankdata

        found = []
        for number, (metric, places, ratings) in enumerate(self._targets):
            inside = left_in[places]
            if inside.sum() < FEWEST:
                continue
            if metric not in known:
                known[metric] = self.values(metric, amounts)
            ranks = known.setdefault(f"ranks {number}", rankdata(ratings[inside]))
            found.append(_correlation(rankdata(known[metric][places[inside]]), ranks))
        return float(sum(found) / len(found)) if found else 0.0

    def choose(self, start: Amounts, movable: Sequence[AdjustmentKey], left_in: Any) -> tuple[Amounts, float]:
        """Moves one amount at a time by a step as long as the agreement rises; the amounts, and the agreement then."""
        amounts = dict(start)
        known: dict[str, Any] = {}
        best = self.agreement(amounts, left_in, known)
        for _ in range(MOST_ROUNDS):
            before = best
            for key in movable:
                for step in (STEP, -STEP):
                    amounts, best, known = self._walk(amounts, best, known, key, step, left_in)
            if best == before:
                break
        return amounts, best

    def _walk(
        self, amounts: Amounts, best: float, known: dict[str, Any], key: AdjustmentKey, step: float, left_in: Any
    ) -> tuple[Amounts, float, dict[str, Any]]:
        """As many steps of one amount in one direction as each bring a rise."""
        while True:
            size = round(abs(amounts[key]) + step, 10)
            if not LEAST <= size <= MOST:
                return amounts, best, known
            tried = {**amounts, key: size if amounts[key] > 0 else -size}
            stale = (key[0], self._rubric.overall)
            kept = {name: values for name, values in known.items() if name not in stale}
            found = self.agreement(tried, left_in, kept)
            if found < best + GAIN:
                return amounts, best, known
            amounts, best, known = tried, found, kept


def _correlation(first: Any, second: Any) -> float:
    x, y = first - first.mean(), second - second.mean()
    size = float((x @ x) * (y @ y)) ** 0.5
    return float(x @ y) / size if size > 0 else 0.0


def choose_amounts(
    weighing: Weighing, start: Amounts, movable: Sequence[AdjustmentKey], folds: Sequence[Fold]
) -> Iterator[Choice]:
    """The choice on everything first, then one without each fold."""
    import numpy as np

    for fold in (None, *folds):
        outside = fold.left_out if fold else frozenset()
        left_in = np.array([(name, unit.id) not in outside for name, unit in weighing.units])
        yield Choice(fold, *weighing.choose(start, movable, left_in))


def scores_left_out(weighing: Weighing, rubric: Rubric, choices: Sequence[Choice]) -> dict[tuple[str, str], Scores]:
    """Set and unit -> its scores by the amounts that were chosen without it."""
    found: dict[tuple[str, str], Scores] = {}
    for choice in choices:
        if choice.fold is None:
            continue
        columns = {name: weighing.values(name, choice.amounts) for name in (*rubric.weights, rubric.overall)}
        for place, (name, unit) in enumerate(weighing.units):
            if (name, unit.id) in choice.fold.left_out:
                found[name, unit.id] = {
                    ("heuristic", metric): float(column[place]) for metric, column in columns.items()
                }
    return found
