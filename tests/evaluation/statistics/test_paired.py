"""Paired differences: by hand, against scipy, and what must hold for any scores."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluation.statistics.paired import (
    Grid,
    PairedEstimate,
    Place,
    ScenarioPair,
    coverage,
    difference_bounds,
    estimate_pairs,
    pair_up,
    totals,
)
from evaluation.statistics.scenario_scores import MISSING, NOT_APPLICABLE
from evaluation.statistics.significance import sign_flip

GAP, NA = MISSING, NOT_APPLICABLE


def pair(
    a: list[float], b: list[float], *, turns: int = 1, turns_b: int | None = None, cluster: str = "", name: str = "s"
) -> ScenarioPair:
    place = Place(name, cluster or name, "talk")
    return pair_up(place, Grid(a, turns), Grid(b, turns if turns_b is None else turns_b), 0.0, 1.0)


def estimate(pairs: list[ScenarioPair]) -> PairedEstimate:
    return estimate_pairs(pairs, sign_flip([totals(pairs)])[0])


def scenarios(a: list[float], b: list[float], clusters: list[str] | None = None) -> list[ScenarioPair]:
    names = clusters or [f"c{place}" for place in range(len(a))]
    return [
        pair([x], [y], cluster=name, name=f"s{place}")
        for place, (x, y, name) in enumerate(zip(a, b, names, strict=True))
    ]


class TestPairing:
    def test_turns_then_repeats(self) -> None:
        # Two repeats of two turns: cells 0.5 and 0.7 in a, 0.8 and 0.7 in b; scenario 0.6 and 0.75.
        found = pair([0.4, 0.6, 0.6, 0.8], [0.7, 0.9, 0.7, 0.7], turns=2)
        assert found.difference == pytest.approx(0.15)
        assert found.a == pytest.approx(0.6)
        assert found.b == pytest.approx(0.75)
        assert found.cells == pytest.approx((0.3, 0.0))
        assert (found.paired, found.planned) == (4, 4)
        assert found.lowest == found.highest == found.difference

    def test_a_turn_that_failed_in_one_run_is_left_out_of_both(self) -> None:
        # Turn 2 of b is missing: 0.9 in a must not count, or b would look worse by its easier mixture.
        found = pair([0.5, 0.9], [0.6, GAP], turns=2)
        assert found.difference == pytest.approx(0.1)
        assert (found.a, found.b) == (0.5, 0.6)
        assert (found.paired, found.planned) == (1, 2)
        # b between (0.6 + 0) / 2 and (0.6 + 1) / 2, a = 0.7.
        assert found.lowest == pytest.approx(-0.4)
        assert found.highest == pytest.approx(0.1)

    def test_gaps_of_both_runs_add_up(self) -> None:
        found = pair([GAP, 0.5, 0.7], [0.4, GAP, 0.9])
        assert found.difference == pytest.approx(0.2)
        assert found.cells == pytest.approx((0.2,))
        assert (found.paired, found.planned) == (1, 3)
        # a in [1.2, 2.2] / 3, b in [1.3, 2.3] / 3.
        assert found.lowest == pytest.approx(-0.3)
        assert found.highest == pytest.approx(1.1 / 3)

    def test_a_scenario_without_any_pair(self) -> None:
        found = pair([GAP, 0.5], [0.4, GAP])
        assert (found.a, found.b, found.difference, found.cells) == (None, None, None, ())
        assert (found.paired, found.planned) == (0, 2)

    def test_not_applicable_is_neither_planned_nor_missing(self) -> None:
        found = pair([NA, 0.5], [NA, 0.6], turns=2)
        assert found.difference == pytest.approx(0.1)
        assert (found.paired, found.planned) == (1, 1)
        nothing = pair([NA], [NA])
        assert (nothing.difference, nothing.lowest, nothing.planned) == (None, None, 0)

    def test_other_numbers_of_repeats_are_compared_by_their_means(self) -> None:
        found = pair([0.4, 0.6], [0.7, 0.7, 0.4])
        assert found.difference == pytest.approx(0.1)
        assert found.cells == ()
        assert (found.paired, found.planned) == (2, 2)

    def test_other_numbers_of_turns_with_a_gap(self) -> None:
        found = pair([0.4, 0.6], [GAP, GAP, GAP], turns=2, turns_b=3)
        assert (found.a, found.b, found.difference) == (None, None, None)
        assert (found.paired, found.planned) == (0, 3)

    @pytest.mark.parametrize(
        ("a", "b", "counts"),
        [
            ([0.5], [0.4, 0.6, 0.8], (1, 1)),
            ([0.5], [0.4, GAP, 0.8], (2, 3)),
            ([0.5, GAP], [0.4, 0.6, GAP], (1, 2)),
            ([GAP], [0.4, 0.6, 0.8], (0, 1)),
            ([NA], [0.4, 0.6, 0.8], (0, 0)),
            ([0.5, NA], [0.4, 0.6, 0.8], (1, 1)),
        ],
    )
    def test_other_numbers_of_repeats_are_no_gap(self, a: list[float], b: list[float], counts: tuple[int, int]) -> None:
        for found in (pair(a, b), pair(b, a)):
            assert (found.paired, found.planned) == counts

    def test_rounding_is_no_difference(self) -> None:
        assert pair([0.1 + 0.2], [0.3]).difference == 0.0


class TestEstimate:
    def test_by_hand(self) -> None:
        # Differences 0.1, 0.2, 0.3, 0.0 in four situations: mean 0.15, squares 0.0025 + 0.0025 + 0.0225 + 0.0225
        # = 0.05, variance 0.05 / 3, SE sqrt(0.05 / 3 / 4) = 0.064550, t(0.975, 3) = 3.18245: half width 0.205427.
        found = estimate(scenarios([0.5, 0.5, 0.5, 0.5], [0.6, 0.7, 0.8, 0.5]))
        assert found.difference == pytest.approx(0.15)
        assert found.se == pytest.approx(0.0645497, abs=1e-7)
        assert found.ci95 == pytest.approx((-0.055427, 0.355427), abs=1e-5)
        # t(0.95, 3) = 2.35336: half width 0.151909.
        assert found.ci90 == pytest.approx((-0.001909, 0.301909), abs=1e-5)
        # 0.15 / sqrt(0.05 / 3).
        assert found.effect == pytest.approx(1.161895, abs=1e-6)
        assert (found.wins, found.ties, found.losses) == (3, 1, 0)
        # 0.3, 0.2 and 0.1 must agree, the 0 may take either sign: 4 of 16 patterns.
        assert found.p_sign_flip == pytest.approx(0.25)
        assert found.p == found.p_sign_flip

    def test_clusters_by_hand(self) -> None:
        # Situations {0.1, 0.3}, {0.2}, {-0.2}: mean 0.1, residual sums 0.2, 0.1, -0.3, squares 0.14;
        # variance 3/2 x 0.14 / 16 = 0.013125.
        found = estimate(scenarios([0.4] * 4, [0.5, 0.7, 0.6, 0.2], ["x", "x", "y", "z"]))
        assert found.se == pytest.approx(math.sqrt(0.013125))
        assert (found.scenarios, found.clusters) == (4, 3)
        # Cluster sums 0.4, 0.2, -0.2, total 0.4: of 8 patterns all but the 2 of |sum| 0 reach it: 0.8, 0.4, 0.4, 0.
        assert found.p_sign_flip == pytest.approx(6 / 8)

    @pytest.mark.parametrize("seed", range(5))
    def test_against_a_paired_t_test_when_every_scenario_is_its_own_situation(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        a = rng.beta(5, 2, size=25)
        b = np.clip(a + rng.normal(0.03, 0.1, size=25), 0, 1)
        theirs = stats.ttest_rel(b, a)
        found = estimate(scenarios(a.tolist(), b.tolist()))
        interval = theirs.confidence_interval(0.95)
        assert found.p_t == pytest.approx(theirs.pvalue, rel=1e-8)
        assert found.ci95 == pytest.approx((interval.low, interval.high), rel=1e-8)
        assert found.ci90 == pytest.approx(tuple(theirs.confidence_interval(0.9)), rel=1e-8)

    def test_the_interval_leaves_out_zero_exactly_when_p_t_is_small(self) -> None:
        for shift in np.linspace(-0.1, 0.1, 41):
            rng = np.random.default_rng(1)
            found = estimate(scenarios([0.5] * 12, (0.5 + shift + rng.normal(0, 0.08, 12)).tolist()))
            assert found.ci95 is not None and found.p_t is not None
            assert (found.p_t <= 0.05) == (not found.ci95[0] <= 0 <= found.ci95[1])


class TestNothingVaries:
    def test_two_equal_runs(self) -> None:
        found = estimate(scenarios([0.5] * 12, [0.5] * 12))
        assert (found.difference, found.se, found.ci95, found.effect) == (0.0, 0.0, (0.0, 0.0), None)
        assert (found.p_t, found.p_sign_flip, found.ties) == (1.0, 1.0, 12)

    def test_one_shift_everywhere(self) -> None:
        found = estimate(scenarios([0.1 * place for place in range(8)], [0.1 * place + 0.2 for place in range(8)]))
        assert found.difference == pytest.approx(0.2)
        assert (found.se, found.effect, found.p_t) == (0.0, None, 0.0)
        assert found.p_sign_flip == pytest.approx(2 / 2**8)

    def test_one_situation_has_no_error(self) -> None:
        found = estimate(scenarios([0.5, 0.5], [0.6, 0.8], ["x", "x"]))
        assert found.difference == pytest.approx(0.2)
        assert (found.se, found.ci95, found.p) == (None, None, None)
        assert found.interval(0.9) is None

    def test_nothing_at_all(self) -> None:
        found = estimate([])
        assert (found.scenarios, found.difference, found.p) == (0, None, None)
        assert coverage([]) == (0, 0)
        assert difference_bounds([]) is None


SCORES = st.floats(0, 1, allow_nan=False).map(lambda value: round(value, 2))
ENTRY = st.one_of(SCORES, st.just(GAP))
RUNS = st.lists(st.tuples(st.sampled_from("abcdefghijkl"), st.lists(st.tuples(ENTRY, ENTRY), min_size=4, max_size=4)))


def pairs_from(runs: list[tuple[str, list[tuple[float, float]]]], *, swapped: bool = False) -> list[ScenarioPair]:
    return [
        pair(
            [entry[1 if swapped else 0] for entry in entries],
            [entry[0 if swapped else 1] for entry in entries],
            turns=2,
            cluster=cluster,
            name=f"s{place}",
        )
        for place, (cluster, entries) in enumerate(runs)
    ]


@given(RUNS)
def test_swapping_the_runs_turns_every_sign(runs: list[tuple[str, list[tuple[float, float]]]]) -> None:
    ours, theirs = estimate(pairs_from(runs)), estimate(pairs_from(runs, swapped=True))
    assert (ours.wins, ours.ties, ours.losses) == (theirs.losses, theirs.ties, theirs.wins)
    assert ours.p_sign_flip == theirs.p_sign_flip
    if ours.difference is not None:
        assert theirs.difference == pytest.approx(-ours.difference)
    if ours.ci95 is not None:
        assert theirs.ci95 == pytest.approx((-ours.ci95[1], -ours.ci95[0]))


@given(RUNS)
def test_the_difference_is_that_of_the_means_and_lies_in_its_interval(
    runs: list[tuple[str, list[tuple[float, float]]]],
) -> None:
    found = estimate(pairs_from(runs))
    if found.difference is None or found.mean_a is None or found.mean_b is None:
        return
    assert found.mean_b - found.mean_a == pytest.approx(found.difference, abs=1e-7)
    if found.ci95 is not None and found.ci90 is not None:
        assert found.ci95[0] <= found.ci90[0] <= found.difference <= found.ci90[1] <= found.ci95[1]


@given(RUNS, st.integers(0, 1000))
def test_the_bounds_hold_whatever_the_missing_values_were(
    runs: list[tuple[str, list[tuple[float, float]]]], seed: int
) -> None:
    found = difference_bounds(pairs_from(runs))
    if found is None:
        return
    drawn = random.Random(seed)
    filled = [
        (cluster, [tuple(drawn.random() if math.isnan(value) else value for value in entry) for entry in entries])
        for cluster, entries in runs
    ]
    truth = estimate(pairs_from(filled)).difference  # type: ignore[arg-type]
    assert truth is not None
    assert found[0] - 1e-7 <= truth <= found[1] + 1e-7
