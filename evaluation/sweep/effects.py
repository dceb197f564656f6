"""The settings of a sweep, the factors in which they differ, and the effect of each numeric factor on each metric.

The correlation is Spearman's over all scored exchanges, each with the factor's value of its setting; its interval is a
cluster bootstrap by situation. Tasks differ among themselves more than settings do, so that it is small even where the
effect is sure. The change is the mean over scenarios of (at the highest value - at the lowest), exchange by exchange,
with everything else in the grid as it was: that is what is tested. Of the factors' overalls, and of all other metrics
under all factors, each family is corrected by Holm.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.comparison.differences import ALPHA, MetricDifference, call_corrected, correct, describe
from evaluation.comparison.runs import RunScores
from evaluation.records import Json
from evaluation.statistics.agreement import spearman_figure
from evaluation.statistics.paired import Grid, Place, ScenarioPair, pair_up, totals
from evaluation.statistics.resamples import Figure
from evaluation.statistics.significance import sign_flip
from evaluation.suites.suite import Suite
from evaluation.summary.columns import Key, is_value

PROMPT = "prompt"
"""The factor that is no parameter of the request."""


@dataclass(frozen=True, slots=True)
class Factor:
    """Something that varies, with its values in the order in which they were asked for."""

    name: str
    values: tuple[Json, ...]

    @property
    def numeric(self) -> bool:
        """True where its values can be ranked and correlated."""
        return all(isinstance(value, int | float) and not isinstance(value, bool) for value in self.values)

    @property
    def rising(self) -> tuple[float, ...]:
        """The values of a numeric factor from the lowest to the highest."""
        return tuple(sorted(float(value) for value in self.values if isinstance(value, int | float)))


@dataclass(frozen=True, slots=True)
class Setting:
    """One point of the grid."""

    values: Mapping[str, Json]
    """Factor -> its value here."""
    run: RunScores

    @property
    def name(self) -> str:
        """For people: "temperature 0.3", "v3, top_p 1"."""
        return self.run.name


def factors_of(settings: Sequence[Setting]) -> tuple[Factor, ...]:
    """The factors that vary between the settings; all of them have values of the same names."""
    found: dict[str, dict[str, Json]] = {}
    for setting in settings:
        for name, value in setting.values.items():
            found.setdefault(name, {}).setdefault(repr(value), value)
    factors = (Factor(name, tuple(values.values())) for name, values in found.items())
    return tuple(factor for factor in factors if len(factor.values) > 1)


def setting_name(values: Mapping[str, Json]) -> str:
    """A setting's name for people; a prompt goes by its name alone."""
    return ", ".join(str(value) if name == PROMPT else f"{name} {value_text(value)}" for name, value in values.items())


def value_text(value: Json) -> str:
    """A value as it was asked for: 0.3, 1, gpt-4o."""
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of one factor on one metric."""

    metric: str
    factor: str
    low: float
    """The factor's lowest value."""
    high: float
    correlation: Figure
    """Spearman's, from -1 to 1; no value where the metric is constant."""
    change: MetricDifference
    """At `high` minus at `low`; its role is primary for the overall and component for the rest."""


def effects_of(
    settings: Sequence[Setting], factors: Sequence[Factor], keys: Sequence[Key], suite: Suite, *, seed: int
) -> dict[str, dict[str, Effect]]:
    """Factor -> metric -> effect, for every numeric factor."""
    numeric = [factor for factor in factors if factor.numeric]
    named = [(factor, key) for factor in numeric for key in keys]
    pairs = [paired_change(settings, factor, factors, key, suite) for factor, key in named]
    flips = sign_flip([totals(each) for each in pairs], seed)
    family = max(1, sum(1 for _, key in named if key[1] != suite.overall))
    rows = []
    for (_, key), each, flip in zip(named, pairs, flips, strict=True):
        primary = key[1] == suite.overall
        level = ALPHA / len(numeric) if primary else ALPHA / family
        rows.append(describe(key, each, flip, "primary" if primary else "component", level))
    found: dict[str, dict[str, Effect]] = {factor.name: {} for factor in numeric}
    for (factor, key), row in zip(named, _call(rows), strict=True):
        found[factor.name][key[1]] = Effect(
            metric=key[1],
            factor=factor.name,
            low=factor.rising[0],
            high=factor.rising[-1],
            correlation=correlation(settings, factor, key, seed=seed),
            change=row,
        )
    return found


def paired_change(
    settings: Sequence[Setting], factor: Factor, factors: Sequence[Factor], key: Key, suite: Suite
) -> list[ScenarioPair]:
    """Scenario by scenario: every setting at the factor's highest value against its counterpart at the lowest."""
    rising = factor.rising
    others = [other.name for other in factors if other is not factor]
    low, high = (
        {repr([each.values[name] for name in others]): each for each in settings if each.values[factor.name] == end}
        for end in (rising[0], rising[-1])
    )
    counterparts = [name for name in low if name in high]
    grids = [[side[name].run.grids(key) for name in counterparts] for side in (low, high)]
    worst, best = suite.scale(key[0])
    return [
        pair_up(
            Place(scenario.id, scenario.cluster, scenario.category),
            _join([grid[scenario.id] for grid in grids[0]]),
            _join([grid[scenario.id] for grid in grids[1]]),
            worst,
            best,
        )
        for scenario in settings[0].run.scenarios
    ]


def _join(grids: Sequence[Grid]) -> Grid:
    """One scenario's values in several runs, as if they were further repeats of one."""
    return Grid([value for grid in grids for value in grid.values], grids[0].turns)


def correlation(settings: Sequence[Setting], factor: Factor, key: Key, *, seed: int) -> Figure:
    """Spearman's between the factor's value and the metric, over all scored exchanges."""
    points = [
        (float(setting.values[factor.name]), value, span.cluster)
        for setting in settings
        for span in setting.run.plan.spans
        for value in setting.run.columns[key][span.start : span.stop]
        if is_value(value)
    ]
    levels, scores = [level for level, _, _ in points], [score for _, score, _ in points]
    return spearman_figure(levels, scores, [cluster for _, _, cluster in points], seed=seed)


def _call(rows: Sequence[MetricDifference]) -> list[MetricDifference]:
    """The rows with Holm's p-values within the two families, and what each test says."""
    overalls, others = (
        correct([row.estimate.p if row.role == role else None for row in rows]) for role in ("primary", "component")
    )
    return call_corrected(rows, [b if a is None else a for a, b in zip(overalls, others, strict=True)])
