"""The difference of two independent means."""

import pytest
from scipy.stats import ttest_ind

from evaluation.statistics.clusters import Estimate, Observation, estimate
from evaluation.statistics.unpaired import difference

BEFORE, AFTER = [4.0, 5.0, 4.5, 3.0, 4.0], [3.0, 2.5, 4.0, 3.5]


def estimated(values: list[float], cluster: str = "") -> Estimate:
    return estimate(Observation(cluster or f"c{n}", f"s{n}", 1, 1, value) for n, value in enumerate(values))


def test_with_a_cluster_for_each_value_it_is_welchs_test() -> None:
    found = difference(estimated(BEFORE), estimated(AFTER))
    theirs = ttest_ind(AFTER, BEFORE, equal_var=False).confidence_interval(0.95)
    assert found is not None
    assert found.value == pytest.approx(3.25 - 4.1)
    assert found.ci95 == pytest.approx((theirs.low, theirs.high))


def test_one_cluster_has_no_interval_and_no_value_no_difference() -> None:
    found = difference(estimated(BEFORE, "one"), estimated(AFTER))
    assert found is not None
    assert found.ci95 is None
    assert difference(estimated([]), estimated(AFTER)) is None


def test_without_any_spread_the_interval_is_the_difference() -> None:
    found = difference(estimated([4.0, 4.0]), estimated([3.0, 3.0]))
    assert found is not None
    assert (found.value, found.ci95) == (-1.0, (-1.0, -1.0))
