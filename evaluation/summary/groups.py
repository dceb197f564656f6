"""A run by groups of scenarios: by audience and by tag, and audiences held against one another over variants.

Two groups are compared over the situations that stand in both: the same words, said by another kind of user. The
difference of a situation is that of its scenarios' means; the interval is t, with situations as clusters.
"""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations

from evaluation.records import Json, Scenario
from evaluation.statistics.clusters import average, clustered_mean
from evaluation.statistics.scenario_scores import ScenarioScores, part_of
from evaluation.summary.columns import Columns
from evaluation.summary.metric import MetricSummary, summarise_metric

Places = Mapping[str, Sequence[int]]
"""Group -> positions of its scenarios in the plan."""
MOST_TAGS = 60
"""Tags that are listed, those of the most scenarios first."""


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """One group of scenarios."""

    scenarios: int
    overall: MetricSummary
    """Of the source that decides."""
    expectations_met: MetricSummary | None
    """None where nothing is expected."""

    def to_json(self) -> dict[str, Json]:
        met = self.expectations_met
        return {
            "scenarios": self.scenarios,
            "overall": self.overall.to_json(),
            "expectations_met": None if met is None else met.to_json(),
        }


@dataclass(frozen=True, slots=True)
class PairedGroups:
    """One figure of two groups, paired by situation: second minus first."""

    first: str
    second: str
    figure: str
    """`overall` or `expectations_met`."""
    situations: int
    difference: float
    ci95: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Groups:
    """All groups of a run."""

    by_audience: Mapping[str, GroupFigures]
    by_tag: Mapping[str, GroupFigures]
    """Those of the most scenarios first."""
    audiences_paired: tuple[PairedGroups, ...]

    def to_json(self) -> dict[str, Json]:
        """The entries of summary.json."""
        return {
            "by_audience": {name: figures.to_json() for name, figures in self.by_audience.items()},
            "by_tag": {name: figures.to_json() for name, figures in self.by_tag.items()},
            "audiences_paired": [asdict(pair) for pair in self.audiences_paired],
        }


NO_GROUPS = Groups({}, {}, ())


def summarise_groups(columns: Columns, met: "array[float] | None") -> Groups:
    """The groups of a run from its columns; `met` is the column of expectations, None where nothing is expected."""
    suite, plan = columns.suite, columns.plan
    scale = suite.scale(columns.source)
    overall = plan.scores(columns.column(columns.source, suite.overall), *scale)
    shares = None if met is None else plan.scores(met, 0.0, 1.0)
    tags = _by_tag(columns.scenarios)
    audiences = {name: tags[name] for name in suite.audiences if name in tags}

    def figures(positions: Sequence[int]) -> GroupFigures:
        return GroupFigures(
            len(positions),
            summarise_metric(part_of(overall, positions), scale),
            None if shares is None else summarise_metric(part_of(shares, positions), (0.0, 1.0)),
        )

    listed = sorted(tags.items(), key=lambda item: (-len(item[1]), item[0]))[:MOST_TAGS]
    paired = [
        found
        # What was sampled holds no variants of one situation that could be paired.
        for first, second in (combinations(audiences, 2) if columns.weights is None else ())
        for name, scores in (("overall", overall), ("expectations_met", shares))
        if scores is not None and (found := _pair(first, second, name, audiences, scores)) is not None
    ]
    return Groups(
        {name: figures(positions) for name, positions in audiences.items()},
        {name: figures(positions) for name, positions in listed},
        tuple(paired),
    )


def pair_groups(groups: Places, overall: Sequence[ScenarioScores]) -> tuple[PairedGroups, ...]:
    """The overall of every two groups with a situation in common, held against one another over these."""
    pairs = (_pair(first, second, "overall", groups, overall) for first, second in combinations(groups, 2))
    return tuple(pair for pair in pairs if pair is not None)


def _by_tag(scenarios: Sequence[Scenario]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for place, scenario in enumerate(scenarios):
        for tag in scenario.tags:
            found.setdefault(tag, []).append(place)
    return found


def _pair(first: str, second: str, name: str, groups: Places, scores: Sequence[ScenarioScores]) -> PairedGroups | None:
    before, after = (_by_situation(groups[group], scores) for group in (first, second))
    shared = [situation for situation in before if situation in after]
    found = clustered_mean((situation, after[situation] - before[situation]) for situation in shared)
    if found is None:
        return None
    return PairedGroups(first, second, name, len(shared), found.mean, found.interval())


def _by_situation(positions: Sequence[int], scores: Sequence[ScenarioScores]) -> dict[str, float]:
    """Situation -> mean of the scenarios of a group that stand in it."""
    found: dict[str, list[float]] = {}
    for place in positions:
        mean = scores[place].mean
        if mean is not None:
            found.setdefault(scores[place].cluster, []).append(mean)
    return {situation: average(means) for situation, means in found.items()}
