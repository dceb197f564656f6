"""The one rule by which a night raises an alarm, and what keeps a night from being measured at all.

A metric is called lower when three things hold at once:

- both tests of the comparison find it lower at 0.5%: the overall by itself, its components together after Holm;
- the difference reaches the metric's margin in the rules of the no-regression gate: it is large enough to matter;
- the difference exceeds the night's noise floor, where that was measured.

The overall is called falsely in at most 0.25% of unchanged nights and the components together in at most another 0.25%:
the tests are two-sided, and an alarm looks at one side. That is 0.15 false alarms in 30 nights on average at most; the
other two conditions make them rarer. All nights share their baseline, so that false alarms come together, in the few
months whose baseline was lucky.

The noise floor says how far apart two evaluations of one prompt lie tonight, with nothing changed between them. Some
situations are played a second time with another seed (an A/A comparison). Its clustered standard error, scaled to
the situations of the whole comparison, times the t quantile of its own degrees of freedom, is the largest difference
that repetition alone explains in 95 of 100 cases. Where the A/A comparison itself is called, at the level of an alarm,
something moves within the night, and its own difference is the floor if that is larger.

A critical expectation raises it too, before any mean: one that held in the baseline and fails tonight, in more than
half of its repeats and, where a judge answers, confirmed. What a rule or a person shows needs neither a judge nor ten
situations; what a judge alone shows needs a night that was measured.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from evaluation.comparison.compare import Comparison
from evaluation.comparison.differences import LEAST_CLUSTERS, MetricDifference
from evaluation.comparison.gate import RegressionRules, unusable
from evaluation.comparison.items import ItemChange
from evaluation.decision.decide import too_few
from evaluation.records import Json, Scenario, Source
from evaluation.runspec import digest
from evaluation.statistics.power import detectable
from evaluation.statistics.student_t import critical
from evaluation.suites.suite import ROUNDING, Suite
from evaluation.summary.columns import Key

CONFIDENCE = 0.95
LEVEL = 0.005
"""Of the tests on which an alarm rests."""
SHARE = 0.25
"""Of the scenarios that are played twice, unless another share is asked for."""
LEAST = 20
"""Scenarios that are played twice at least, where there are so many."""


@dataclass(frozen=True, slots=True)
class AlarmCheck:
    """One metric tonight, held against the rule. Figures in the units of the metric."""

    metric: str
    source: Source
    before: float | None
    """Mean of the baseline, over the exchanges that both have."""
    tonight: float | None
    difference: float | None
    ci95: tuple[float, float] | None
    p: float | None
    """By which it is called: of components after Holm."""
    margin: float
    floor: float | None
    """The night's noise floor; None where it was not measured."""
    detectable: float | None
    """The drop that a night like this one finds in 80 of 100 cases, by the tests alone."""
    surely: bool
    """True where both tests find it different, either way."""
    raised: bool
    """True where it is lower by the whole rule."""


@dataclass(frozen=True, slots=True)
class NightGate:
    """The answer of a night: passed, or why not."""

    passed: bool
    measured: bool
    """False where missing data alone keep the gate shut."""
    reasons: tuple[str, ...]
    """Why no answer can be given; empty where the checks answer."""
    checks: tuple[AlarmCheck, ...]
    critical: int = 0
    """Critical expectations that both runs have."""
    lost: tuple[ItemChange, ...] = ()
    """Of these, what held in the baseline and fails tonight."""

    @property
    def raised(self) -> tuple[AlarmCheck, ...]:
        return tuple(check for check in self.checks if check.raised)

    @property
    def certain(self) -> bool:
        """True where a rule or a person shows that a critical expectation was lost."""
        return any(change.certain for change in self.lost)

    @property
    def alarmed(self) -> bool:
        """True where the night ends with an alarm."""
        return self.certain or (self.measured and bool(self.raised or self.lost))

    def to_json(self) -> dict[str, Json]:
        return {
            "gate": "nightly",
            "passed": self.passed,
            "measured": self.measured,
            "reasons": self.reasons,
            "checks": [asdict(check) for check in self.checks],
            "critical": self.critical,
            "lost": [change.to_json() for change in self.lost],
        }


def night_gate(comparison: Comparison, repeat: Comparison | None, suite: Suite, rules: RegressionRules) -> NightGate:
    """Holds production (the candidate) against its baseline (the base). Never passes on missing data.

    `repeat` is the night's A/A comparison; None where none was made.
    """
    primary = comparison.primary
    # Nothing is tested there, so that nothing could be found lower, whatever the rules allow.
    few = 0 if primary is None else primary.estimate.clusters
    small = (too_few(few),) if 0 < few < LEAST_CLUSTERS else ()
    faults = tuple(dict.fromkeys((*unusable(comparison, suite, rules), *small)))
    checks = tuple(alarm_checks(comparison, repeat, suite, rules))
    items = comparison.items
    lost = () if items is None else items.lost_critical
    passed = not faults and not lost and not any(check.raised for check in checks)
    return NightGate(passed, not faults, faults, checks, 0 if items is None else items.critical, lost)


def alarm_checks(
    comparison: Comparison, repeat: Comparison | None, suite: Suite, rules: RegressionRules
) -> Iterable[AlarmCheck]:
    """The overall first, then its components."""
    primary = comparison.primary
    for row in (*((primary,) if primary is not None else ()), *comparison.components):
        low, high = suite.scale(row.source)
        yield _check(row, noise_floor(row, repeat), rules.margin(row.metric, row.source) * (high - low))


def _check(row: MetricDifference, floor: float | None, margin: float) -> AlarmCheck:
    found = row.estimate
    p = row.p_adjusted if row.role == "component" else found.p
    tested = p is not None and found.clusters >= LEAST_CLUSTERS
    surely = tested and p is not None and p <= LEVEL
    return AlarmCheck(
        metric=row.metric,
        source=row.source,
        before=found.mean_a,
        tonight=found.mean_b,
        difference=found.difference,
        ci95=found.ci95,
        p=p,
        margin=margin,
        floor=floor,
        detectable=None if found.se is None else detectable(found.se, found.clusters, LEVEL),
        surely=surely,
        raised=surely and falls_far(found.difference, margin, floor),
    )


def falls_far(difference: float | None, margin: float, floor: float | None = None) -> bool:
    """True where a metric fell by its margin, and by more than the noise floor where that was measured."""
    drop = -(difference or 0.0)
    return drop >= margin - ROUNDING and drop > (floor or 0.0)


def repeated_scenarios(scenarios: Sequence[Scenario], date: str, share: float = SHARE) -> tuple[str, ...]:
    """Ids of the scenarios to play twice: whole situations, chosen by the date alone, in the order of the plan.

    At least `LEAST` and at least `share` (0..1) of them, or all there are.
    """
    wanted = min(len(scenarios), max(LEAST, math.ceil(share * len(scenarios))))
    sizes = Counter(scenario.cluster for scenario in scenarios)
    chosen: set[str] = set()
    count = 0
    for cluster in sorted(sizes, key=lambda name: digest([date, name])):
        if count >= wanted:
            break
        chosen.add(cluster)
        count += sizes[cluster]
    return tuple(scenario.id for scenario in scenarios if scenario.cluster in chosen)


def repeat_seed(seed: int, date: str) -> int:
    """The seed of the second playing: never the first one's."""
    drawn = int(digest(["repeat", date])[:8], 16) & 0x7FFFFFFF
    return drawn if drawn != seed else drawn + 1


def noise_floor(row: MetricDifference, repeat: Comparison | None) -> float | None:
    """The smallest difference of this metric that is more than noise tonight, in its units.

    None where it was not measured: no A/A comparison, or fewer than two situations in it.
    """
    found = None if repeat is None else _row(repeat, (row.source, row.metric))
    if found is None or found.estimate.se is None or not row.estimate.clusters:
        return None
    estimate = found.estimate
    assert estimate.se is not None
    scale = math.sqrt(estimate.clusters / row.estimate.clusters)
    floor = critical(CONFIDENCE, estimate.clusters - 1) * estimate.se * scale
    return max(floor, abs(estimate.difference or 0.0)) if _is_called(found) else floor


def unsteady(repeat: Comparison) -> bool:
    """True where the same prompt, played twice tonight, differs by more than chance."""
    return repeat.primary is not None and _is_called(repeat.primary)


def _is_called(row: MetricDifference) -> bool:
    return row.estimate.p is not None and row.estimate.p <= LEVEL


def _row(comparison: Comparison, key: Key) -> MetricDifference | None:
    return comparison.metrics.get(key[0], {}).get(key[1])
