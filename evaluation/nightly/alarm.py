"""The one rule by which a night raises an alarm, and what keeps a night from being measured at all.

A metric is called lower when three things hold at once:

- both tests of the comparison find it lower at 0.5%: the overall by itself, its components together after Holm;
- the difference reaches the metric's margin in the rules of the no-regression gate: it is large enough to matter;
- the difference exceeds the night's noise floor, where that was measured.

The overall is called falsely in at most 0.25% of unchanged nights and the components together in at most another 0.25%:
the tests are two-sided, and an alarm looks at one side. That is 0.15 false alarms in 30 nights on average at most; the
other two conditions make them rarer. All nights share their baseline, so that false alarms come together, in the few
months whose baseline was lucky.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from evaluation.comparison.compare import Comparison
from evaluation.comparison.differences import LEAST_CLUSTERS, MetricDifference
from evaluation.comparison.gate import unusable
from evaluation.comparison.rules import RegressionRules
from evaluation.nightly.noise import LEVEL, noise_floor
from evaluation.records import Json, Source
from evaluation.statistics.power import detectable
from evaluation.suites.suite import Suite
from evaluation.summary.summary import ROUNDING


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

    def to_json(self) -> dict[str, Json]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class NightGate:
    """The answer of a night: passed, or why not."""

    passed: bool
    measured: bool
    """False where missing data alone keep the gate shut."""
    reasons: tuple[str, ...]
    """Why no answer can be given; empty where the checks answer."""
    checks: tuple[AlarmCheck, ...]

    @property
    def raised(self) -> tuple[AlarmCheck, ...]:
        return tuple(check for check in self.checks if check.raised)

    def to_json(self) -> dict[str, Json]:
        return {"gate": "nightly", **asdict(self)}


def night_gate(comparison: Comparison, repeat: Comparison | None, suite: Suite, rules: RegressionRules) -> NightGate:
    """Holds production (the candidate) against its baseline (the base). Never passes on missing data.

    `repeat` is the night's A/A comparison; None where none was made.
    """
    faults = tuple(unusable(comparison, suite, rules))
    checks = tuple(alarm_checks(comparison, repeat, suite, rules))
    raised = any(check.raised for check in checks)
    return NightGate(not faults and not raised, not faults, faults, checks)


def alarm_checks(
    comparison: Comparison, repeat: Comparison | None, suite: Suite, rules: RegressionRules
) -> Iterable[AlarmCheck]:
    """The overall first, then its components."""
    primary = comparison.primary
    for row in (*((primary,) if primary is not None else ()), *comparison.components):
        low, high = suite.scale(row.source)
        yield _check(row, noise_floor(row, repeat), rules.margin(row.metric) * (high - low))


def _check(row: MetricDifference, floor: float | None, margin: float) -> AlarmCheck:
    found = row.estimate
    p = row.p_adjusted if row.role == "component" else found.p
    tested = p is not None and found.clusters >= LEAST_CLUSTERS
    surely = tested and p is not None and p <= LEVEL
    drop = -(found.difference or 0.0)
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
        raised=surely and drop >= margin - ROUNDING and drop > (floor or 0.0),
    )
