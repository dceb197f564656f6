"""The no-regression gate: a candidate passes when it is shown not to be worse than its baseline by a margin.

Not "no difference was found": that would pass whatever is measured badly. For the overall and for every component the
lower end of the bound (`statistics.bound`), with each missing value at its worst, must clear minus the margin: a
non-inferiority test at 5% each. All must pass, so that nothing needs correction.

Checks are held one by one and as a whole. As a whole the mean of all that apply to an exchange stands in the place of
their overall, the share of exchanges on which every check passed: to that, the chance failures of all checks add up. A
component that means something in too few situations to show its margin, even were none worse, is held over all
situations, counted as unchanged in the others.

Critical expectations come before all of that: one that the base held and the candidate fails shuts the gate, and so
does one of which nobody can tell any more.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from pydantic import ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from evaluation.comparison.bounds import CHECK_FALL, SCORE_FALL
from evaluation.comparison.compare import Comparison
from evaluation.comparison.differences import ALL_CHECKS, MetricDifference
from evaluation.comparison.items import fault_of_not_asked, item_faults
from evaluation.comparison.judges import judge_faults
from evaluation.comparison.runs import RunScores
from evaluation.decision.critical import new_check_faults
from evaluation.decision.decide import too_few
from evaluation.decision.gate import Limits, limit_faults
from evaluation.records import Source
from evaluation.statistics.bound import situations_needed
from evaluation.suites.suite import ROUNDING, Suite
from evaluation.text import numbers
from evaluation.text.forms import Form, SourceText
from evaluation.text.names import in_words

DEFAULT = "default"
"""Stands among the margins for every metric that has none of its own."""
EACH_CHECK = "each_check"
"""Stands there for every check that has none of its own, and ALL_CHECKS for the mean of those that apply."""
CHECKS, SCORES = "checks", "scores"
"""Stand among the largest falls for the checks, and for the scores, that have none of their own."""
USUAL_MARGIN = 0.05
USUAL_EACH_CHECK = 0.10

Share: TypeAlias = Annotated[float, Field(strict=True, ge=0, le=1)]


class RegressionRules(Form):
    """The rules of the gate, as evaluation/gates/no_regression.yaml holds them; a file may leave out any of them.

    Margins and largest falls are shares of the scale's width. A margin lies below the largest fall of its metric:
    otherwise any candidate would pass.
    """

    model_config = ConfigDict(strict=False)

    gate: Literal["no_regression"] = "no_regression"
    margins: Mapping[str, Share] = {}
    largest_fall: Mapping[str, Annotated[float, Field(strict=True, gt=0, le=1)]] = {
        CHECKS: CHECK_FALL,
        SCORES: SCORE_FALL,
    }
    min_coverage: Share = 0.98
    min_clusters: Annotated[int, Field(strict=True, ge=2)] = 10
    min_overall: Annotated[float, Field(strict=True, allow_inf_nan=False)] | None = None
    max_failure_rate: Share = 0.02
    max_fallback_rate: Share = 0.05

    @model_validator(mode="after")
    def _leaves_room_below_the_margins(self) -> "RegressionRules":
        for name, margin in self.margins.items():
            kind: Source = "check" if name in (EACH_CHECK, ALL_CHECKS) else "heuristic"
            if margin >= (largest := self.fall(name, kind)):
                raise PydanticCustomError(
                    "margin",
                    "margins.{name} {margin} is not below largest_fall {fall}: lower it, or set largest_fall.{name}",
                    {"name": name, "margin": f"{margin:g}", "fall": f"{largest:g}"},
                )
        return self

    def margin(self, metric: str, source: Source = "heuristic") -> float:
        """The share by which this metric may be worse."""
        if metric in self.margins:
            return self.margins[metric]
        if source == "check" and metric != ALL_CHECKS:
            usual = self.margins.get(DEFAULT, USUAL_EACH_CHECK)
            return self.margins.get(EACH_CHECK, usual)
        return self.margins.get(DEFAULT, USUAL_MARGIN)

    def fall(self, metric: str, source: Source) -> float:
        """The share by which this metric is taken to fall in a situation at most: an assumption."""
        if metric in self.largest_fall:
            return self.largest_fall[metric]
        if source == "check":
            return self.largest_fall.get(CHECKS, CHECK_FALL)
        return self.largest_fall.get(SCORES, SCORE_FALL)

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
    """One metric held against its margin. Figures in the units of the metric."""

    metric: str
    source: Source
    difference: float | None
    low: float | None
    """Lower end of the bound with every missing value at its worst."""
    margin: float
    passed: bool
    largest_fall: float | None = None
    """Of a situation, as the bound takes it."""
    fall_seen: float | None = None
    """The largest one, where it exceeds what was assumed: the bound then takes the whole scale."""
    situations: int = 0
    """In which the metric was measured in both runs."""
    needed: int | None = None
    """Situations that would show the margin without any fall; None where no number can: the margin is 0."""
    among_all: bool = False
    """True for a component that means something in fewer: held over all, counted as unchanged in the others."""


@dataclass(frozen=True, slots=True)
class RegressionResult:
    """Passed or not; at least one reason either way."""

    passed: bool
    reasons: tuple[str, ...]
    checks: tuple[Check, ...] = ()
    gate: Literal["no_regression"] = "no_regression"
    assumptions: tuple[str, ...] = ()
    """The statements on which the bounds rest, one sentence each."""
    critical: tuple[str, ...] = ()
    """Those of the reasons that name critical expectations."""


def no_regression(comparison: Comparison, suite: Suite, rules: RegressionRules) -> RegressionResult:
    """Holds a comparison with the baseline (its base) against the rules. Never passes on missing data."""
    checks = tuple(_checks(comparison, suite, rules))
    base, candidate = comparison.base, comparison.candidate
    critical = (
        *item_faults(comparison.items, base.name),
        *new_check_faults(base.summary, candidate.summary),
        *fault_of_not_asked(base.items, candidate.scenarios, candidate.items, base.name),
    )
    faults = [
        *critical,
        *unusable(comparison, suite, rules),
        *_check_faults(comparison, [check for check in checks if not check.passed]),
    ]
    shown = f"no metric of {comparison.candidate.name} is worse than in {comparison.base.name} by more than its margin"
    reasons = tuple(faults) or (f"{shown}, down to the lower bounds at 5%",)
    return RegressionResult(not faults, reasons, checks, assumptions=tuple(_assumptions(checks)), critical=critical)


def unusable(comparison: Comparison, suite: Suite, rules: RegressionRules) -> Iterable[str]:
    """Why no gate may pass whatever the differences are: other terms, missing data, too few situations."""
    yield from _terms_faults(comparison)
    yield from judge_faults((comparison.base, comparison.candidate))
    yield from _run_faults(comparison.base, "baseline", Limits(None, rules.max_failure_rate, rules.max_fallback_rate))
    yield from _run_faults(comparison.candidate, "candidate", rules.limits)
    yield from _data_faults(comparison, suite, rules)


def refuse(reason: str) -> RegressionResult:
    """The gate's answer where the runs may not be compared, or no baseline exists."""
    return RegressionResult(False, (reason,))


def held_rows(comparison: Comparison) -> Sequence[MetricDifference]:
    """The differences that the gate holds: the primary first, or in the place of the checks' overall their mean."""
    primary, checks = comparison.primary, comparison.all_checks
    first = checks if comparison.source == "check" and checks is not None else primary
    rows = [first, *comparison.components, checks if first is not checks else None]
    return [row for row in rows if row is not None]


def _checks(comparison: Comparison, suite: Suite, rules: RegressionRules) -> Iterable[Check]:
    for row in held_rows(comparison):
        low, high = suite.scale(row.source)
        yield _hold(row, rules.margin(row.metric, row.source) * (high - low))


def _hold(row: MetricDifference, margin: float) -> Check:
    bound, end = row.bound, lower_end(row)
    needed = None
    among_all = False
    if bound is not None and end is not None and 0 < margin < bound.largest_fall:
        needed = situations_needed(margin, bound.largest_fall)
        among_all = row.role != "primary" and bound.situations < needed and bound.among_all > end
        end = bound.among_all if among_all else end
    return Check(
        metric=row.metric,
        source=row.source,
        difference=row.estimate.difference,
        low=end,
        margin=margin,
        passed=not row.planned or (end is not None and end >= -margin - ROUNDING),
        largest_fall=None if bound is None else bound.largest_fall,
        fall_seen=None if bound is None else bound.fall_seen,
        situations=row.estimate.clusters,
        needed=needed,
        among_all=among_all,
    )


def lower_end(row: MetricDifference) -> float | None:
    """The lowest difference that the bound and the missing pairs leave open; None without a bound."""
    if row.bound is None:
        return None
    return row.bound.lowest if row.bounds is None else min(row.bound.lowest, row.bounds[0])


def _check_faults(comparison: Comparison, failed: Sequence[Check]) -> Iterable[str]:
    """A fault for each metric; one for all that lack a bound because another judge scored the base."""
    carried = comparison.carried
    unbounded = [check for check in failed if carried is not None and check.low is None]
    if carried is not None and unbounded:
        names = ", ".join(f"{in_words(check.metric)} ({check.source})" for check in unbounded)
        yield (
            f"{comparison.base.name} is carried over to another judge, and a bridge gives no bound to hold a margin "
            f"against, for {names}: have all of it judged by the new judge"
        )
    yield from (_fault(check) for check in failed if check not in unbounded)


def _fault(check: Check) -> str:
    name = f"{in_words(check.metric)} ({check.source})"
    if check.low is None:
        return f"{name} has no interval to stand on"
    low, margin = numbers.beside(check.low, -check.margin)
    found = "worse" if (check.difference or 0.0) <= -check.margin else "borderline"
    few = ""
    if check.needed is not None and check.situations < check.needed and not check.among_all:
        few = f"; it takes {check.needed} situations to show that without any fall, here are {check.situations}"
    return f"{found}: {name} may be lower by {low.lstrip('-')}, the margin is {margin.lstrip('-')}{few}"


def _assumptions(checks: Sequence[Check]) -> Iterable[str]:
    falls = list(dict.fromkeys(f"{check.largest_fall:g}" for check in checks if check.largest_fall is not None))
    if falls:
        yield f"the lower bounds assume that no situation falls by more than {' or '.join(falls)}, as the rules say"
    for check in checks:
        name = f"{in_words(check.metric)} ({check.source})"
        if check.fall_seen is not None:
            yield f"{name} fell by {check.fall_seen:.3g} in a situation, beyond that: its bound takes the whole scale"
        if check.among_all:
            yield f"{name} means something in {check.situations} situations: it is held over all, unchanged in the rest"


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
    if comparison.carried is not None and comparison.carried.lacking:
        yield comparison.carried.lacking
    primary = comparison.primary
    if primary is None or not primary.estimate.scenarios:
        yield f"there is no exchange with a {comparison.source} {in_words(comparison.overall)} in both runs"
        return
    if primary.estimate.clusters < rules.min_clusters:
        yield too_few(primary.estimate.clusters, rules.min_clusters)
    for row in (primary, *comparison.components):
        if row.planned and row.paired / row.planned < rules.min_coverage - ROUNDING:
            yield (
                f"{in_words(row.metric)} ({row.source}): {row.paired} of {row.planned} exchanges have a value in both "
                f"runs ({numbers.percent(row.coverage)}), the floor is {numbers.percent(rules.min_coverage)}"
            )
    missing = _list_unmeasured(comparison, suite)
    if missing:
        yield f"no value in both runs: {', '.join(map(in_words, missing))}"
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
