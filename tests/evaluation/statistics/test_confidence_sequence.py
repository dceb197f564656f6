"""The width of a sequence of intervals by hand, and how many users it asks for."""

import math

import pytest

from evaluation.statistics.confidence_sequence import reach, users_until


def test_the_reach_is_that_of_the_formula() -> None:
    """n r^2 = -2 log 0.05 + log(1 - 2 log 0.05) = 7.9362 where n = m: sqrt(2 * 8.9362 / 7.9362 * log(2.989 / 0.05))."""
    assert reach(1_000, 1_000, 0.05) == pytest.approx(3.0352, abs=1e-4)
    assert reach(50, 50, 0.05) == pytest.approx(reach(1_000, 1_000, 0.05)), "n and m count together alone"


def test_it_is_about_as_narrow_as_can_be_where_it_was_asked_for() -> None:
    asked = reach(1_000, 1_000, 0.05)
    others = [reach(1_000, number, 0.05) for number in range(100, 10_000, 50)]
    assert asked == pytest.approx(min(others), rel=1e-3)


def test_it_is_wider_than_the_interval_of_a_single_look_and_grows_slowly() -> None:
    assert reach(1_000, 1_000, 0.05) > 1.96
    assert reach(10**6, 1_000, 0.05) < 4.5
    assert reach(1_000, 1_000, 0.01) > reach(1_000, 1_000, 0.05)


def test_the_users_that_it_takes_make_it_as_narrow_as_was_asked() -> None:
    users = users_until(0.02, 0.02, 500, 2_000, 0.05)
    assert users is not None
    half = [reach(number, 2_000, 0.05) * 0.02 * math.sqrt(500 / number) for number in (users - 1, users)]
    assert half[1] <= 0.02 < half[0]
    assert users_until(1.0, 0.02, 500, 2_000, 0.05) == 500, "it is narrow enough already"
    assert users_until(1e-6, 0.02, 500, 2_000, 0.05) is None
