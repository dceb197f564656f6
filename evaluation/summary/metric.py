"""One metric of a run in figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from evaluation.records import Json, Source
from evaluation.records.fields import fields_of
from evaluation.statistics.clusters import Scale, effective_number
from evaluation.statistics.scenario_scores import Estimate, ScenarioScores, bounds, estimate_scenarios


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One metric under one source."""

    estimate: Estimate
    planned: int
    """Planned exchanges on which the metric means something: the denominator of the coverage."""
    not_applicable: int
    bounds: tuple[float, float] | None
    """The mean if all missing values were the worst, or the best, of the scale. None when nothing is applicable."""
    effective_n: float | None = None
    """As many scenarios of equal weight would say as much; None where all count alike."""

    @property
    def coverage(self) -> float | None:
        """Share of the applicable planned exchanges that have a value."""
        return self.estimate.n / self.planned if self.planned else None

    def to_json(self) -> dict[str, Json]:
        return {
            **fields_of(self.estimate),
            "coverage": self.coverage,
            "bounds": self.bounds,
            "planned": self.planned,
            "not_applicable": self.not_applicable,
            **({} if self.effective_n is None else {"effective_n": self.effective_n}),
        }


MetricTable: TypeAlias = Mapping[Source, Mapping[str, MetricSummary]]
"""Source -> metric -> summary, both in the order of SOURCES and of the suite."""


def table_json(table: MetricTable) -> dict[str, Json]:
    """A table as summary.json has it."""
    return {
        source: {metric: summary.to_json() for metric, summary in metrics.items()} for source, metrics in table.items()
    }


def summarise_metric(scenarios: Sequence[ScenarioScores], scale: Scale | None, *, share: bool = False) -> MetricSummary:
    """One metric under one source, from the scores of its scenarios."""
    found = estimate_scenarios(scenarios, scale, share=share)
    missing = sum(scenario.missing for scenario in scenarios)
    not_applicable = sum(scenario.not_applicable for scenario in scenarios)
    return MetricSummary(found, found.n + missing, not_applicable, bounds(scenarios), _effective(scenarios))


def _effective(scenarios: Sequence[ScenarioScores]) -> float | None:
    if not scenarios or scenarios[0].sample is None:
        return None
    return effective_number(each.sample.weight for each in scenarios if each.sample and each.mean is not None)
