"""Bins of a calibration plot, worked out by hand."""

import pytest

from evaluation.statistics.reliability import BINS, RatedScore, reliability, reliability_bins
from evaluation.statistics.student_t import critical

SCALE = (0.0, 1.0)


def test_a_bin_holds_the_mean_of_both_and_counts_responses_and_situations() -> None:
    scores = [RatedScore("a", 0.62, 0.5), RatedScore("a", 0.66, 0.7), RatedScore("b", 0.70, 0.9)]
    (found,) = reliability_bins(scores, SCALE)
    assert (found.low, found.high) == pytest.approx((0.6, 0.8))
    assert found.tool == pytest.approx(0.66)
    assert found.people.mean == pytest.approx(0.7)
    assert (found.people.n, found.people.clusters) == (3, 2)
    # The residuals of a sum to -0.2, that of b is 0.2: variance 2 / 1 * (0.04 + 0.04) / 9.
    assert found.people.se == pytest.approx((2 * 0.08 / 9) ** 0.5)
    assert found.people.ci95 is not None
    low, high = found.people.ci95
    trials = 0.7 * 0.3 / (2 * 0.08 / 9)
    weight = critical(0.95, 1) ** 2 / trials
    assert (low + high) / 2 == pytest.approx((0.7 + weight / 2) / (1 + weight))


def test_a_border_belongs_to_the_bin_above_it_and_the_highest_score_to_the_last() -> None:
    scores = [RatedScore(str(value), value, 0.5) for value in (0.0, 0.19, 0.2, 0.6, 1.0)]
    found = [(round(each.low, 9), each.people.n) for each in reliability_bins(scores, SCALE)]
    assert found == [(0.0, 2), (0.2, 1), (0.6, 1), (0.8, 1)]
    fives = [RatedScore(str(value), float(value), 3.0) for value in (1, 2, 3, 4, 5)]
    assert [each.people.n for each in reliability_bins(fives, (1.0, 5.0))] == [1] * BINS


def test_one_situation_has_no_interval_and_nothing_has_no_bin() -> None:
    (found,) = reliability_bins([RatedScore("a", 0.5, 0.4), RatedScore("a", 0.5, 0.6)], SCALE)
    assert found.people.ci95 is None
    assert reliability([], SCALE).bins == ()
