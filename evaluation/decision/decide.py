"""May this version go live? The rubric's decision rule on the means, how far the answer holds, and why."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from evaluation.decision.case import Bar, Choice, case_of
from evaluation.decision.reasons import FEW_CLUSTERS, reasons_for
from evaluation.records import Json, Source
from evaluation.rubrics.rubric import DecisionRule
from evaluation.suites.suite import Suite
from evaluation.summary.summarise import Summary, quality_level
from evaluation.text import numbers

__all__ = ["FEW_CLUSTERS", "Choice", "Decision", "SourceChoice", "decide"]


@dataclass(frozen=True, slots=True)
class SourceChoice:
    """The decision of one source alone."""

    verdict: Choice | None
    overall: float | None
    floors_from: tuple[Source, ...]
    """The sources of the other metrics' means; more than itself where it has no value for some."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The verdict on a run and its reasons; without a verdict, the reasons say why there is none."""

    verdict: Choice | None
    stable: bool
    """True when all means at their lower ends, and all at their upper ends, give the same verdict."""
    reasons: tuple[str, ...]
    source: Source
    strict: bool
    """True when the lower ends of the intervals had to clear, not the means."""
    areas: tuple[str, ...]
    """Metrics to improve, lowest first; none when the verdict is deploy."""
    lower: Choice | None
    """The verdict with all means at their lower ends; None without an interval for each."""
    upper: Choice | None
    quality_level: str | None
    by_source: Mapping[Source, SourceChoice]
    floors: Mapping[str, Source]
    """Metric -> the source whose mean was held against the floor."""

    def to_json(self) -> dict[str, Json]:
        return asdict(self)

    def in_summary(self) -> dict[str, Json] | None:
        """The entry of summary.json: nothing without a verdict."""
        return None if self.verdict is None else self.to_json()


def decide(summary: Summary, suite: Suite, *, source: Source | None = None, strict: bool = False) -> Decision:
    """Applies the suite's rule to the means of one source: the summary's deciding one unless another is named.

    Deploy from the rule's `deploy` on and A/B test from `ab_test` on, both only while no other metric averages below
    `floor`; else needs revision. A metric for which the source has no value is taken from the rules. There is no
    verdict where the suite has no rule or nothing was scored.
    """
    chosen = source or summary.source
    if suite.decision is None:
        return _none(summary, chosen, strict, f"suite {suite.name} has no decision rule", {})
    by_source = {name: _source_choice(summary, suite, suite.decision, name, strict) for name in summary.metrics}
    case = case_of(summary, suite, suite.decision, chosen)
    verdict = None if case is None else case.verdict(strict)
    if case is None or verdict is None:
        return _none(summary, chosen, strict, _why_nothing(summary, suite, chosen), by_source)
    lower, upper = case.at(Bar.low), case.at(Bar.high)
    return Decision(
        verdict=verdict,
        stable=verdict == lower == upper,
        reasons=tuple(reasons_for(case, summary, verdict, lower, upper, strict)),
        source=chosen,
        strict=strict,
        areas=() if verdict == "deploy" else case.areas(),
        lower=lower,
        upper=upper,
        quality_level=quality_level(suite, case.overall.mean()),
        by_source=by_source,
        floors={bar.metric: bar.source for bar in case.others},
    )


def _source_choice(summary: Summary, suite: Suite, rule: DecisionRule, source: Source, strict: bool) -> SourceChoice:
    case = case_of(summary, suite, rule, source)
    if case is None:
        return SourceChoice(None, None, ())
    floors_from: tuple[Source, ...] = tuple(dict.fromkeys(bar.source for bar in case.others))
    return SourceChoice(case.verdict(strict), case.overall.mean(), floors_from)


def _none(
    summary: Summary, source: Source, strict: bool, reason: str, by_source: Mapping[Source, SourceChoice]
) -> Decision:
    level = summary.quality_level if source == summary.source else None
    return Decision(None, False, (reason,), source, strict, (), None, None, level, by_source, {})


def _why_nothing(summary: Summary, suite: Suite, source: Source) -> str:
    counts = summary.counts
    return (
        f"no verdict: not one of {numbers.times(counts.planned, 'planned exchange')} has a {source} {suite.overall} "
        f"({counts.failed} failed, {counts.unparsed} unparsed, {counts.skipped} skipped)"
    )
