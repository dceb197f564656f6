"""A baseline that another judge scored, carried over to the judge of today with an interval.

The new judge scores a random sample of the baseline's own stored exchanges: whole situations, drawn with equal
probability. Its scores take the part of people's labels, those of the old judge of all exchanges that of the machine
(`statistics.prediction`), on the differences to the other run, so that what makes a scenario hard cancels out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation.comparison.compare import Comparison, verdict_of
from evaluation.comparison.differences import MetricDifference, call_rows
from evaluation.comparison.runs import RunScores
from evaluation.decision.decide import JUDGED
from evaluation.records import Scenario, Source
from evaluation.runspec import digest
from evaluation.statistics.paired import PairedEstimate
from evaluation.statistics.power import detectable
from evaluation.statistics.prediction import CorrectedMean, Response, corrected_mean
from evaluation.statistics.student_t import critical, upper_tail
from evaluation.summary.columns import Key, is_value
from evaluation.text import numbers

LEAST_EXCHANGES = 60
LEAST_SITUATIONS = 20


@dataclass(frozen=True, slots=True)
class Bridge:
    """The new judge's scores of a part of a baseline's exchanges."""

    scores: RunScores
    """Of the sampled scenarios."""
    situations: int
    """Of the whole baseline."""

    @property
    def sampled(self) -> int:
        """Situations that were scored."""
        return len({scenario.cluster for scenario in self.scores.scenarios})

    @property
    def probability(self) -> float:
        """Of each situation to be in the sample."""
        return self.sampled / self.situations

    def line(self, before: RunScores) -> str:
        """What was done, for people."""
        old, new = (run.spec.judge for run in (before, self.scores))
        judged = "" if old is None or new is None else f" by {new.model} in the place of {old.model}"
        exchanges = numbers.times(self.scores.plan.size, "exchange")
        return (
            f"the baseline is carried over to another judge: {exchanges} of it in {self.sampled} of "
            f"{numbers.times(self.situations, 'situation')} were judged again{judged}, as {self.scores.run_id}; "
            "differences of judged scores rest on these, and intervals are wider"
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
        judged_by=other.judged_by,
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
    primary = metrics.get(found.source, {}).get(found.overall)
    verdict = None if primary is None or found.verdict is None else verdict_of(primary, found.margin)
    judged = found.source in JUDGED
    return replace(
        found,
        metrics=metrics,
        verdict=verdict if judged else found.verdict,
        categories=() if judged else found.categories,
        worst=() if judged else found.worst,
    )


def _bridged(row: MetricDifference, base: RunScores, other: RunScores, bridge: Bridge) -> MetricDifference:
    found = corrected_mean(bridge_responses((row.source, row.metric), base, other, bridge), None)
    estimate = _estimate(found, row.estimate)
    size = None if estimate.se is None else detectable(estimate.se, estimate.clusters, row.level)
    return replace(row, estimate=estimate, detectable=size, components=None, need=None, bound=None)


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


def _estimate(found: CorrectedMean | None, before: PairedEstimate) -> PairedEstimate:
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
