"""Places in the pictures, worked out by hand."""

import math

import pytest

from evaluation.reports.html.figures import BINS, Axis, around, around_zero, heat, histogram
from evaluation.statistics.scenario_scores import MISSING, NOT_APPLICABLE
from tests.evaluation.made_runs import OVERALL, RULE, scored, summary_of


def test_an_axis_places_values_and_holds_what_lies_beyond_it() -> None:
    axis = Axis(1.0, 5.0)
    assert [axis.at(value) for value in (1, 3, 5, 0, 9)] == ["0.00%", "50.00%", "100.00%", "0.00%", "100.00%"]
    assert axis.width(2, 4) == "50.00%"
    assert Axis(2.0, 2.0).at(2.0) == "50.00%"


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [(0, 1, [0, 0.5, 1]), (1, 5, [1, 2, 3, 4, 5]), (-0.2, 0.2, [-0.2, -0.1, 0, 0.1, 0.2]), (0, 100, [0, 50, 100])],
)
def test_ticks_are_round(low: float, high: float, ticks: list[float]) -> None:
    assert Axis(low, high).ticks() == ticks


def test_an_axis_of_differences_is_symmetric_and_round() -> None:
    assert around_zero([0.03, -0.11]) == Axis(-0.2, 0.2)
    assert around_zero([]).high > 0
    assert around_zero([0.0]).low == -around_zero([0.0]).high


def test_a_trend_is_not_blown_up() -> None:
    axis = around([0.71, 0.72], 0.1)
    assert axis.low <= 0.67 and axis.high >= 0.76
    wide = around([0.2, 0.9], 0.1)
    assert wide.low <= 0.2 and wide.high >= 0.9


@pytest.mark.parametrize(
    ("value", "step"), [(0.0, 0), (0.25, 5), (0.5, 10), (0.75, 15), (1.0, 20), (0.4999, 10), (-1.0, 0)]
)
def test_heat_has_the_floor_in_its_middle(value: float, step: int) -> None:
    assert heat(value, (0.0, 1.0), RULE) == step


def test_heat_without_a_rule_takes_the_middle_of_the_scale() -> None:
    assert [heat(value, (1.0, 5.0), None) for value in (1, 3, 5)] == [0, 10, 20]


def test_a_histogram_counts_values_and_leaves_out_marks() -> None:
    summary = summary_of([scored("a", 0.5)]).metrics["heuristic"][OVERALL]
    values = [0.0, 0.04, 0.05, 0.05, 0.05, 1.0, 0.3, MISSING, NOT_APPLICABLE, math.nan]
    found = histogram(OVERALL, "heuristic", values, (0.0, 1.0), summary)
    # 0.05 and 0.3 stand on borders and count above them; 1.0 belongs to the last bin.
    assert {place: count for place, count in enumerate(found.counts) if count} == {0: 2, 1: 3, 6: 1, BINS - 1: 1}
