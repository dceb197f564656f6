"""The result of a grid of settings: metrics by setting, how the parameters move them, and the best setting."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.comparison.compare import MARGIN
from evaluation.comparison.ranking import Ranking, rank
from evaluation.comparison.runs import shared_keys
from evaluation.errors import UsageError
from evaluation.records import Source
from evaluation.statistics.permutation import SEED
from evaluation.suites.suite import Suite
from evaluation.summary.columns import Key, is_value
from evaluation.summary.summary import MetricSummary
from evaluation.sweep.best import Best, best_of
from evaluation.sweep.distribution import Distribution, distribution
from evaluation.sweep.effects import Effect, effects_of
from evaluation.sweep.expected import Expectations, RangeCheck, check_ranges
from evaluation.sweep.setting import Factor, Setting, factors_of


@dataclass(frozen=True, slots=True)
class Sweep:
    """The whole result. Metrics are in the order of every table, the overall last."""

    suite: str
    source: Source
    overall: str
    metrics: tuple[str, ...]
    scale: tuple[float, float]
    factors: tuple[Factor, ...]
    settings: tuple[Setting, ...]
    """In the order in which they were asked for."""
    rankings: Mapping[str, Ranking]
    """Metric -> the settings from the highest to the lowest; the overall by itself, the rest as one family."""
    best: Mapping[str, Best]
    effects: tuple[Effect, ...]
    checks: tuple[RangeCheck, ...]
    """Every expectation that speaks of one of the settings."""
    expectations: Expectations | None
    distributions: Mapping[str, Distribution]
    margin: float
    """Largest difference that does not matter, in the units of the scale."""

    @property
    def rehearsal(self) -> bool:
        return any(setting.run.spec.rehearsed for setting in self.settings)

    def cell(self, metric: str, setting: Setting) -> MetricSummary | None:
        """One metric under one setting."""
        return setting.run.summary.metrics.get(self.source, {}).get(metric)


def analyse(
    settings: Sequence[Setting],
    *,
    suite: Suite,
    expectations: Expectations | None = None,
    margin: float = MARGIN,
    seed: int = SEED,
) -> Sweep:
    """Analyses at least two settings that differ in nothing but their factors; raises UsageError otherwise.

    `margin` is a share of the scale's width, `seed` is of the resamples and of the sign-flip draws.
    """
    if len(settings) < 2:
        raise UsageError(f"a sweep needs at least 2 settings, not {len(settings)}: vary something")
    runs = [setting.run for setting in settings]
    factors = factors_of(settings)
    source = runs[0].summary.source
    keys: list[Key] = [key for key in shared_keys(runs[0], runs[-1], suite) if key[0] == source]
    keys = [key for key in keys if all(key in run.columns for run in runs)]
    metrics = tuple(metric for _, metric in keys)
    by = tuple(factor.name for factor in factors)
    components = max(1, sum(1 for metric in metrics if metric != suite.overall))
    rankings = {
        metric: rank(
            runs,
            suite=suite,
            by=by,
            margin=margin,
            seed=seed,
            metric=metric,
            family=1 if metric == suite.overall else components,
        )
        for metric in metrics
    }
    low, high = suite.scale(source)
    means = {metric: {run.name: run.summary.metrics[source][metric].estimate for run in runs} for metric in metrics}
    named = [(run.name, run.spec.parameters) for run in runs]
    return Sweep(
        suite=suite.name,
        source=source,
        overall=suite.overall,
        metrics=metrics,
        scale=(low, high),
        factors=factors,
        settings=tuple(settings),
        rankings=rankings,
        best={metric: best_of(ranking) for metric, ranking in rankings.items()},
        effects=effects_of(settings, factors, keys, suite, seed=seed),
        checks=() if expectations is None else check_ranges(expectations, named, means),
        expectations=expectations,
        distributions={key[1]: distribution(key[1], _values(settings, key), low, high) for key in keys},
        margin=margin * (high - low),
    )


def _values(settings: Sequence[Setting], key: Key) -> list[float]:
    return [value for setting in settings for value in setting.run.columns[key] if is_value(value)]
