"""How the deciding overall of conversations goes from turn to turn: their paths, the mean of each turn, the change."""

from collections.abc import Iterator
from dataclasses import dataclass

from evaluation.statistics.clusters import (
    ClusteredMean,
    Estimate,
    ScenarioScores,
    average,
    clustered_mean,
    estimate_scenarios,
    from_grid,
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
    by_turn: list[list[ScenarioScores]] = []
    step = -(-sum(span.turns > 1 for span in columns.plan.spans) // MOST_PATHS)
    conversations, paths = 0, list[Path]()
    changes: list[tuple[str, float]] = []
    for scenario, span in zip(columns.scenarios, columns.plan.spans, strict=True):
        if span.turns < 2:
            continue
        values = column[span.start : span.stop].tolist()
        turns = [from_grid(span.cluster, values[turn :: span.turns], 1, *scale) for turn in range(span.turns)]
        if all(each.mean is None for each in turns):
            continue
        if conversations % step == 0:
            paths.append(Path(scenario.id, tuple(each.mean for each in turns)))
        conversations += 1
        by_turn.extend([] for _ in range(span.turns - len(by_turn)))
        for place, each in enumerate(turns):
            by_turn[place].append(each)
        moved = list(_changes(values, span))
        if moved:
            changes.append((span.cluster, average(moved)))
    if not conversations:
        return None
    estimates = tuple(estimate_scenarios(scores, scale) for scores in by_turn)
    return Trajectory(conversations, estimates, tuple(paths), clustered_mean(changes))


def _changes(values: list[float], span: Span) -> Iterator[float]:
    """The last turn minus the first of every repeat that has both."""
    for start in range(0, len(values), span.turns):
        first, last = values[start], values[start + span.turns - 1]
        if is_value(first) and is_value(last):
            yield last - first
