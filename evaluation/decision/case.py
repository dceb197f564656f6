"""The case that one source puts before the decision rule, and the rule's answer to it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evaluation.records import Source
from evaluation.rubrics.rubric import DecisionRule
from evaluation.suites.suite import Suite
from evaluation.summary.summarise import ROUNDING, MetricSummary, Summary

Choice: TypeAlias = Literal["deploy", "ab_test", "needs_revision"]

MOST_AREAS = 3
"""The number of metrics named as areas to improve, beyond those under their floor."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One mean that the rule looks at."""

    metric: str
    source: Source
    summary: MetricSummary

    def mean(self) -> float | None:
        return self.summary.estimate.mean

    def interval_low(self) -> float | None:
        """The lower end of the 95% interval alone: what a strict decision asks to clear."""
        ends = self.summary.estimate.ci95
        return None if ends is None else ends[0]

    def low(self) -> float | None:
        return self._end(0, min)

    def high(self) -> float | None:
        return self._end(1, max)

    def _end(self, side: Literal[0, 1], outer: Callable[..., float]) -> float | None:
        """An end of the interval, or of what the missing values leave open when that lies further out."""
        limits = self.summary.bounds
        if self.summary.estimate.n == 0:
            return None if limits is None else limits[side]
        if self.summary.estimate.ci95 is None:
            return None
        end = self.summary.estimate.ci95[side]
        return end if limits is None else outer(end, limits[side])


@dataclass(frozen=True, slots=True)
class Case:
    """The case that one source puts before the rule."""

    rule: DecisionRule
    overall: Bar
    others: tuple[Bar, ...]

    def by(self, value: Callable[[Bar], float | None]) -> Choice | None:
        """The verdict when each bar stands at `value`; None without an overall. No value, no breach."""
        overall = value(self.overall)
        if overall is None:
            return None
        values = [found for bar in self.others if (found := value(bar)) is not None]
        if any(found < self.rule.floor - ROUNDING for found in values) or overall < self.rule.ab_test - ROUNDING:
            return "needs_revision"
        return "deploy" if overall >= self.rule.deploy - ROUNDING else "ab_test"

    def verdict(self, strict: bool) -> Choice | None:
        """By the means; strict: by the lower ends, where a metric without an interval clears nothing."""
        if not strict or self.overall.mean() is None:
            return self.by(Bar.mean)
        if any(bar.interval_low() is None for bar in (self.overall, *self.measured())):
            return "needs_revision"
        return self.by(Bar.interval_low)

    def at(self, end: Callable[[Bar], float | None]) -> Choice | None:
        """The verdict at one end of every interval; None when one of them is missing."""
        if self.overall.mean() is None or any(end(bar) is None for bar in (self.overall, *self.measured())):
            return None
        return self.by(end)

    def breaches(self, value: Callable[[Bar], float | None]) -> list[Bar]:
        return [bar for bar in self.by_mean() if (found := value(bar)) is not None and found < self.floor()]

    def floor(self) -> float:
        return self.rule.floor - ROUNDING

    def areas(self) -> tuple[str, ...]:
        """The lowest metrics: those under the deploy bound, or the single lowest when none is."""
        ordered = self.by_mean()
        breached = len(self.breaches(Bar.mean))
        below = [bar for bar in ordered if (bar.mean() or 0.0) < self.rule.deploy - ROUNDING]
        return tuple(bar.metric for bar in (below or ordered[:1])[: max(breached, MOST_AREAS)])

    def measured(self) -> list[Bar]:
        return [bar for bar in self.others if bar.summary.planned]

    def by_mean(self) -> list[Bar]:
        """Bars with a mean, lowest first."""
        measured = [(bar.mean(), place, bar) for place, bar in enumerate(self.others)]
        return [bar for _, _, bar in sorted((mean, place, bar) for mean, place, bar in measured if mean is not None)]


def case_of(summary: Summary, suite: Suite, rule: DecisionRule, source: Source) -> Case | None:
    table = summary.metrics.get(source, {})
    rules = summary.metrics.get("heuristic", {})
    overall = table.get(suite.overall)
    if overall is None:
        return None
    others = []
    for metric in suite.metrics:
        own, fallback = table.get(metric), rules.get(metric)
        if metric == suite.overall:
            continue
        if own is not None and (own.estimate.n or fallback is None or not own.planned):
            others.append(Bar(metric, source, own))
        elif fallback is not None:
            others.append(Bar(metric, "heuristic", fallback))
    return Case(rule, Bar(suite.overall, source, overall), tuple(others))
