"""What a sample of production's responses says of all: weighted means, by version, week and tag, and coverage."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial

from evaluation.production.observation import Observation
from evaluation.production.sampling import SampledTurn
from evaluation.records import Json
from evaluation.statistics.clusters import Scale, WeightedEstimate, WeightedValue, weighted_estimate

CHANGE, SHARE = (-2.0, 2.0), (0.0, 1.0)
LEAST_VALUES, LEAST_CLUSTERS = 30, 10
"""A mean of fewer values, or of fewer users, is called a small sample."""
MOST_TAGS = 20
"""Tags that have means of their own, the most frequent ones."""
MetricMeans = Mapping[str, WeightedEstimate]
"""Metric -> its estimate, in the order of the suite."""


@dataclass(frozen=True, slots=True)
class MoodSummary:
    """Changes of mood from a user's first message that tells one to the last: do users leave better than they came?

    Only production can say it: there users answer what was said to them. Each drawn response stands for the
    conversation up to the message that it answers.
    """

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


@dataclass(frozen=True, slots=True)
class ScoredTurn:
    """A drawn generation with its scores, or the reason why it has none."""

    drawn: SampledTurn
    scores: Mapping[str, float | None] = field(default_factory=dict)
    """Metric -> value; None where the metric means nothing for this turn."""
    reason: str = ""
    """Why it is no turn of a chat, or was not scored; empty for a scored one."""
    message: str = ""
    """The user's message, masked and cut."""
    response: str = ""
    """The response, masked and cut."""
    mood_change: int | None = None
    """The mood of the user's last message that tells one minus that of the first; None where no two do."""
    language: str = ""
    """By whose pack it was scored; empty where nobody knows."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was looked at, and what became of it."""

    seen: int
    """Generations that the filters let through."""
    left_out: Mapping[str, int]
    """Reason -> generations that are none of production's answers."""
    frame: int
    """Generations from which the sample was drawn."""
    strata: int
    sampled: int
    scored: int
    skipped: Mapping[str, int]
    """Reason -> drawn generations that have no scores."""
    turns: float
    """About how many of the frame are turns of a chat, by the weights."""


@dataclass(frozen=True, slots=True)
class Group:
    """The means of one version, week or tag."""

    name: str
    means: MetricMeans


@dataclass(frozen=True, slots=True)
class ProductionSummary:
    """All that is said of a sample."""

    coverage: Coverage
    overall: str
    """The metric by which responses are ordered."""
    means: MetricMeans
    by_version: tuple[Group, ...]
    by_week: tuple[Group, ...]
    by_tag: tuple[Group, ...]
    worst: tuple[ScoredTurn, ...]
    """The lowest by the overall."""
    mood: MoodSummary | None = None
    """None where no conversation tells two moods, and under a rubric that reads none."""

    def to_json(self) -> dict[str, Json]:
        """Means as in `summary.json`; the worst with their ids."""
        return {
            "coverage": asdict(self.coverage),
            "metrics": means_json(self.means),
            **{
                name: {group.name: means_json(group.means) for group in groups}
                for name, groups in (
                    ("by_version", self.by_version),
                    ("by_week", self.by_week),
                    ("by_tag", self.by_tag),
                )
            },
            "mood": None if self.mood is None else self.mood.to_json(),
            "worst": [
                {
                    "trace_id": each.drawn.observation.trace_id,
                    "observation_id": each.drawn.observation.id,
                    "version": each.drawn.observation.version,
                    "scores": dict(each.scores),
                }
                for each in self.worst
            ],
        }


def is_small(found: WeightedEstimate) -> bool:
    """True where the estimate rests on few values or few users."""
    return found.n < LEAST_VALUES or found.clusters < LEAST_CLUSTERS


def summarise(
    turns: Sequence[ScoredTurn],
    metrics: Sequence[str],
    overall: str,
    scale: Scale | None,
    *,
    seen: int,
    left_out: Mapping[str, int],
    frame: int,
    worst: int,
) -> ProductionSummary:
    """`turns` are all that were drawn; `frame` is how many they were drawn from; `worst` how many are named."""

    def means_of(inside: Callable[[ScoredTurn], bool]) -> dict[str, WeightedEstimate]:
        return {metric: weighted_estimate(_values(turns, metric, inside), scale) for metric in metrics}

    scored = [turn for turn in turns if not turn.reason]
    tags = Counter(tag for turn in scored for tag in turn.drawn.observation.tags)
    ordered = sorted(
        (turn for turn in scored if turn.scores.get(overall) is not None),
        key=lambda turn: (turn.scores[overall], turn.drawn.observation.key),
    )
    coverage = Coverage(
        seen=seen,
        left_out=dict(left_out),
        frame=frame,
        strata=len({turn.drawn.stratum for turn in turns}),
        sampled=len(turns),
        scored=len(scored),
        skipped=dict(Counter(turn.reason for turn in turns if turn.reason).most_common()),
        turns=sum(turn.drawn.weight for turn in scored),
    )
    return ProductionSummary(
        coverage=coverage,
        overall=overall,
        means=means_of(lambda _: True),
        **groups_of(
            [turn.drawn.observation for turn in scored],
            [tag for tag, _ in sorted(tags.items(), key=lambda each: (-each[1], each[0]))[:MOST_TAGS]],
            means_of,
        ),
        worst=tuple(ordered[:worst]),
        mood=summarise_moods([(turn.drawn, turn.mood_change) for turn in turns]),
    )


def groups_of(
    observations: Iterable[Observation],
    tags: Iterable[str],
    means_of: Callable[[Callable[[ScoredTurn], bool]], MetricMeans],
) -> dict[str, tuple[Group, ...]]:
    """The means of each version, week and tag, as a summary names these; `tags` are those that have means."""
    seen = list(observations)

    def groups(names: Iterable[str], inside: Callable[[str, Observation], bool]) -> tuple[Group, ...]:
        return tuple(Group(name, means_of(partial(_is_inside, inside, name))) for name in names)

    return {
        "by_version": groups(sorted({each.version for each in seen}), lambda name, each: each.version == name),
        "by_week": groups(sorted({each.week for each in seen}), lambda name, each: each.week == name),
        "by_tag": groups(tags, lambda name, each: name in each.tags),
    }


def _is_inside(inside: Callable[[str, Observation], bool], name: str, turn: ScoredTurn) -> bool:
    return inside(name, turn.drawn.observation)


def _values(turns: Iterable[ScoredTurn], metric: str, inside: Callable[[ScoredTurn], bool]) -> list[WeightedValue]:
    return [
        WeightedValue(
            turn.drawn.stratum,
            turn.drawn.observation.cluster,
            turn.drawn.weight,
            turn.scores.get(metric) if not turn.reason and inside(turn) else None,
        )
        for turn in turns
    ]


def means_json(means: MetricMeans) -> dict[str, Json]:
    """Means as in `summary.json`."""
    return {metric: {**asdict(found), "small_sample": is_small(found)} for metric, found in means.items()}
