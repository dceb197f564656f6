"""How the deciding overall of conversations goes from turn to turn: their paths, the mean of each turn, the change."""

from array import array
from dataclasses import dataclass

from evaluation.statistics.clustered_mean import ClusteredMean
from evaluation.statistics.clusters import Scale, average
from evaluation.statistics.scenario_scores import (
    Estimate,
    ScenarioScores,
    estimate_scenarios,
    from_grid,
    mean_of_scenarios,
)
from evaluation.summary.columns import Columns, Span, is_value

MOST_PATHS = 60
"""Conversations whose own path is kept: more lines would hide one another."""


@dataclass(frozen=True, slots=True)
class Path:
    """One conversation."""

    scenario_id: str
    values: tuple[float | None, ...]
    """Of each of its turns the mean over repeats; None where no repeat has a value."""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """The conversations of a run, turn by turn."""

    conversations: int
    """Scenarios of two turns or more that have a value."""
    turns: tuple[Estimate, ...]
    """Of each turn, over the conversations that are so long: a later mean may rest on fewer of them."""
    paths: tuple[Path, ...]
    """Of at most `MOST_PATHS` of the conversations, evenly from the plan."""
    change: ClusteredMean | None
    """The last turn minus the first of the same conversation; None where no conversation has both values."""


def trajectory(columns: Columns) -> Trajectory | None:
    """The trajectory of the deciding overall; None where no conversation of two turns or more has a value."""
    column = columns.column(columns.source, columns.suite.overall)
    scale = columns.suite.scale(columns.source)
    talks = [
        (scenario.id, span)
        for scenario, span in zip(columns.scenarios, columns.plan.spans, strict=True)
        if span.turns > 1 and any(map(is_value, column[span.start : span.stop]))
    ]
    if not talks:
        return None
    # One turn after the other: the scores of all at once would take more than the run's values.
    longest = max(span.turns for _, span in talks)
    turns = tuple(
        estimate_scenarios([_at_turn(column, span, turn, scale) for _, span in talks if turn < span.turns], scale)
        for turn in range(longest)
    )
    paths = tuple(
        Path(name, tuple(_at_turn(column, span, turn, scale).mean for turn in range(span.turns)))
        for name, span in talks[:: -(-len(talks) // MOST_PATHS)]
    )
    changes = ((span, _change(column, span)) for _, span in talks)
    change = mean_of_scenarios(
        [from_grid(span.cluster, [value], 1, *scale, span.sample) for span, value in changes if value is not None]
    )
    return Trajectory(len(talks), turns, paths, change)


def _at_turn(column: "array[float]", span: Span, turn: int, scale: Scale) -> ScenarioScores:
    """The repeats of a conversation at one turn."""
    column_of_turn = column[span.start + turn : span.stop : span.turns].tolist()
    return from_grid(span.cluster, column_of_turn, 1, *scale, span.sample)


def _change(column: "array[float]", span: Span) -> float | None:
    """The last turn minus the first, over the repeats that have both; None where none has."""
    ends = zip(
        column[span.start : span.stop : span.turns],
        column[span.start + span.turns - 1 : span.stop : span.turns],
        strict=True,
    )
    moved = [last - first for first, last in ends if is_value(first) and is_value(last)]
    return average(moved) if moved else None
