"""The paired differences of two runs, metric by metric, with their tests and their power."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from evaluation.comparison.bounds import Bounded, LargestFall, MeanBound, bound_pairs
from evaluation.comparison.runs import RunScores, shared_keys, shared_weights
from evaluation.records import Source
from evaluation.statistics.clusters import average
from evaluation.statistics.discordance import CheckDesign
from evaluation.statistics.paired import (
    PairedEstimate,
    Place,
    ScenarioPair,
    coverage,
    difference_bounds,
    estimate_pairs,
    pair_up,
    totals,
)
from evaluation.statistics.power import Components, clusters_needed, detectable, repeats_needed, split
from evaluation.statistics.scenario_scores import MISSING, NOT_APPLICABLE
from evaluation.statistics.significance import SignFlip, holm, sign_flip
from evaluation.suites.suite import Suite
from evaluation.summary.columns import Key
from evaluation.summary.weights import ScenarioWeights

Role: TypeAlias = Literal["primary", "component", "descriptive"]
Call: TypeAlias = Literal["higher", "lower", "unclear"]

ALPHA = 0.05
MOST_FALLS = 5
LEAST_CLUSTERS = 10
"""Below this many situations nothing is tested: intervals are rough and few sign patterns exist."""
ALL_CHECKS = "all_checks"
"""Name of the mean of all checks that apply to an exchange, in which a gate holds them as a whole."""
JUDGE_SHARE: Mapping[Source, float] = {"judge": 1.0, "combined": 0.5}
"""The share of a judge's score in a source's overall."""


@dataclass(frozen=True, slots=True)
class Inference:
    """What is asked of the differences of two runs, and what the answer assumes."""

    suite: Suite
    effect: float
    """The smallest difference that one wants to find, as a share of the scale's width."""
    largest_fall: LargestFall
    """What the bounds assume."""
    seed: int
    """Of the sign-flip draws."""


@dataclass(frozen=True, slots=True)
class Need:
    """The scenarios or repeats that it takes to detect `effect` at the level tested, everything else as it is."""

    effect: float
    """In the units of the metric."""
    scenarios: int | None
    """With the present repeats; None when it would be millions, or nothing is known."""
    repeats: int | None
    """With the present scenarios; None when no number of repeats can, or one repeat says nothing about it."""


@dataclass(frozen=True, slots=True)
class MetricDifference:
    """One metric under one source, candidate minus base."""

    metric: str
    source: Source
    role: Role
    """The primary and its components are tested; the rest describes."""
    estimate: PairedEstimate
    paired: int
    planned: int
    bounds: tuple[float, float] | None
    """Where the missing pairs could move the difference."""
    level: float
    """The level of `detectable`: 0.05, divided by the number of components for one of them."""
    detectable: float | None
    """Minimum detectable effect at 80% power; None without an interval, and where the scale has no room for it."""
    p_adjusted: float | None = None
    """By Holm over the components; None elsewhere."""
    call: Call | None = None
    """The answer of the test; None where nothing is tested."""
    components: Components | None = None
    """Of the metrics that are tested."""
    need: Need | None = None
    bound: MeanBound | None = None
    """Of the metrics that are tested, and of those that a gate holds."""

    @property
    def coverage(self) -> float | None:
        """Share of the applicable planned exchanges with a value in both runs."""
        return self.paired / self.planned if self.planned else None

    @property
    def noise(self) -> float | None:
        """Half of the 95% interval: an observed difference below it may be noise."""
        ends = self.estimate.ci95
        return None if ends is None else (ends[1] - ends[0]) / 2


Table: TypeAlias = Mapping[Source, Mapping[str, MetricDifference]]


@dataclass(frozen=True, slots=True)
class PairedColumns:
    """Two runs, scenario by scenario, under every metric that both have."""

    pairs: Mapping[Key, Sequence[ScenarioPair]]
    judge_variance: float | None
    """Of the judge's overall, in the difference of one repeat, both runs together; None with single samples."""


def pair_runs(
    a: RunScores,
    b: RunScores,
    suite: Suite,
    keys: Sequence[Key] | None = None,
    weights: ScenarioWeights | None = None,
) -> PairedColumns:
    """Pairs the scenarios that both runs planned, in the order of `a`; under `keys`, or under all shared columns.

    They count by `weights`, else by those that the runs share; those of weight 0 are left out.
    """
    theirs = b.scenario_ids
    weights = weights or shared_weights(a, b)
    places = [
        Place(
            scenario.id,
            scenario.cluster,
            scenario.category,
            None if weights is None else weights.of_scenario(scenario.id),
        )
        for scenario in a.scenarios
        if scenario.id in theirs
    ]
    places = [place for place in places if place.sample is None or place.sample.weight > 0]
    found = {}
    for key in shared_keys(a, b, suite) if keys is None else keys:
        low, high = suite.scale(key[0])
        before, after = a.grids(key), b.grids(key)
        found[key] = [
            pair_up(place, before[place.scenario_id], after[place.scenario_id], low, high) for place in places
        ]
    return PairedColumns(found, judge_variance(a, b))


def judge_variance(a: RunScores, b: RunScores) -> float | None:
    """The judge's variance in the difference of one repeat, averaged over scenarios; None unless known in both runs.

    Verdicts are independent, so that a cell of T turns has a T-th of a turn's variance.
    """
    parts = []
    for run in (a, b):
        if run.judge_variance is None:
            return None
        of_scenarios = []
        for span in run.plan.spans:
            known = [value for value in run.judge_variance[span.start : span.stop] if value < math.inf]
            if known:
                of_scenarios.append(average(known) / span.turns)
        parts.append(average(of_scenarios))
    return math.fsum(parts)


def roles_of(keys: Sequence[Key], suite: Suite, source: Source, pairs: PairedColumns) -> dict[Key, Role]:
    """The overall of the deciding source is primary; every other metric of the suite is a component, once.

    Under the deciding source where that has pairs, else under the heuristic: a judge that gives only an overall
    leaves the other metrics to the rules. Beside a judge each check is a component too.
    """
    roles: dict[Key, Role] = dict.fromkeys(keys, "descriptive")
    for check in suite.checks if source != "check" else ():
        key: Key | None = ("check", check)
        if check != suite.overall and key in roles and coverage(pairs.pairs[key])[0]:
            roles[key] = "component"
    for metric in suite.metrics_of(source):
        candidates: list[Key] = [(source, metric), ("heuristic", metric)]
        key = next((key for key in candidates if key in roles and coverage(pairs.pairs[key])[0]), None)
        if metric == suite.overall:
            if candidates[0] in roles:
                roles[candidates[0]] = "primary"
        elif key is not None:
            roles[key] = "component"
    return roles


def difference_table(paired: PairedColumns, source: Source, by: Inference) -> Table:
    """All metrics of two runs, tested and described; `source` decides."""
    suite, keys = by.suite, list(paired.pairs)
    roles = roles_of(keys, suite, source, paired)
    family = sum(1 for role in roles.values() if role == "component")
    flips = sign_flip([totals(pairs) for pairs in paired.pairs.values()], by.seed)
    rows = []
    for (key, pairs), flip in zip(paired.pairs.items(), flips, strict=True):
        level = ALPHA / family if roles[key] == "component" else ALPHA
        row = describe(key, pairs, flip, roles[key], level)
        if row.role != "descriptive":
            low, high = suite.scale(key[0])
            of_judge = judge_part(paired, key, suite)
            row = with_power(row, pairs, of_judge, by.effect * (high - low))
        rows.append(row)
    tested = [(row.source, row.metric) for row in rows if row.role != "descriptive"]
    bounds = dict(zip(tested, bounds_of({key: paired.pairs[key] for key in tested}, by), strict=True))
    rows = [replace(row, bound=bounds.get((row.source, row.metric))) for row in rows]
    table: dict[Source, dict[str, MetricDifference]] = {}
    for row in call_rows(rows):
        table.setdefault(row.source, {})[row.metric] = row
    return table


def describe(key: Key, pairs: Sequence[ScenarioPair], flip: SignFlip, role: Role, level: float) -> MetricDifference:
    """One row without a call."""
    found = estimate_pairs(pairs, flip)
    count, planned = coverage(pairs)
    return MetricDifference(
        metric=key[1],
        source=key[0],
        role=role,
        estimate=found,
        paired=count,
        planned=planned,
        bounds=difference_bounds(pairs),
        level=level,
        detectable=detectable_difference(key, pairs, found, level),
    )


def detectable_difference(key: Key, pairs: Sequence[ScenarioPair], found: PairedEstimate, level: float) -> float | None:
    """The minimum detectable effect; of checks, which are 0 or 1, the fall that their discordance lets one find."""
    if key[0] == "check" and key[1] != ALL_CHECKS:
        design = CheckDesign.of(pairs, found, called=found.p is not None and found.p <= level)
        return None if design is None else design.detectable(level)
    return None if found.se is None else detectable(found.se, found.clusters, level)


def bounds_of(columns: Mapping[Key, Sequence[ScenarioPair]], by: Inference) -> list[MeanBound | None]:
    """The bound of the mean difference of each metric, at ALPHA on either side."""
    metrics = []
    for (source, metric), pairs in columns.items():
        low, high = by.suite.scale(source)
        metrics.append(Bounded(pairs, high - low, by.largest_fall(metric, source)))
    return bound_pairs(metrics, ALPHA)


def checks_together(a: RunScores, b: RunScores, by: Inference) -> MetricDifference | None:
    """The mean of all checks that apply to an exchange, with its bound; None where the runs share no check."""
    key: Key = ("check", ALL_CHECKS)
    suite = by.suite
    keys: list[Key] = [("check", name) for name in suite.checks if name != suite.overall]
    shared = [each for each in keys if each in a.columns and each in b.columns]
    if not shared:
        return None
    runs = [
        replace(
            run,
            columns={key: [_mean_check(values) for values in zip(*map(run.columns.__getitem__, shared), strict=True)]},
        )
        for run in (a, b)
    ]
    pairs = pair_runs(runs[0], runs[1], suite, [key]).pairs[key]
    (flip,) = sign_flip([totals(pairs)], by.seed)
    (bound,) = bounds_of({key: pairs}, by)
    return replace(describe(key, pairs, flip, "descriptive", ALPHA), bound=bound)


def _mean_check(values: Sequence[float]) -> float:
    """Of the checks of one exchange that apply to it."""
    applied = [value for value in values if value != NOT_APPLICABLE]
    return average(applied) if applied and not any(map(math.isnan, applied)) else MISSING if applied else NOT_APPLICABLE


def judge_part(paired: PairedColumns, key: Key, suite: Suite) -> float | None:
    """The judge's variance in one column; 0 where no judge has a part in it."""
    share = JUDGE_SHARE.get(key[0], 0.0)
    if not share:
        return 0.0
    if key[1] != suite.overall or paired.judge_variance is None:
        return None
    return share**2 * paired.judge_variance


def with_power(
    row: MetricDifference, pairs: Sequence[ScenarioPair], of_judge: float | None, effect: float
) -> MetricDifference:
    """The row with its variance split and with what `effect` (in units of the metric) would take."""
    found = row.estimate
    parts = split(pairs, found.se, of_judge)
    if found.se is None:
        return replace(row, components=parts)
    repeats = None
    if row.source == "check":
        design = CheckDesign.of(pairs, found, called=found.p is not None and found.p <= row.level)
        clusters = None if design is None else design.clusters_needed(effect, least=LEAST_CLUSTERS, level=row.level)
    else:
        clusters = clusters_needed(effect, found.se, found.clusters, least=LEAST_CLUSTERS, level=row.level)
    if row.source != "check" and parts.fixed is not None and parts.per_repeat is not None:
        repeats = repeats_needed(effect, parts.fixed, parts.per_repeat, found.clusters, level=row.level)
    scenarios = None if clusters is None else math.ceil(clusters * found.scenarios / found.clusters)
    return replace(row, components=parts, need=Need(effect, scenarios, repeats))


def correct(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's p-values of one family, in the order given; None stays where nothing was tested."""
    adjusted = iter(holm([p for p in p_values if p is not None]))
    return [None if p is None else next(adjusted) for p in p_values]


def call_rows(rows: Sequence[MetricDifference]) -> list[MetricDifference]:
    """The rows with Holm's p-values for the components, and with the call of every test."""
    family = correct([row.estimate.p if row.role == "component" else None for row in rows])
    p_values = [row.estimate.p if adjusted is None else adjusted for row, adjusted in zip(rows, family, strict=True)]
    return [
        row if row.role == "descriptive" else replace(row, p_adjusted=adjusted, call=call_of(row.estimate, p))
        for row, adjusted, p in zip(rows, family, p_values, strict=True)
    ]


def call_corrected(rows: Sequence[MetricDifference], p_values: Sequence[float | None]) -> list[MetricDifference]:
    """The rows with p-values that were corrected for all of them, and what each test then says."""
    return [replace(row, p_adjusted=p, call=call_of(row.estimate, p)) for row, p in zip(rows, p_values, strict=True)]


def call_of(found: PairedEstimate, p: float | None, alpha: float = ALPHA) -> Call | None:
    """Higher or lower when p is at most alpha; None below `LEAST_CLUSTERS` situations."""
    if p is None or found.difference is None or found.clusters < LEAST_CLUSTERS:
        return None
    if p > alpha or found.difference == 0:
        return "unclear"
    return "higher" if found.difference > 0 else "lower"


@dataclass(frozen=True, slots=True)
class CategoryDifference:
    """One metric within one category: descriptive, whatever it shows."""

    category: str
    row: MetricDifference
    p_adjusted: float | None
    """By Holm over all cells of the table: only what passes is mentioned beside a verdict."""


def by_category(paired: PairedColumns, table: Table, seed: int) -> list[CategoryDifference]:
    """The tested metrics within each category, categories in plan order. Empty with fewer than two categories."""
    categories = dict.fromkeys(pair.place.category for pair in next(iter(paired.pairs.values()), ()))
    if len(categories) < 2:
        return []
    tested = [row for rows in table.values() for row in rows.values() if row.role != "descriptive"]
    keys: list[Key] = [(row.source, row.metric) for row in tested]
    cells = [
        (category, key, [pair for pair in paired.pairs[key] if pair.place.category == category])
        for category in categories
        for key in keys
    ]
    flips = sign_flip([totals(pairs) for _, _, pairs in cells], seed)
    rows = [
        (category, describe(key, pairs, flip, "descriptive", ALPHA))
        for (category, key, pairs), flip in zip(cells, flips, strict=True)
    ]
    family = correct([row.estimate.p for _, row in rows])
    return [CategoryDifference(category, row, p) for (category, row), p in zip(rows, family, strict=True)]


def worst_falls(pairs: Sequence[ScenarioPair]) -> tuple[ScenarioPair, ...]:
    """The scenarios that fell most, the deepest fall first: where to look."""
    fallen = [pair for pair in pairs if pair.difference is not None and pair.difference < 0]
    return tuple(sorted(fallen, key=lambda pair: pair.difference or 0.0)[:MOST_FALLS])
