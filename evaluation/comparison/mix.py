"""Two runs under their users' mix: the same differences, each scenario counted by what it stands for."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from evaluation.comparison.bounds import MeanBound
from evaluation.comparison.differences import Inference, MetricDifference, Table, call_rows, difference_table, pair_runs
from evaluation.comparison.runs import RunScores
from evaluation.decision.mix import PlacedMix
from evaluation.mix.figures import share_variance
from evaluation.mix.weighing import MixWeights, weigh
from evaluation.records import Json, Source
from evaluation.statistics.paired import ScenarioPair, two_sided
from evaluation.statistics.power import detectable
from evaluation.statistics.student_t import critical


@dataclass(frozen=True, slots=True)
class MixDifferences:
    """The differences of two runs under a mix that goes with their scenarios."""

    weights: MixWeights
    metrics: Table
    """The overall of the deciding source and the components, with the error of the shares; nothing that describes."""
    verdict: str | None
    """In the words of a comparison; None where that has none, for whatever reason."""

    def primary(self, source: Source, overall: str) -> MetricDifference | None:
        return self.metrics.get(source, {}).get(overall)


@dataclass(frozen=True, slots=True)
class MixComparison:
    """Two runs and a mix."""

    place: str
    """The mix's file."""
    found: MixDifferences | str
    """In one line why there are none, where the mix and the scenarios do not go together."""

    def to_json(self, of_row: Callable[[MetricDifference], Json]) -> dict[str, Json]:
        """The entry `mix` of comparison.json."""
        if isinstance(self.found, str):
            return {"file": self.place, "refused": self.found}
        weights = self.found.weights
        return {
            "file": self.place,
            "refused": None,
            "verdict": self.found.verdict or "none",
            "metrics": {
                source: {metric: of_row(row) for metric, row in rows.items()}
                for source, rows in self.found.metrics.items()
            },
            "by": weights.by,
            "effective_situations": weights.effective,
            "uncovered": weights.mix.uncovered_share,
        }


def differences_under(
    mix: PlacedMix,
    base: RunScores,
    candidate: RunScores,
    by: Inference,
) -> tuple[MixWeights, Table] | str:
    """The weights and the tested differences; in one line why there are none."""
    if base.summary.weights is not None or candidate.summary.weights is not None:
        return "the runs are samples of production themselves, and have their own weights"
    ours = candidate.scenario_ids
    weights = weigh(mix.mix, [scenario for scenario in base.scenarios if scenario.id in ours])
    if isinstance(weights, str):
        return weights
    source = base.summary.source
    paired = pair_runs(base, candidate, by.suite, weights=weights.weights)
    table = difference_table(paired, source, by)
    tested = [row for rows in table.values() for row in rows.values() if row.role != "descriptive"]
    rows = [_with_error_of_shares(row, paired.pairs[row.source, row.metric], weights) for row in tested]
    found: dict[Source, dict[str, MetricDifference]] = {}
    for row in call_rows(rows):
        found.setdefault(row.source, {})[row.metric] = row
    return weights, found


def _with_error_of_shares(
    row: MetricDifference, pairs: Sequence[ScenarioPair], weights: MixWeights
) -> MetricDifference:
    """The row with wider intervals; what more scenarios or repeats would bring is not known of a mix."""
    found = row.estimate
    if found.se is None or found.difference is None:
        return replace(row, components=None, need=None)
    values = {pair.place.scenario_id: pair.difference for pair in pairs if pair.difference is not None}
    of_shares = share_variance(values, weights)
    degrees = found.clusters - 1 if found.freedom is None else found.freedom
    se = math.sqrt(found.se**2 + of_shares)
    wide, narrow = (critical(level, degrees) * se for level in (0.95, 0.9))
    estimate = replace(
        found,
        se=se,
        ci95=(found.difference - wide, found.difference + wide),
        ci90=(found.difference - narrow, found.difference + narrow),
        p_t=two_sided(found.difference, se, degrees),
    )
    bound = row.bound and _wider(row.bound, critical(1 - 2 * row.bound.level, degrees) * math.sqrt(of_shares))
    able = None if row.source == "check" else detectable(se, found.clusters, row.level)
    return replace(row, estimate=estimate, bound=bound, detectable=able, components=None, need=None)


def _wider(bound: MeanBound, by: float) -> MeanBound:
    return replace(
        bound, low=bound.low - by, high=bound.high + by, lowest=bound.lowest - by, among_all=bound.among_all - by
    )
