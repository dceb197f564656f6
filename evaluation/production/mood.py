"""The mood of users over their conversations, of a sample of production: do they leave better than they came?

Only production can say it: there users answer what was said to them. Each drawn response stands for the conversation up
to the message that it answers.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from evaluation.production.sampling import SampledTurn
from evaluation.records import Json
from evaluation.statistics.clusters import WeightedEstimate, WeightedValue, weighted_estimate

CHANGE, SHARE = (-2.0, 2.0), (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class MoodSummary:
    """Changes of mood from the first message of a user that tells one to the last, and how they lie."""

    change: WeightedEstimate
    """From -2 (from good to bad) to 2."""
    better: WeightedEstimate
    """Share of the conversations with a change in which the last mood is better than the first."""
    even: WeightedEstimate
    worse: WeightedEstimate

    def to_json(self) -> dict[str, Json]:
        return asdict(self)


def summarise_moods(turns: Sequence[tuple[SampledTurn, int | None]]) -> MoodSummary | None:
    """`turns` are all that were drawn, with the change of each; None where no conversation tells two moods."""
    if all(change is None for _, change in turns):
        return None

    def share(counts: Callable[[int], bool]) -> WeightedEstimate:
        return _estimate([(turn, None if change is None else float(counts(change))) for turn, change in turns], SHARE)

    return MoodSummary(
        _estimate([(turn, None if change is None else float(change)) for turn, change in turns], CHANGE),
        share(lambda change: change > 0),
        share(lambda change: change == 0),
        share(lambda change: change < 0),
    )


def _estimate(values: Sequence[tuple[SampledTurn, float | None]], scale: tuple[float, float]) -> WeightedEstimate:
    return weighted_estimate(
        [WeightedValue(turn.stratum, turn.observation.cluster, turn.weight, value) for turn, value in values], scale
    )
