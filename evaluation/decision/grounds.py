"""The means that a decision rule looks at: of one source, or of people's values, and the verdict that they give."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evaluation.records import Source
from evaluation.rubrics.rubric import DecisionRule
from evaluation.suites.suite import ROUNDING, Suite
from evaluation.summary.metric import MetricSummary
from evaluation.summary.summary import Summary

Choice: TypeAlias = Literal["deploy", "ab_test", "needs_revision", "held_back"]
"""held_back: critical expectations fail, so that the means decide nothing."""

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
class Grounds:
    """The means of one source that the rule looks at."""

    rule: DecisionRule
    overall: Bar
    others: tuple[Bar, ...]
    phrases: Mapping[str, tuple[str, ...]]
    """Metric -> phrases without which its rules cannot reach the floor."""

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
        if any(bar.interval_low() is None for bar in (self.overall, *self.applicable())):
            return "needs_revision"
        return self.by(Bar.interval_low)

    def at(self, end: Callable[[Bar], float | None]) -> Choice | None:
        """The verdict at one end of every interval; None when one of them is missing."""
        if self.overall.mean() is None or any(end(bar) is None for bar in (self.overall, *self.applicable())):
            return None
        return self.by(end)

    def breaches(self, value: Callable[[Bar], float | None]) -> list[tuple[Bar, float]]:
        """Bars whose `value` is below the floor, and that value; the lowest mean first."""
        known = [(bar, found) for bar in self.by_mean() if (found := value(bar)) is not None]
        return [(bar, found) for bar, found in known if found < self.rule.floor - ROUNDING]

    def areas(self) -> list[Bar]:
        """The lowest metrics: those under the deploy bound, or the single lowest when none is."""
        ordered = self.by_mean()
        below = [bar for bar in ordered if (bar.mean() or 0.0) < self.rule.deploy - ROUNDING]
        return (below or ordered[:1])[: max(len(self.breaches(Bar.mean)), MOST_AREAS)]

    def applicable(self) -> list[Bar]:
        return [bar for bar in self.others if bar.summary.planned]

    def by_mean(self) -> list[Bar]:
        """Bars with a mean, lowest first."""
        known = [(mean, bar) for bar in self.others if (mean := bar.mean()) is not None]
        return [bar for _, bar in sorted(known, key=lambda pair: pair[0])]


def grounds_of(summary: Summary, suite: Suite, rule: DecisionRule, source: Source) -> Grounds | None:
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
    return Grounds(rule, Bar(suite.overall, source, overall), tuple(others), suite.floor_phrases)


def grounds_of_people(summary: Summary, suite: Suite, rule: DecisionRule, of_tool: Grounds) -> Grounds | None:
    """The corrected means; None without one of the overall."""
    overall = summary.metric("human", suite.overall)
    if overall is None:
        return None
    others = []
    for bar in of_tool.others:
        own = summary.metric("human", bar.metric)
        others.append(bar if own is None else Bar(bar.metric, "human", own))
    return Grounds(rule, Bar(suite.overall, "human", overall), tuple(others), of_tool.phrases)
