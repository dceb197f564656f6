"""The summary of a run: what the results say per metric and source, and how much of the plan they cover."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TypeAlias

from evaluation.records import Json, Result, Scenario, Source
from evaluation.runspec import PromptPin
from evaluation.statistics.clusters import Estimate, ScenarioScores, bounds, estimate_scenarios
from evaluation.statistics.plan import Plan
from evaluation.suites.suite import Suite
from evaluation.summary.columns import Columns, Fallback
from evaluation.summary.tally import NO_TOKENS, Counts, FailedChecks, FailureKind, Tally, Tokens, WeakExchange

SCHEMA_VERSION = 1
DECIDING: tuple[Source, ...] = ("combined", "heuristic", "judge", "check", "human")
"""The first of these that a run has decides; without a combined score, rules decide before a judge on its scale."""
ROUNDING = 1e-9
"""A mean this far below a bound clears it: sums of decimals do not land on decimals."""


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One metric under one source."""

    estimate: Estimate
    planned: int
    """Planned exchanges on which the metric means something: the denominator of the coverage."""
    not_applicable: int
    bounds: tuple[float, float] | None
    """The mean if all missing values were the worst, or the best, of the scale. None when nothing is applicable."""

    @property
    def coverage(self) -> float | None:
        """Share of the applicable planned exchanges that have a value."""
        return self.estimate.n / self.planned if self.planned else None

    def to_json(self) -> dict[str, Json]:
        return {
            **asdict(self.estimate),
            "coverage": self.coverage,
            "bounds": self.bounds,
            "planned": self.planned,
            "not_applicable": self.not_applicable,
        }


MetricTable: TypeAlias = Mapping[Source, Mapping[str, MetricSummary]]
"""Source -> metric -> summary, both in the order of SOURCES and of the suite."""


@dataclass(frozen=True, slots=True)
class Summary:
    """All that the reports, the decision and the gate know of a run."""

    run_id: str
    suite: str
    prompt: PromptPin | None
    source: Source
    """The one that decides."""
    overall: str
    """Name of the overall metric."""
    counts: Counts
    metrics: MetricTable
    by_category: Mapping[str, MetricTable]
    quality_level: str | None
    """Of the mean overall of the deciding source; None without one."""
    generation: Tokens
    judge: Tokens
    cost_usd: float | None
    """None when the price of any answered call is unknown."""
    wall_seconds: float | None
    finish_reasons: Mapping[str, int]
    """Of the answered exchanges, most frequent first: stop, length, content_filter, refusal, ..."""
    cached_replies: int
    cached_verdicts: int
    fallbacks: int
    """Verdicts that could not be read."""
    judge_fallback: Fallback
    """Says whether the rubric's stand-in for an unread verdict is part of the means."""
    injections: int
    """Responses that the judge's reader suspects of addressing the judge."""
    failures: tuple[FailureKind, ...]
    weakest: tuple[WeakExchange, ...]
    """Lowest overall first."""
    measures: Mapping[str, MetricSummary] = field(default_factory=dict)
    """Figures on scales of their own, for information; without bounds."""
    checks: Tokens = NO_TOKENS
    """Tokens of the calls that check the judge: its format, and exchanges of known quality."""
    moderation: Tokens = NO_TOKENS
    failed_checks: tuple[FailedChecks, ...] = ()
    """Exchanges on which a check failed, in plan order; none where nothing is checked."""
    checked: int = 0
    """Exchanges on which at least one check applied."""

    def deciding(self) -> MetricSummary | None:
        """The overall of the deciding source."""
        return self.metrics.get(self.source, {}).get(self.overall)

    def spent(self) -> tuple[Tokens, ...]:
        """Of everything that was asked."""
        return (self.generation, self.judge, self.checks, self.moderation)

    def to_json(
        self,
        *,
        decision: Mapping[str, Json] | None = None,
        langfuse: Mapping[str, Json] | None = None,
        canaries: Mapping[str, Json] | None = None,
    ) -> dict[str, Json]:
        """The content of summary.json; `decision` as a Decision gives it, None without a verdict.

        `canaries` is how the judge did on exchanges of known quality; None where it was not asked.
        """
        return {
            "schema_version": SCHEMA_VERSION,
            "run_id": self.run_id,
            "suite": self.suite,
            "prompt": None if self.prompt is None else asdict(self.prompt),
            "counts": asdict(self.counts),
            "metrics": _table_json(self.metrics),
            "measures": {name: measure.to_json() for name, measure in self.measures.items()},
            "by_category": {category: _table_json(table) for category, table in self.by_category.items()},
            "quality_level": self.quality_level,
            "decision": None if decision is None else dict(decision),
            "usage": {
                "input_tokens": sum(part.input_tokens for part in self.spent()),
                "output_tokens": sum(part.output_tokens for part in self.spent()),
                "generation": asdict(self.generation),
                "judge": asdict(self.judge),
                "checks": asdict(self.checks),
                "moderation": asdict(self.moderation),
            },
            "cost_usd": self.cost_usd,
            "wall_seconds": self.wall_seconds,
            "langfuse": None if langfuse is None else dict(langfuse),
            "source": self.source,
            "finish_reasons": dict(self.finish_reasons),
            "cached": {"replies": self.cached_replies, "verdicts": self.cached_verdicts},
            "fallbacks": {"count": self.fallbacks, "in_means": self.judge_fallback == "include"},
            "injections_suspected": self.injections,
            "canaries": None if canaries is None else dict(canaries),
            "failures": [asdict(failure) for failure in self.failures],
            "weakest": [_weak_json(weak) for weak in self.weakest],
            "failed_checks": [
                {name: value for name, value in asdict(failed).items() if name != "user_input"}
                for failed in self.failed_checks
            ],
            "checked": self.checked,
        }


def summarise(
    results: Iterable[Result],
    *,
    suite: Suite,
    scenarios: Sequence[Scenario],
    repeats: int,
    run_id: str,
    prompt: PromptPin | None,
    sources: Sequence[Source],
    judge_fallback: Fallback = "exclude",
    weakest: int = 5,
    wall_seconds: float | None = None,
) -> Summary:
    """Summarises a run in one pass over its results, which may come in any order.

    `scenarios` and `repeats` are the plan: what has no result counts as skipped and lowers the coverage. `sources` are
    those that the run planned for (heuristic, judge, combined; heuristic alone without a judge): they are shown, with
    no coverage, even when no value came of them.
    Raises JournalError for a result that is not in the plan or comes twice.
    """
    source = deciding_source(sources)
    plan = Plan(scenarios, repeats)
    columns = Columns(plan, suite, sources, source, judge_fallback)
    tally = Tally(weakest, suite.overall)
    for result in results:
        slot = plan.slot(result.exchange)
        tally.add(result, slot, columns.add(result, slot))
    metrics, by_category = _tables(columns, plan)
    overall = metrics.get(source, {}).get(suite.overall)
    return Summary(
        run_id=run_id,
        suite=suite.name,
        prompt=prompt,
        source=source,
        overall=suite.overall,
        counts=tally.counts(plan.size),
        metrics=metrics,
        by_category=by_category,
        quality_level=quality_level(suite, None if overall is None else overall.estimate.mean),
        generation=tally.generation.tokens(),
        judge=tally.judge.tokens(),
        cost_usd=tally.cost_usd(),
        wall_seconds=wall_seconds,
        finish_reasons=dict(sorted(tally.finish_reasons.items(), key=lambda item: (-item[1], item[0]))),
        cached_replies=tally.cached_replies,
        cached_verdicts=tally.cached_verdicts,
        fallbacks=tally.fallbacks,
        judge_fallback=judge_fallback,
        injections=tally.injections,
        failures=tally.failures(),
        weakest=tally.weakest(),
        failed_checks=tally.failed_checks(),
        checked=tally.checked,
        measures={name: replace(metric_summary(found, "measure"), bounds=None) for name, found in columns.measured()},
    )


def deciding_source(sources: Iterable[Source]) -> Source:
    """The one of a run's sources that decides: combined when there is a judge to combine with, else the rules."""
    planned = set(sources)
    return next((source for source in DECIDING if source in planned), "heuristic")


def quality_level(suite: Suite, mean: float | None) -> str | None:
    """The name of the level that a mean overall reaches; None without a mean or without levels."""
    if mean is None:
        return None
    return next((level.name for level in suite.levels if mean >= level.at_least - ROUNDING), None)


def _tables(columns: Columns, plan: Plan) -> tuple[MetricTable, dict[str, MetricTable]]:
    """The table of the whole run and that of each category, built one column at a time to keep the memory bounded."""
    places = plan.by_category()
    whole: dict[Source, dict[str, MetricSummary]] = {}
    parts: dict[str, dict[Source, dict[str, MetricSummary]]] = {category: {} for category in places}
    for source, metric, scenarios in columns.scored():
        whole.setdefault(source, {})[metric] = metric_summary(scenarios, source)
        for category, positions in places.items():
            part = metric_summary([scenarios[position] for position in positions], source)
            parts[category].setdefault(source, {})[metric] = part
        del scenarios  # before those of the next column are made
    return whole, dict(parts)


def metric_summary(scenarios: Sequence[ScenarioScores], source: Source) -> MetricSummary:
    """One metric under one source, from the scores of its scenarios."""
    found = estimate_scenarios(scenarios, share=source == "check")
    missing = sum(scenario.missing for scenario in scenarios)
    not_applicable = sum(scenario.not_applicable for scenario in scenarios)
    return MetricSummary(found, found.n + missing, not_applicable, bounds(scenarios))


def _table_json(table: MetricTable) -> dict[str, Json]:
    return {
        source: {metric: summary.to_json() for metric, summary in metrics.items()} for source, metrics in table.items()
    }


def _weak_json(weak: WeakExchange) -> dict[str, Json]:
    exchange = weak.result.exchange
    cell = exchange.cell
    return {"scenario_id": cell.scenario_id, "repeat": cell.repeat, "turn": exchange.turn, "value": weak.value}
