"""Means with their clustered errors, and the difference of two independent ones."""

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import ttest_ind

from evaluation.statistics.clusters import WeightedValue, average, clustered_mean, effective_clusters, percentile
from evaluation.statistics.scenario_scores import (
    MISSING,
    NOT_APPLICABLE,
    Estimate,
    Observation,
    ScenarioScores,
    bounds,
    estimate,
    estimate_scenarios,
    from_grid,
)
from evaluation.statistics.unpaired import unpaired_difference

UNIT = st.floats(0, 1)


def test_turns_then_repeats_then_scenarios() -> None:
    observations = [
        Observation("a", "a", 1, 1, 0.2),
        Observation("a", "a", 1, 2, 0.4),  # cell a1: (0.2 + 0.4) / 2 = 0.3
        Observation("a", "a", 2, 1, 0.9),  # cell a2: 0.9; scenario a: (0.3 + 0.9) / 2 = 0.6
        Observation("b", "b", 1, 1, 1.0),  # scenario b: 1.0; mean: (0.6 + 1.0) / 2 = 0.8, not 2.5 / 4 = 0.625
    ]
    found = estimate(observations, None)
    assert found.mean == pytest.approx(0.8)
    assert (found.n, found.clusters, found.min, found.max) == (4, 2, 0.2, 1.0)
    # Residuals -0.2 and 0.2: Var = 2/1 * (0.04 + 0.04) / 2^2 = 0.04, SE = 0.2; t(0.975, 1) = 12.7062.
    assert found.se == pytest.approx(0.2)
    assert found.ci95 == pytest.approx((0.8 - 12.7062 * 0.2, 0.8 + 12.7062 * 0.2), rel=1e-5)
    # Of the four exchanges: mean 0.625, squares 0.180625 + 0.050625 + 0.075625 + 0.140625 = 0.4475, / 3.
    assert found.stdev == pytest.approx(math.sqrt(0.4475 / 3))
    assert estimate(reversed(observations), None) == found


def test_variants_of_one_situation_count_as_one_cluster() -> None:
    pairs = [("work", 0.5), ("work", 0.6), ("home", 0.9), ("trip", 0.8)]
    # Mean 0.7. Cluster sums of residuals: work -0.2 - 0.1 = -0.3, home 0.2, trip 0.1.
    # Their squares: 0.09 + 0.04 + 0.01 = 0.14.
    # Var = 3/2 * 0.14 / 4^2 = 0.013125.
    found = clustered_mean(pairs)
    assert found is not None
    assert found.mean == pytest.approx(0.7)
    assert found.se == pytest.approx(math.sqrt(0.013125))
    assert (found.clusters, found.scenarios) == (3, 4)
    reach = stats.t.ppf(0.95, 2) * math.sqrt(0.013125)
    assert found.interval(0.90) == pytest.approx((0.7 - reach, 0.7 + reach))


@given(st.lists(UNIT, min_size=2, max_size=40))
def test_singleton_clusters_give_the_plain_standard_error(values: list[float]) -> None:
    found = clustered_mean((str(place), value) for place, value in enumerate(values))
    assert found is not None
    assert found.mean == pytest.approx(statistics.fmean(values))
    assert found.se == pytest.approx(statistics.stdev(values) / math.sqrt(len(values)), abs=1e-12)


def test_one_cluster_has_no_interval_and_nothing_has_no_mean() -> None:
    alone = estimate([Observation("a", "a1", 1, 1, 0.4), Observation("a", "a2", 1, 1, 0.8)], (0, 1))
    assert alone.mean == pytest.approx(0.6)
    assert (alone.clusters, alone.se, alone.ci95) == (1, None, None)
    nothing = estimate([], (0, 1))
    assert (nothing.n, nothing.clusters, nothing.mean, nothing.stdev) == (0, 0, None, None)
    assert clustered_mean([]) is None
    assert estimate([Observation("a", "a", 1, 1, 0.4)], (0, 1)).stdev is None


def test_equal_scores_have_a_standard_error_of_exactly_zero() -> None:
    # Three times 0.1 sums to a hair more than 0.3 in binary.
    found = estimate([Observation(name, name, 1, 1, 0.1) for name in "abc"], None)
    assert (found.mean, found.stdev, found.se, found.ci95) == (0.1, 0.0, 0.0, (0.1, 0.1))


def test_marks_stay_outside_mean_and_count() -> None:
    # Two repeats of three turns: (0.4, missing, 0.8) and (n/a, missing, missing).
    grid = [0.4, MISSING, 0.8, NOT_APPLICABLE, MISSING, MISSING]
    found = from_grid("g", grid, 3, 0.0, 1.0)
    assert (list(found.values), found.missing, found.not_applicable) == ([0.4, 0.8], 3, 1)
    assert found.mean == pytest.approx(0.6)
    # Missing at 0: cells (0.4 + 0 + 0.8) / 3 = 0.4 and (0 + 0) / 2 = 0, mean 0.2.
    # Missing at 1: cells 2.2 / 3 and 1, mean (0.7333 + 1) / 2 = 0.8667.
    assert found.lowest == pytest.approx(0.2)
    assert found.highest == pytest.approx((2.2 / 3 + 1) / 2)


def test_a_scenario_without_values_moves_only_the_bounds() -> None:
    scenarios = [from_grid("a", [0.6], 1, 0.0, 1.0), from_grid("b", [MISSING], 1, 0.0, 1.0)]
    assert estimate_scenarios(scenarios, (0, 1)).mean == 0.6
    assert bounds(scenarios) == pytest.approx((0.3, 0.8))
    assert bounds([from_grid("c", [NOT_APPLICABLE], 1, 0.0, 1.0)]) is None


ENTRY = st.one_of(UNIT, st.just(MISSING), st.just(NOT_APPLICABLE))


@st.composite
def runs(draw: st.DrawFn) -> list[tuple[str, int, list[float]]]:
    """Scenarios: cluster, turns, and the values of repeats x turns."""
    repeats = draw(st.integers(1, 3))
    found = []
    for _ in range(draw(st.integers(1, 6))):
        turns = draw(st.integers(1, 3))
        grid = draw(st.lists(ENTRY, min_size=turns * repeats, max_size=turns * repeats))
        found.append((draw(st.sampled_from("abc")), turns, grid))
    return found


@given(runs(), st.data())
def test_bounds_hold_whatever_the_missing_values_are(
    run: list[tuple[str, int, list[float]]], data: st.DataObject
) -> None:
    observed = [from_grid(cluster, grid, turns, 0.0, 1.0) for cluster, turns, grid in run]
    filled = [
        from_grid(cluster, [data.draw(UNIT) if math.isnan(value) else value for value in grid], turns, 0.0, 1.0)
        for cluster, turns, grid in run
    ]
    limits = bounds(observed)
    truth = estimate_scenarios(filled, (0, 1)).mean
    shown = estimate_scenarios(observed, (0, 1)).mean
    if limits is None:
        assert truth is None
        return
    assert truth is not None
    assert limits[0] - 1e-12 <= truth <= limits[1] + 1e-12
    if shown is not None:
        assert limits[0] - 1e-12 <= shown <= limits[1] + 1e-12


@given(
    st.lists(
        st.builds(Observation, st.sampled_from("ab"), st.sampled_from("xyz"), st.integers(1, 2), st.just(1), UNIT),
        min_size=1,
    )
)
def test_the_mean_lies_within_the_scores(observations: list[Observation]) -> None:
    found = estimate(observations, None)
    assert found.mean is not None
    assert found.min is not None
    assert found.max is not None
    assert found.min <= found.mean <= found.max


@given(st.lists(UNIT, min_size=1, max_size=30))
def test_percentiles_are_numpys(values: list[float]) -> None:
    for share in (0.0, 0.1, 0.5, 0.9, 1.0):
        assert percentile(sorted(values), share) == pytest.approx(float(np.quantile(values, share)), abs=1e-12)


@given(st.lists(UNIT, min_size=1, max_size=5), st.integers(1, 50))
def test_an_average_never_leaves_the_range_of_its_values(values: list[float], times: int) -> None:
    repeated = values * times
    assert min(values) <= average(repeated) <= max(values)


def shares(*values: float) -> list[ScenarioScores]:
    return [ScenarioScores(f"s{place}", [value], 0, 0, value, value, value) for place, value in enumerate(values)]


def test_a_share_of_passes_has_wilsons_interval() -> None:
    # 8 of 10, all independent: SE^2 = p (1 - p) / (G - 1) = 0.16 / 9, so n = 9; t(9) = 2.262157, weight = t^2 / 9.
    found = estimate_scenarios(shares(*[1.0] * 8, 0.0, 0.0), (0, 1), share=True)
    weight = 2.262157**2 / 9
    centre = (0.8 + weight / 2) / (1 + weight)
    reach = (weight * 0.16 + weight**2 / 4) ** 0.5 / (1 + weight)
    assert found.ci95 == pytest.approx((centre - reach, centre + reach), abs=1e-6)
    assert found.ci95 == pytest.approx((0.4270, 0.9555), abs=1e-4)


@pytest.mark.parametrize(("value", "expected"), [(1.0, (0.953, 1.0)), (0.0, (0.0, 0.047))])
def test_even_where_all_passed_or_none_a_share_is_not_certain(value: float, expected: tuple[float, float]) -> None:
    # G / (G + t(80)^2) with G = 81 and t = 1.990: 81 / 84.96.
    found = estimate_scenarios(shares(*[value] * 81), (0, 1), share=True)
    assert found.ci95 == pytest.approx(expected, abs=1e-3)


def test_a_share_in_one_cluster_has_no_interval() -> None:
    assert estimate_scenarios(shares(1.0), (0, 1), share=True).ci95 is None


BEFORE, AFTER = [4.0, 5.0, 4.5, 3.0, 4.0], [3.0, 2.5, 4.0, 3.5]


def estimated(values: list[float], cluster: str = "") -> Estimate:
    observations = (Observation(cluster or f"c{n}", f"s{n}", 1, 1, value) for n, value in enumerate(values))
    return estimate(observations, (1, 5))


def test_with_a_cluster_for_each_value_it_is_welchs_test() -> None:
    found = unpaired_difference(estimated(BEFORE), estimated(AFTER))
    theirs = ttest_ind(AFTER, BEFORE, equal_var=False).confidence_interval(0.95)
    assert found is not None
    assert found.value == pytest.approx(3.25 - 4.1)
    assert found.ci95 == pytest.approx((theirs.low, theirs.high))
    assert found.p == pytest.approx(ttest_ind(AFTER, BEFORE, equal_var=False).pvalue)


def test_clusters_that_weigh_unevenly_count_as_fewer() -> None:
    even = [WeightedValue("s", name, 2.0, 0.5) for name in "abab"]
    assert effective_clusters(even) == pytest.approx(2)
    uneven = [WeightedValue("s", "a", 9.0, 0.5), WeightedValue("s", "b", 1.0, 0.5), WeightedValue("s", "c", 5.0, None)]
    assert effective_clusters(uneven) == pytest.approx(100 / 82)
    assert effective_clusters([]) == 0


def test_one_cluster_has_no_interval_and_no_value_no_difference() -> None:
    found = unpaired_difference(estimated(BEFORE, "one"), estimated(AFTER))
    assert found is not None
    assert found.ci95 is None
    assert unpaired_difference(estimated([]), estimated(AFTER)) is None


def test_without_any_spread_the_interval_is_the_difference() -> None:
    found = unpaired_difference(estimated([4.0, 4.0]), estimated([3.0, 3.0]))
    assert found is not None
    assert (found.value, found.ci95) == (-1.0, (-1.0, -1.0))
