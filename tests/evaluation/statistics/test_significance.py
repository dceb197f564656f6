"""Sign-flip and corrected p-values: counted by hand, against scipy, and what must not change them."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evaluation.statistics.significance import DRAWS, EXACT_UP_TO, SignFlip, holm, sign_flip


def one(*values: float, seed: int = 1) -> SignFlip:
    return sign_flip([{str(place): value for place, value in enumerate(values)}], seed)[0]


@pytest.mark.parametrize(
    ("values", "p"),
    [
        # Of +-1 +-2 +-3 only 6 and -6 reach 6: 2 of 8.
        ((1, 2, 3), 2 / 8),
        # The sum is 4: 6, 4, -4 and -6 reach it, 4 of 8.
        ((-1, 2, 3), 4 / 8),
        # The sum is 0, which every pattern reaches.
        ((-3, 1, 2), 1.0),
        # Of +-1 +-1 +-1 +-1 the sums 4 and -4 take one pattern each: 2 of 16.
        ((1, 1, 1, 1), 2 / 16),
        # A cluster of 0 doubles both counts.
        ((1, 1, 1, 1, 0), 2 / 16),
        # The sum is 2: all but the 6 patterns of sum 0.
        ((1, 1, 1, -1), 10 / 16),
        ((0, 0, 0), 1.0),
        ((0.3,), 1.0),
        ((), 1.0),
    ],
)
def test_exact_by_hand(values: tuple[float, ...], p: float) -> None:
    assert one(*values).p == pytest.approx(p)
    assert one(*values).exact


def test_equal_sums_count_as_equal_in_spite_of_rounding() -> None:
    # In binary 0.1 + 0.2 - 0.3 is 5.6e-17, and other patterns with the same decimals give 0 or 2.8e-17.
    assert one(0.1, 0.2, -0.3).p == 1.0
    # Total 0.4: the 8 patterns have sums 0.6, 0.4, 0.2, 0, three of them negative mirrored; 0.6 and 0.4 reach it.
    assert one(-0.1, 0.2, 0.3).p == pytest.approx(4 / 8)


@pytest.mark.parametrize("seed", range(6))
def test_exact_against_scipy(seed: int) -> None:
    values = np.random.default_rng(seed).normal(0.3, 1, size=10)
    theirs = stats.permutation_test((values,), np.mean, permutation_type="samples", n_resamples=2**10)
    assert one(*values).p == pytest.approx(theirs.pvalue, abs=1e-12)


@pytest.mark.parametrize("shift", [0.0, 0.2, 0.5])
def test_sampled_against_the_exact_share(shift: float) -> None:
    values = np.random.default_rng(3).normal(shift, 1, size=EXACT_UP_TO + 1)
    theirs = stats.permutation_test((values,), np.mean, permutation_type="samples", n_resamples=2 ** (EXACT_UP_TO + 1))
    found = one(*values)
    assert not found.exact
    deviation = np.sqrt(theirs.pvalue * (1 - theirs.pvalue) / DRAWS)
    assert found.p == pytest.approx(theirs.pvalue, abs=4 * deviation + 1 / DRAWS)


def test_a_sampled_p_value_is_never_zero() -> None:
    # All 40 clusters agree: no draw is expected to reach the sum, and the data themselves count as one.
    assert one(*[1.0] * 40) == SignFlip(1 / (DRAWS + 1), False)


def test_sampled_signs_are_fair_and_independent() -> None:
    # For 15 clusters of 1, |sum| = 15 has probability 2/32768 and |sum| >= 3 has 1 - 2 * C(15,7) / 2^15 = 0.6072.
    values = [1.0] * 9 + [-1.0] * 6
    assert one(*values).p == pytest.approx(1 - 2 * 6435 / 32768, abs=0.02)


def test_exact_up_to_the_limit() -> None:
    assert one(*[1.0] * EXACT_UP_TO).exact
    assert not one(*[1.0] * (EXACT_UP_TO + 1)).exact


def test_equal_seeds_give_equal_p_values() -> None:
    values = np.random.default_rng(5).normal(0.2, 1, size=30)
    assert one(*values, seed=4) == one(*values, seed=4)
    assert one(*values, seed=4) != one(*values, seed=5)


def test_metrics_share_draws_and_do_not_change_each_other() -> None:
    rng = np.random.default_rng(8)
    metrics = [{f"c{place}": float(value) for place, value in enumerate(rng.normal(0.2, 1, 30))} for _ in range(3)]
    together = sign_flip(metrics)
    assert together == [sign_flip([metric])[0] for metric in metrics]
    assert sign_flip([metrics[0], metrics[0]]) == [together[0], together[0]]


def test_a_cluster_without_values_is_left_out() -> None:
    rng = np.random.default_rng(9)
    many = {f"c{place}": float(value) for place, value in enumerate(rng.normal(0.3, 1, 40))}
    few = {name: many[name] for name in list(many)[:6]}
    found = sign_flip([many, few])
    assert found[1] == sign_flip([few])[0]
    assert found[1].exact


CLUSTERS = st.lists(st.integers(-20, 20), min_size=1, max_size=9)


@given(CLUSTERS)
def test_the_sign_and_the_order_of_all_do_not_matter(values: list[int]) -> None:
    assert one(*values) == one(*[-value for value in values]) == one(*reversed(values))


@given(CLUSTERS, st.floats(0.001, 1000))
def test_the_unit_does_not_matter(values: list[int], unit: float) -> None:
    assert one(*[value * unit for value in values]).p == pytest.approx(one(*values).p)


@settings(max_examples=20)
@given(CLUSTERS)
def test_half_of_all_patterns_stand_for_all(values: list[int]) -> None:
    count = 0
    for pattern in range(2 ** len(values)):
        flipped = sum(value if pattern >> place & 1 else -value for place, value in enumerate(values))
        count += abs(flipped) >= abs(sum(values))
    assert one(*values).p == pytest.approx(count / 2 ** len(values))


@pytest.mark.parametrize("clusters", [3, 6, 10])
def test_holds_its_level_over_all_sign_patterns(clusters: int) -> None:
    """Under the null each pattern is equally likely: at most 5% of them may have p <= 0.05."""
    sizes = np.random.default_rng(clusters).lognormal(size=clusters)
    p_values = []
    for pattern in range(2**clusters):
        p_values.append(one(*[size if pattern >> place & 1 else -size for place, size in enumerate(sizes)]).p)
    assert sum(p <= 0.05 for p in p_values) / len(p_values) <= 0.05
    assert sum(p <= 0.5 for p in p_values) / len(p_values) == pytest.approx(0.5, abs=0.01)


P_VALUES = st.lists(st.floats(0, 1), max_size=12)


@pytest.mark.parametrize(
    ("given_p", "adjusted"),
    [
        ([], []),
        ([0.03], [0.03]),
        # Sorted 0.01, 0.02, 0.04, times 3, 2, 1: 0.03, 0.04, 0.04.
        ([0.02, 0.01, 0.04], [0.04, 0.03, 0.04]),
        # 4 x 0.01 = 0.04; 3 x 0.02 = 0.06; 2 x 0.025 = 0.05, which may not fall below 0.06; 1 x 0.9.
        ([0.025, 0.01, 0.9, 0.02], [0.06, 0.04, 0.9, 0.06]),
        # Never above 1.
        ([0.6, 0.7], [1.0, 1.0]),
        ([0.0, 1.0], [0.0, 1.0]),
    ],
)
def test_by_hand(given_p: list[float], adjusted: list[float]) -> None:
    assert holm(given_p) == pytest.approx(adjusted)


@given(P_VALUES)
def test_between_the_p_value_and_bonferroni(p_values: list[float]) -> None:
    for p, adjusted in zip(p_values, holm(p_values), strict=True):
        assert p <= adjusted <= min(1.0, p * len(p_values)) + 1e-12


@given(P_VALUES)
def test_keeps_the_order_of_the_p_values(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    ranked = sorted(zip(p_values, adjusted, strict=True))
    assert [a for _, a in ranked] == sorted(adjusted)


@given(P_VALUES, st.randoms(use_true_random=False))
def test_does_not_depend_on_the_order_of_the_tests(p_values: list[float], random: Random) -> None:
    places = list(range(len(p_values)))
    random.shuffle(places)
    shuffled = holm([p_values[place] for place in places])
    assert shuffled == pytest.approx([holm(p_values)[place] for place in places])
