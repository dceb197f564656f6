"""Conversations turn by turn, worked out by hand."""

import math

import pytest

from evaluation.records import Result, Scenario
from evaluation.statistics.student_t import critical
from evaluation.summary.columns import Columns
from evaluation.summary.trajectories import MOST_PATHS, trajectory
from tests.evaluation.made_runs import failed, scenario, scored, suite


def columns_of(results: list[Result], plan: list[Scenario], repeats: int = 1) -> Columns:
    columns = Columns(suite(), plan, repeats, ("heuristic",))
    for result in results:
        columns.add(result)
    return columns


def test_a_turn_has_the_mean_of_the_conversations_that_reach_it() -> None:
    plan = [scenario("long", turns=3), scenario("short", turns=2), scenario("alone")]
    values = {("long", 1): 0.2, ("long", 2): 0.4, ("long", 3): 0.9, ("short", 1): 0.6, ("short", 2): 0.8}
    results = [scored(name, value, turn=turn) for (name, turn), value in values.items()]
    found = trajectory(columns_of([*results, scored("alone", 1.0)], plan))
    assert found is not None
    assert [each.mean for each in found.turns] == pytest.approx([0.4, 0.6, 0.9])
    assert [each.n for each in found.turns] == [2, 2, 1]
    assert [path.values for path in found.paths] == [(0.2, 0.4, 0.9), (0.6, 0.8)]
    assert found.conversations == 2
    # Of the same conversation: +0.7 and +0.2, not the difference of the means.
    assert found.change is not None and found.change.mean == pytest.approx(0.45)
    interval = found.change.interval()
    half = critical(0.95, 1) * math.sqrt(2 * 2 * 0.25**2) / 2
    assert interval == pytest.approx((0.45 - half, 0.45 + half))


def test_repeats_are_averaged_and_gaps_stay_gaps() -> None:
    plan = [scenario("a", turns=3)]
    results = [
        *(scored("a", 0.2, 1, 1), failed("a", 1, 2), scored("a", 0.4, 1, 3)),
        *(scored("a", 0.6, 2, 1), failed("a", 2, 2), failed("a", 2, 3)),
    ]
    found = trajectory(columns_of(results, plan, repeats=2))
    assert found is not None
    assert found.paths[0].values == (0.4, None, 0.4)
    assert found.turns[1].mean is None
    # The second repeat has no last turn: the change is that of the first alone, and has no interval.
    assert found.change is not None and found.change.mean == pytest.approx(0.2)
    assert found.change.interval() is None


def test_there_is_none_without_a_scored_conversation() -> None:
    assert trajectory(columns_of([scored("a", 0.5)], [scenario("a")])) is None
    assert trajectory(columns_of([failed("a", 1, 1)], [scenario("a", turns=2)])) is None


def test_no_more_paths_are_kept_than_can_be_seen() -> None:
    plan = [scenario(f"s{number}", turns=2) for number in range(2 * MOST_PATHS + 1)]
    results = [scored(each.id, 0.5, turn=turn) for each in plan for turn in (1, 2)]
    found = trajectory(columns_of(results, plan))
    assert found is not None
    assert found.conversations == 2 * MOST_PATHS + 1
    assert [path.scenario_id for path in found.paths] == [f"s{number}" for number in range(0, 2 * MOST_PATHS + 1, 3)]
