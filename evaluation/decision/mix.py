"""What a run says of its users' mix: beside the verdict on the set, and never in its place."""

from collections.abc import Callable
from dataclasses import asdict, dataclass

from evaluation.decision.decide import Decision
from evaluation.mix.figures import summary_under, with_uncovered
from evaluation.mix.mix import Mix
from evaluation.mix.weighing import MixWeights, weigh
from evaluation.records import Json
from evaluation.summary.columns import Columns
from evaluation.summary.metric import MetricSummary
from evaluation.summary.summary import Summary


@dataclass(frozen=True, slots=True)
class PlacedMix:
    """A mix, and the file that it was read from."""

    place: str
    mix: Mix


@dataclass(frozen=True, slots=True)
class MixFigures:
    """A run under a mix that could be laid over its scenarios."""

    weights: MixWeights
    summary: Summary
    """Its means are weighted; what is counted is that of the run."""
    decision: Decision
    possible: tuple[float, float] | None
    """Where the overall may lie over everything that users say; None without an overall."""

    @property
    def overall(self) -> MetricSummary | None:
        """Of the source that decides."""
        return self.summary.deciding()


@dataclass(frozen=True, slots=True)
class MixOutcome:
    """A run and a mix."""

    place: str
    """The mix's file."""
    found: MixFigures | str
    """In one line why there is none, where the two do not go together."""

    def in_decision(self) -> dict[str, Json]:
        """The entry `mix` of decision.json."""
        if isinstance(self.found, str):
            return {"file": self.place, "refused": self.found}
        decision, overall = self.found.decision, self.found.overall
        return {
            "file": self.place,
            "refused": None,
            "verdict": decision.verdict or "none",
            "code": decision.code,
            "headline": decision.headline,
            "stable": decision.stable,
            "reasons": list(decision.reasons),
            "overall": None if overall is None else overall.to_json(),
            "possible": self.found.possible,
        }

    def to_json(self) -> dict[str, Json]:
        """The entry `mix` of summary.json."""
        if isinstance(self.found, str):
            return self.in_decision()
        weights = self.found.weights
        mix = weights.mix
        return {
            **self.in_decision(),
            "metrics": {
                source: {metric: each.to_json() for metric, each in metrics.items()}
                for source, metrics in self.found.summary.metrics.items()
            },
            "weights": {
                **weights.weights.to_json(),
                "by": weights.by,
                "situations": weights.situations,
                "effective_situations": weights.effective,
                "heaviest": list(weights.heaviest),
                "reached": weights.reached,
            },
            "uncovered": mix.uncovered_share,
            "responses": mix.responses,
            "independent": mix.independent,
            "origin": asdict(mix.origin),
        }


def outcome_under(
    mix: PlacedMix, summary: Summary, columns: Columns, decide_on: Callable[[Summary], Decision]
) -> MixOutcome:
    """The run under a mix; `decide_on` gives the verdict on a summary, as it does for the set."""
    if columns.weights is not None:
        return MixOutcome(mix.place, "the run is a sample of production itself, and has its own weights")
    weights = weigh(mix.mix, columns.scenarios)
    if isinstance(weights, str):
        return MixOutcome(mix.place, weights)
    found = summary_under(summary, columns, weights)
    overall = found.deciding()
    mean = None if overall is None else overall.estimate.mean
    scale = columns.suite.scale(summary.source)
    possible = None if mean is None else with_uncovered(mean, scale, weights)
    return MixOutcome(mix.place, MixFigures(weights, found, decide_on(found), possible))
