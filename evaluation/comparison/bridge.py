"""A baseline that another judge scored, carried over to the judge of today with an interval.

The new judge scores a random sample of the baseline's own stored exchanges: whole situations, drawn with equal
probability. Its scores take the part of people's labels, those of the old judge of all exchanges that of the machine
(`statistics.prediction`), on the differences to the other run, so that what makes a scenario hard cancels out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation.comparison.carried import LEAST_SITUATIONS, CarriedOver, Instead, name_judges
from evaluation.comparison.compare import Comparison, reasons_for, verdict_of
from evaluation.comparison.differences import MetricDifference, call_rows
from evaluation.comparison.judges import unfit_judges
from evaluation.comparison.runs import RunScores
from evaluation.decision.decide import JUDGED
from evaluation.records import Scenario, Source
from evaluation.runspec import digest
from evaluation.statistics.paired import PairedEstimate
from evaluation.statistics.power import detectable
from evaluation.statistics.prediction import CorrectedMean, Response, corrected_mean
from evaluation.statistics.student_t import critical, upper_tail
from evaluation.summary.columns import Key, is_value


@dataclass(frozen=True, slots=True)
class Bridge:
    """The new judge's scores of a part of a baseline's exchanges."""

    scores: RunScores
    """Of the sampled scenarios."""
    situations: int
    """Of the whole baseline."""
    instead: Instead | None = None
    """What it takes to need none, where somebody can be asked for it."""

    @property
    def sampled(self) -> int:
        """Situations that were scored."""
        return len({scenario.cluster for scenario in self.scores.scenarios})

    @property
    def probability(self) -> float:
        """Of each situation to be in the sample."""
        return self.sampled / self.situations

    def carried(self, base: RunScores, found: CorrectedMean | None = None) -> CarriedOver:
        """What it rests on; `found` is the difference of the primary metric through it, where there is one."""
        before, now = name_judges(base.spec.judge, self.scores.spec.judge)
        return CarriedOver(
            run_id=self.scores.run_id,
            base_run_id=base.run_id,
            before=before,
            now=now,
            exchanges=self.scores.plan.size,
            situations=self.sampled,
            of_situations=self.situations,
            valued=0 if found is None else found.labels,
            valued_situations=0 if found is None else found.clusters,
            instead=self.instead,
        )


def sampled_scenarios(scenarios: Sequence[Scenario], repeats: int, run_id: str, least: int) -> tuple[str, ...]:
    """Ids of the scenarios to be judged again: whole situations in an order that follows from the run's id.

    As many as it takes for `least` exchanges in `LEAST_SITUATIONS` situations, or all there are; in plan order.
    """
    sizes: dict[str, int] = {}
    for scenario in scenarios:
        sizes[scenario.cluster] = sizes.get(scenario.cluster, 0) + repeats * len(scenario.turns)
    chosen: set[str] = set()
    exchanges = 0
    for cluster in sorted(sizes, key=lambda name: digest(["bridge", run_id, name])):
        if exchanges >= least and len(chosen) >= LEAST_SITUATIONS:
            break
        chosen.add(cluster)
        exchanges += sizes[cluster]
    return tuple(scenario.id for scenario in scenarios if scenario.cluster in chosen)


def under_the_new_judge(base: RunScores, other: RunScores) -> RunScores:
    """The base as if the judge of the other run had scored it: for the terms of a comparison, whose judged rows
    `bridge_comparison` then replaces. How fit the old judge was does not matter any more.
    """
    return replace(
        base,
        spec=replace(base.spec, judge=other.spec.judge),
        judged_by=(),
        judge_fit=other.judge_fit,
        judge_problem=other.judge_problem,
        judge_variance=None,
        items=None,
        conversations=None,
    )


def bridge_comparison(found: Comparison, base: RunScores, other: RunScores, bridge: Bridge) -> Comparison:
    """The comparison with its judged differences estimated through the bridge.

    What rests on single scenarios is left out: their judged differences are those of two judges.
    """
    rows = [
        _bridged(row, base, other, bridge) if row.source in JUDGED else row
        for table in found.metrics.values()
        for row in table.values()
    ]
    metrics: dict[Source, dict[str, MetricDifference]] = {}
    for row in call_rows(rows):
        metrics.setdefault(row.source, {})[row.metric] = row
    carried = bridge.carried(base, _through(bridge, (found.source, found.overall), base, other))
    own = replace(found.base, spec=base.spec)
    if found.source not in JUDGED:
        return replace(found, base=own, metrics=metrics, carried=carried)
    primary = metrics.get(found.source, {}).get(found.overall)
    barred = primary is None or found.verdict is None or carried.lacking
    verdict = None if primary is None or barred else verdict_of(primary, found.margin)
    unfit = unfit_judges((found.base, found.candidate), found.source)
    lacking = (carried.lacking,) if carried.lacking else ()
    return replace(
        found,
        base=own,
        metrics=metrics,
        verdict=verdict,
        reasons=(*unfit, *lacking, *reasons_for(primary, verdict, found.margin)),
        categories=(),
        worst=(),
        carried=carried,
    )


def _bridged(row: MetricDifference, base: RunScores, other: RunScores, bridge: Bridge) -> MetricDifference:
    estimate = bridged_estimate(_through(bridge, (row.source, row.metric), base, other), row.estimate)
    size = None if estimate.se is None else detectable(estimate.se, estimate.clusters, row.level)
    return replace(row, estimate=estimate, detectable=size, components=None, need=None, bound=None)


def _through(bridge: Bridge, key: Key, base: RunScores, other: RunScores) -> CorrectedMean | None:
    return corrected_mean(bridge_responses(key, base, other, bridge), None)


def bridge_responses(key: Key, base: RunScores, other: RunScores, bridge: Bridge) -> Iterator[Response]:
    """The differences other - base by the old judge, and where there is one by the new."""
    again = _by_place(bridge.scores, key)
    before, now = _by_place(base, key), _by_place(other, key)
    clusters = {scenario.id: scenario.cluster for scenario in base.scenarios}
    for place, value in before.items():
        if place in now:
            scenario_id, repeat, turn = place
            judged = now[place] - again[place] if place in again else None
            yield Response(
                clusters[scenario_id], scenario_id, repeat, turn, now[place] - value, judged, bridge.probability
            )


def _by_place(run: RunScores, key: Key) -> Mapping[tuple[str, int, int], float]:
    """(scenario, repeat, turn) -> value, where there is one."""
    column = run.columns.get(key, ())
    found = {}
    for scenario, span in zip(run.scenarios, run.plan.spans, strict=True):
        for slot, value in enumerate(column[span.start : span.stop]):
            if is_value(value):
                found[(scenario.id, *divmod(slot, span.turns))] = value
    return found


def bridged_estimate(found: CorrectedMean | None, before: PairedEstimate) -> PairedEstimate:
    """The paired estimate of a bridged difference. It is tested by t alone: there are no pairs to flip."""
    if found is None or before.mean_b is None:
        return PairedEstimate(0, 0, None, None, None, None, None, None, None, 0, 0, 0, None, None, False)
    mean = found.corrected
    p = None if mean.se is None else _p_of(mean.mean, mean.se, found.clusters)
    reach = None if mean.se is None else critical(0.9, found.clusters - 1) * mean.se
    return PairedEstimate(
        scenarios=before.scenarios,
        clusters=found.clusters,
        mean_a=before.mean_b - mean.mean,
        mean_b=before.mean_b,
        difference=mean.mean,
        se=mean.se,
        ci95=mean.ci95,
        ci90=None if reach is None else (mean.mean - reach, mean.mean + reach),
        effect=None,
        wins=0,
        ties=0,
        losses=0,
        p_t=p,
        p_sign_flip=p,
        exact=False,
    )


def _p_of(mean: float, se: float, clusters: int) -> float:
    if se == 0:
        return 1.0 if mean == 0 else 0.0
    return 2 * upper_tail(abs(mean) / se, clusters - 1)
