"""The no-regression gate: a candidate passes when it is shown not to be worse than its baseline by a margin.

Not "no difference was found": that would pass whatever is measured badly. The lower end of the 90% interval, or of
what the missing pairs leave open when that lies further down, must clear minus the margin, for the overall and for
every component (a non-inferiority test at 5% each; since all must pass, nothing needs correction).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from pydantic import ConfigDict, Field

from evaluation.comparison.compare import Comparison
from evaluation.comparison.differences import MetricDifference
from evaluation.comparison.runs import RunScores
from evaluation.decision.gate import Limits, limit_faults
from evaluation.records import Source
from evaluation.suites.suite import ROUNDING, Suite
from evaluation.text import numbers
from evaluation.text.forms import Form, SourceText

DEFAULT = "default"
"""Stands among the margins for every metric that has none of its own."""
USUAL_MARGIN = 0.05

Share: TypeAlias = Annotated[float, Field(strict=True, ge=0, le=1)]


class RegressionRules(Form):
    """The rules of the gate, as evaluation/gates/no_regression.yaml holds them; a file may leave out any of them.

    Margins are shares of the scale's width.
    """

    model_config = ConfigDict(strict=False)

    gate: Literal["no_regression"] = "no_regression"
    margins: Mapping[str, Share] = {}
    min_coverage: Share = 0.98
    min_clusters: Annotated[int, Field(strict=True, ge=2)] = 10
    min_overall: Annotated[float, Field(strict=True, allow_inf_nan=False)] | None = None
    max_failure_rate: Share = 0.02
    max_fallback_rate: Share = 0.05

    def margin(self, metric: str) -> float:
        """The share by which this metric may be worse."""
        return self.margins.get(metric, self.margins.get(DEFAULT, USUAL_MARGIN))

    @property
    def limits(self) -> Limits:
        """Of the candidate."""
        return Limits(self.min_overall, self.max_failure_rate, self.max_fallback_rate)


def parse_regression_rules(text: str, place: str) -> RegressionRules:
    """Reads the rules; `place` names the file in errors.

    Raises ParseError for text that is no YAML, an unknown key, and a number that is none or out of range.
    """
    return SourceText(text, place).read(RegressionRules, f"one of {', '.join(RegressionRules.model_fields)}")


@dataclass(frozen=True, slots=True)
class Check:
    """One metric held against its margin."""

    metric: str
    source: Source
    difference: float | None
    low: float | None
    """Lower end: of the 90% interval, or of the bounds with missing pairs when these lie lower."""
    margin: float
    """In the units of the metric."""
    passed: bool


@dataclass(frozen=True, slots=True)
class RegressionResult:
    """Passed or not; at least one reason either way."""

    passed: bool
    reasons: tuple[str, ...]
    checks: tuple[Check, ...] = ()
    gate: Literal["no_regression"] = "no_regression"


def no_regression(comparison: Comparison, suite: Suite, rules: RegressionRules) -> RegressionResult:
    """Holds a comparison with the baseline (its base) against the rules. Never passes on missing data."""
    checks = tuple(_checks(comparison, suite, rules))
    faults = [*unusable(comparison, suite, rules), *(_fault(check) for check in checks if not check.passed)]
    if faults:
        return RegressionResult(False, tuple(faults), checks)
    shown = f"no metric of {comparison.candidate.name} is worse than in {comparison.base.name} by more than its margin"
    return RegressionResult(True, (f"{shown}, down to the lower ends of the 90% intervals",), checks)


def unusable(comparison: Comparison, suite: Suite, rules: RegressionRules) -> Iterable[str]:
    """Why no gate may pass whatever the differences are: other terms, missing data, too few situations."""
    yield from _terms_faults(comparison)
    yield from _run_faults(comparison.base, "baseline", Limits(None, rules.max_failure_rate, rules.max_fallback_rate))
    yield from _run_faults(comparison.candidate, "candidate", rules.limits)
    yield from _data_faults(comparison, suite, rules)


def refuse(reason: str) -> RegressionResult:
    """The gate's answer where the runs may not be compared, or no baseline exists."""
    return RegressionResult(False, (reason,))


def _checks(comparison: Comparison, suite: Suite, rules: RegressionRules) -> Iterable[Check]:
    primary = comparison.primary
    for row in (*((primary,) if primary is not None else ()), *comparison.components):
        low, high = suite.scale(row.source)
        margin = rules.margin(row.metric) * (high - low)
        end = lower_end(row)
        passed = not row.planned or (end is not None and end >= -margin - ROUNDING)
        yield Check(row.metric, row.source, row.estimate.difference, end, margin, passed)


def lower_end(row: MetricDifference) -> float | None:
    """The lowest difference that the 90% interval and the missing pairs leave open; None without an interval."""
    if row.estimate.ci90 is None:
        return None
    return row.estimate.ci90[0] if row.bounds is None else min(row.estimate.ci90[0], row.bounds[0])


def _fault(check: Check) -> str:
    name = f"{check.metric} ({check.source})"
    if check.low is None:
        return f"{name} has no interval to stand on"
    low, margin = numbers.beside(check.low, -check.margin)
    found = "worse" if (check.difference or 0.0) <= -check.margin else "borderline"
    return f"{found}: {name} may be lower by {low.lstrip('-')}, the margin is {margin.lstrip('-')}"


def _terms_faults(comparison: Comparison) -> Iterable[str]:
    if comparison.terms.refusal:
        yield f"the baseline is not comparable: {comparison.terms.refusal}"
    elif comparison.forced:
        yield "the baseline is not comparable: other scores decide in it"


def _run_faults(run: RunScores, who: str, limits: Limits) -> Iterable[str]:
    if not run.summary.counts.planned:
        yield f"{who} {run.name}: nothing was planned"
        return
    yield from limit_faults(run.summary, limits, f"{who} {run.name}")


def _data_faults(comparison: Comparison, suite: Suite, rules: RegressionRules) -> Iterable[str]:
    primary = comparison.primary
    if primary is None or not primary.estimate.scenarios:
        yield f"there is no exchange with a {comparison.source} {comparison.overall} in both runs"
        return
    if primary.estimate.clusters < rules.min_clusters:
        yield f"too few scenarios: {primary.estimate.clusters} situations, at least {rules.min_clusters} are needed"
    for row in (primary, *comparison.components):
        if row.planned and row.paired / row.planned < rules.min_coverage - ROUNDING:
            yield (
                f"{row.metric} ({row.source}): {row.paired} of {row.planned} exchanges have a value in both runs "
                f"({numbers.percent(row.coverage)}), the floor is {numbers.percent(rules.min_coverage)}"
            )
    missing = _list_unmeasured(comparison, suite)
    if missing:
        yield f"no value in both runs: {', '.join(missing)}"
    if any(comparison.unpaired):
        before, after = comparison.unpaired
        yield f"scenarios of one run only: {before} of the baseline, {after} of the candidate"


def _list_unmeasured(comparison: Comparison, suite: Suite) -> Sequence[str]:
    """Metrics of the suite that are neither primary nor component, although they mean something somewhere."""
    seen = {row.metric for row in comparison.components} | {comparison.overall}
    return [
        metric
        for metric in dict.fromkeys((*suite.metrics_of(comparison.source), *suite.checks))
        if metric not in seen
        and any(metric in table and table[metric].planned for table in comparison.metrics.values())
    ]
