"""The test of a split against scipy's exact one, and where the exact one ends."""

import pytest

from evaluation.statistics.sample_ratio import ALARM, EXACT_UP_TO, split_p, split_p_by_week


@pytest.mark.parametrize(
    ("base", "other", "share"),
    [(50, 50, 0.5), (40, 60, 0.5), (0, 12, 0.5), (820, 950, 0.5), (95, 5, 0.9), (3, 97, 0.1)],
)
def test_it_is_the_exact_binomial_test(base: int, other: int, share: float) -> None:
    from scipy.stats import binomtest

    assert split_p(base, other, share) == pytest.approx(binomtest(base, base + other, share).pvalue, rel=1e-6)


def test_of_many_users_it_is_the_chi_square_test() -> None:
    from scipy.stats import chisquare

    base, other = EXACT_UP_TO, EXACT_UP_TO + 300
    half = (base + other) / 2
    assert split_p(base, other, 0.5) == pytest.approx(chisquare([base, other], [half, half]).pvalue)


def test_a_sound_split_passes_and_a_broken_one_does_not() -> None:
    assert split_p(0, 0, 0.5) == 1
    assert split_p(510, 490, 0.5) > ALARM
    assert split_p(570, 430, 0.5) < ALARM
    assert split_p(570, 430, 0.57) == pytest.approx(1)


def test_a_split_that_changed_on_the_way_is_found_where_its_sum_is_sound() -> None:
    weeks = [(80, 120), (120, 80)]
    assert split_p(200, 200, 0.5) == 1
    assert split_p_by_week(weeks, 0.5) == pytest.approx(2 * split_p(80, 120, 0.5))
    assert split_p_by_week([(60, 140), (140, 60)], 0.5) < ALARM
    assert split_p_by_week([(110, 90)], 0.5) == split_p(110, 90, 0.5)
    assert split_p_by_week([(110, 140), (110, 140), (110, 140)], 0.5) == split_p(330, 420, 0.5), "all weeks together"
    assert split_p_by_week([], 0.5) == 1
