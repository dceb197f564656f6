"""The result of a grid of settings: metrics by setting, what the parameters move, the best; and all of it as data."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias

from evaluation.comparison.compare import MARGIN
from evaluation.comparison.differences import MetricDifference
from evaluation.comparison.document import row_json
from evaluation.comparison.ranking import RankedPair, Ranking, rank
from evaluation.comparison.runs import shared_keys
from evaluation.errors import UsageError
from evaluation.records import Json, Source
from evaluation.statistics.clusters import percentile, stdev
from evaluation.statistics.significance import SEED
from evaluation.suites.suite import Suite
from evaluation.summary.columns import Key, is_value
from evaluation.summary.metric import MetricSummary
from evaluation.sweep.effects import Effect, Factor, Setting, effects_of, factors_of
from evaluation.sweep.expected import Expectations, RangeCheck, check_ranges
from evaluation.sweep.identical import Identical, identical_answers, no_effect

Outcome: TypeAlias = Literal["best", "leaders", "equivalent", "no_effect", "untested"]

SATURATED = 0.25
"""Share of the values at one end of the scale from which on a metric is called saturated there."""
DOMINANT = 0.5
"""Share of one value inside the scale from which on it is named."""
NARROW = 0.05
"""Of the scale's width: a middle half, or a standard deviation, below this is called narrow."""
FEW_VALUES = 8
"""A metric with at most so many different values is coarse, if there are several times as many values."""
ENOUGH = 30
"""Values below which nothing is called anything."""
DECIMALS = 9
"""To which values are the same."""


@dataclass(frozen=True, slots=True)
class Best:
    """The answer on one metric, as far as the data give one."""

    metric: str
    outcome: Outcome
    """best: one is better than every other. leaders: some are worse, and those that lead are not shown to differ.
    equivalent: all lie within the margin of one another. no_effect: no difference was found, which proves nothing.
    untested: too few situations, or no common data."""
    leaders: tuple[str, ...]
    """Names of the settings that no other is shown to be better than, highest first."""
    runner_up: str | None
    """The setting behind the highest."""
    lead: MetricDifference | None
    """The highest minus the runner-up."""
    detectable: float | None
    """The difference that would be found between any two settings, with 80% power; None where nothing is known."""
    overturnable: bool
    """True where missing values could change which setting is best."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """The values of one metric over all settings together."""

    metric: str
    n: int
    distinct: int
    at_low: float
    """Share of the values at the lowest end of the scale."""
    at_high: float
    stdev: float | None
    middle: tuple[float, float] | None
    """First and third quartile."""
    findings: tuple[str, ...]
    """All that stands out, in words; empty where the values spread."""


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
    effects: Mapping[str, Mapping[str, Effect]]
    """Factor -> metric -> effect, of the numeric factors."""
    checks: tuple[RangeCheck, ...]
    """Every expectation that speaks of one of the settings."""
    expectations: Expectations | None
    distributions: Mapping[str, Distribution]
    identical: tuple[Identical, ...]
    """For each factor."""
    margin: float
    """Largest difference that does not matter, in the units of the scale."""

    @property
    def rehearsal(self) -> bool:
        return any(setting.run.spec.rehearsed for setting in self.settings)

    def cell(self, metric: str, setting: Setting) -> MetricSummary | None:
        """One metric under one setting."""
        return setting.run.summary.metric(self.source, metric)


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
        checks=() if expectations is None else tuple(check_ranges(expectations, named, means)),
        expectations=expectations,
        distributions={key[1]: distribution(key[1], _values(settings, key), low, high) for key in keys},
        identical=tuple(identical_answers(settings, factor, factors) for factor in factors),
        margin=margin * (high - low),
    )


def _values(settings: Sequence[Setting], key: Key) -> list[float]:
    return [value for setting in settings for value in setting.run.columns[key] if is_value(value)]


def best_of(ranking: Ranking) -> Best:
    """Reads a ranking of at least two settings."""
    lead = ranking.pair(0, 1)
    known = [pair.row.detectable for pair in ranking.pairs if pair.row.detectable is not None]
    apart = [pair for pair in ranking.pairs if pair.verdict in ("better", "worse")]
    return Best(
        metric=ranking.overall,
        outcome=_outcome(ranking, apart),
        leaders=tuple(ranking.runs[place].name for place in ranking.unbeaten()),
        runner_up=ranking.runs[1].name,
        lead=None if lead.no_data else lead.row,
        detectable=max(known, default=None),
        overturnable=any(pair.overturnable for pair in apart),
    )


def _outcome(ranking: Ranking, apart: list[RankedPair]) -> Outcome:
    if any(pair.verdict is None for pair in ranking.pairs):
        return "untested"
    if not apart:
        return "equivalent" if all(pair.verdict == "equivalent" for pair in ranking.pairs) else "no_effect"
    return "best" if ranking.best() is not None else "leaders"


def distribution(metric: str, values: Sequence[float], low: float, high: float) -> Distribution:
    """Describes the values of a metric on the scale from `low` to `high`."""
    if not values:
        return Distribution(metric, 0, 0, 0.0, 0.0, None, None, ())
    ordered = sorted(round(value, DECIMALS) for value in values)
    counts = Counter(ordered)
    quartiles = (percentile(ordered, 0.25), percentile(ordered, 0.75))
    at_low, at_high = (counts[round(end, DECIMALS)] / len(ordered) for end in (low, high))
    found = Distribution(metric, len(ordered), len(counts), at_low, at_high, stdev(ordered), quartiles, ())
    return found if found.n < ENOUGH else replace(found, findings=tuple(_findings(found, counts, low, high)))


def _findings(found: Distribution, counts: Counter[float], low: float, high: float) -> list[str]:
    """All that stands out."""
    width = high - low
    findings = [
        f"{share:.0%} of the values are {end:g}, the {name} end of the scale"
        for share, end, name in ((found.at_low, low, "low"), (found.at_high, high, "high"))
        if share >= SATURATED
    ]
    value, times = counts.most_common(1)[0]
    if times / found.n >= DOMINANT and value not in (low, high):
        findings.append(f"{times / found.n:.0%} of the values are {value:g}")
    if found.distinct <= FEW_VALUES:
        findings.append("only one value" if found.distinct == 1 else f"only {found.distinct} different values")
    if found.middle is not None and found.middle[1] - found.middle[0] < NARROW * width and not findings:
        findings.append(f"the middle half lies between {found.middle[0]:.2f} and {found.middle[1]:.2f}")
    if found.stdev is not None and found.stdev < NARROW * width and not findings:
        findings.append(f"the standard deviation is {found.stdev:.3f}")
    return findings


SCHEMA_VERSION = 1
FIGURES = ("n", "planned", "clusters", "mean", "ci95_low", "ci95_high", "stdev", "min", "p10", "p50", "max")


def sweep_document(sweep: Sweep, group_id: str, notes: Sequence[str] = ()) -> dict[str, Json]:
    """sweep.json."""
    return {
        "schema_version": SCHEMA_VERSION,
        "group_id": group_id,
        "suite": sweep.suite,
        "source": sweep.source,
        "overall": sweep.overall,
        "no_effect": no_effect(sweep.identical) or None,
        "identical": [found.to_json() for found in sweep.identical],
        "rehearsal": sweep.rehearsal,
        "margin": sweep.margin,
        "factors": [{"name": factor.name, "values": list(factor.values)} for factor in sweep.factors],
        "settings": [
            {
                "name": setting.name,
                "run_id": setting.run.run_id,
                "values": dict(setting.values),
                "counts": setting.run.summary.to_json()["counts"],
                "cost_usd": setting.run.summary.cost_usd,
                "metrics": {
                    metric: found.to_json()
                    for metric in sweep.metrics
                    if (found := sweep.cell(metric, setting)) is not None
                },
            }
            for setting in sweep.settings
        ],
        "best": {metric: _best(best) for metric, best in sweep.best.items()},
        "effects": [_effect(effect) for effects in sweep.effects.values() for effect in effects.values()],
        "expected": [asdict(check) for check in sweep.checks],
        "distributions": {metric: asdict(found) for metric, found in sweep.distributions.items()},
        "notes": list(notes),
    }


def _best(best: Best) -> dict[str, Json]:
    return {
        "outcome": best.outcome,
        "leaders": list(best.leaders),
        "runner_up": best.runner_up,
        "lead": None if best.lead is None else row_json(best.lead),
        "detectable": best.detectable,
        "overturnable": best.overturnable,
    }


def _effect(effect: Effect) -> dict[str, Json]:
    return {
        "metric": effect.metric,
        "factor": effect.factor,
        "low": effect.low,
        "high": effect.high,
        "spearman": effect.correlation.value,
        "spearman_ci95": None if effect.correlation.ci95 is None else list(effect.correlation.ci95),
        "change": row_json(effect.change),
    }


def sweep_rows(sweep: Sweep) -> tuple[tuple[str, ...], list[Mapping[str, Any]]]:
    """Columns and rows of sweep.csv: one row for each setting and metric. Null stands for what is not known."""
    factors = tuple(f"setting.{factor.name}" for factor in sweep.factors)
    statements = tuple(dict.fromkeys(check.statement for check in sweep.checks))
    expected = tuple(f"{statement}: {what}" for statement in statements for what in ("low", "high", "mean is"))
    checks = {(check.statement, check.metric, check.setting): check for check in sweep.checks}
    cells = [(setting, metric, sweep.cell(metric, setting)) for setting in sweep.settings for metric in sweep.metrics]
    rows: list[Mapping[str, Any]] = []
    for setting, metric, found in cells:
        if found is None:
            continue
        ends = found.estimate.ci95 or (None, None)
        row: dict[str, Any] = {"setting": setting.name, "run_id": setting.run.run_id, "metric": metric}
        row |= {f"setting.{name}": value for name, value in setting.values.items()}
        row |= {name: getattr(found.estimate, name, None) for name in FIGURES}
        row |= {"planned": found.planned, "ci95_low": ends[0], "ci95_high": ends[1]}
        for statement in statements:
            check = checks.get((statement, metric, setting.name))
            if check is not None:
                row |= {f"{statement}: low": check.expected[0], f"{statement}: high": check.expected[1]}
                row[f"{statement}: mean is"] = check.where
        rows.append(row)
    return ("setting", "run_id", *factors, "metric", *FIGURES, *expected), rows
