"""The bound of non-inferiority: against Clopper and Pearson, against draws, and in the cases at its edges."""

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import beta

from evaluation.statistics.bound import lower_ends, share_below, situations_needed, unseen_size
from evaluation.statistics.clusters import effective_number

DRAWS = 100_000


def lower(differences: Sequence[float], largest: float = 1.0, level: float = 0.05, sizes: Sequence[int] = ()) -> float:
    weights = np.array(sizes or [1] * len(differences), dtype=float)
    return float(lower_ends(np.array([differences]), weights, np.array([largest]), level)[0])


def drawn(differences: Sequence[float], largest: float, sizes: Sequence[int], seed: int) -> np.ndarray:
    """Weighted means, by definition: one more situation at the worst end, weights from Exp(1)."""
    values = np.array([*differences, -largest])
    unseen = unseen_size(np.array(sizes, dtype=float))
    luck = np.random.default_rng(seed)
    # Seven digits of a weight are as good as sixteen, and are drawn in half the time.
    weights = luck.standard_exponential((DRAWS, len(values)), np.float32) * np.array([*sizes, unseen], np.float32)
    found: np.ndarray = (weights @ values.astype(np.float32)).astype(float) / weights.sum(axis=1, dtype=float)
    return found


@pytest.mark.parametrize("level", [0.05, 0.01, 0.05 / 28])
@pytest.mark.parametrize("situations", [2, 12, 59, 217, 2_000])
@pytest.mark.parametrize("falls", [0, 1, 2, 7])
def test_falls_of_one_size_give_clopper_and_pearsons_end(situations: int, falls: int, level: float) -> None:
    if falls >= situations:
        assert lower([-0.5] * situations, 0.5, level) == pytest.approx(-0.5)
        return
    theirs = -0.5 * beta.ppf(1 - level, falls + 1, situations - falls)
    assert lower([-0.5] * falls + [0.0] * (situations - falls), 0.5, level) == pytest.approx(theirs, abs=3e-7)


@pytest.mark.parametrize("seed", range(6))
def test_the_quantile_is_that_of_many_draws(seed: int) -> None:
    luck = np.random.default_rng(seed)
    count = int(luck.integers(3, 60))
    sizes = luck.integers(1, 1 + seed, endpoint=True, size=count).tolist()
    differences = np.maximum(luck.normal(0.01, 0.15, count).round(2), -0.5).tolist()
    means = drawn(differences, 0.5, sizes, seed)
    end = lower(differences, 0.5, sizes=sizes)
    # Of 100,000 draws the share below a point has a standard deviation of 0.07 percentage points.
    assert np.mean(means <= end) == pytest.approx(0.05, abs=0.003)
    at = np.array([end, -0.02, 0.01])
    shares = share_below(
        np.array([differences] * 3), np.array(sizes, dtype=float), np.full(3, 0.5), at, unseen_size(np.array(sizes))
    )
    assert shares == pytest.approx([np.mean(means <= point) for point in at], abs=0.005)


@pytest.mark.parametrize(
    ("values", "chances", "sizes", "largest"),
    [
        ([-0.08, 0.0, 0.41, 0.96], [0.81, 0.17, 0.008, 0.012], [1] * 284, 0.3),
        ([-1.0, 0.0], [0.02, 0.98], [1] * 245 + [6] * 3, 1.0),
        ([-0.5, 0.02], [0.03, 0.97], [1] * 100 + [3] * 10, 0.5),
        ([-0.02, 0.9], [0.97, 0.03], [1] * 100, 0.1),
        ([-0.3, 0.3], [0.5, 0.5], [1] * 40 + [39], 0.3),
    ],
)
@pytest.mark.slow
def test_the_share_is_right_at_every_place(
    values: list[float], chances: list[float], sizes: list[int], largest: float
) -> None:
    """Many small changes one way and few large ones the other: the mean lies below some places and above others."""
    for seed in range(3):
        luck = np.random.default_rng(seed)
        differences = luck.choice(values, size=len(sizes), p=chances).tolist()
        means = drawn(differences, largest, sizes, seed)
        inner = np.quantile(means, [0.0001, 0.01, 0.05, 0.3, 0.5, 0.8, 0.99, 0.9999])
        at = np.array([-0.99 * largest, -0.05, -0.02, *inner, max(differences) - 1e-6, max(differences) + 0.1])
        weights = np.array(sizes, dtype=float)
        shares = share_below(
            np.array([differences] * len(at)), weights, np.full(len(at), largest), at, unseen_size(weights)
        )
        assert shares == pytest.approx([np.mean(means <= point) for point in at], abs=0.006)
        assert np.mean(means <= lower(differences, largest, sizes=sizes)) == pytest.approx(0.05, abs=0.003)


@given(
    st.lists(st.tuples(st.floats(-0.5, 1.0), st.integers(1, 9)), min_size=1, max_size=30),
    st.randoms(use_true_random=False),
)
def test_it_lies_between_the_worst_end_and_the_mean_in_any_order(
    situations: list[tuple[float, int]], luck: random.Random
) -> None:
    differences, sizes = zip(*situations, strict=True)
    found = lower(differences, 0.5, sizes=sizes)
    assert -0.5 <= found <= np.average(differences, weights=sizes) + 1e-9
    luck.shuffle(situations)
    differences, sizes = zip(*situations, strict=True)
    assert lower(differences, 0.5, sizes=sizes) == pytest.approx(found, abs=1e-7)


def test_a_deeper_fall_lowers_it_and_so_does_a_larger_one_that_was_not_seen() -> None:
    ends = [lower([fall] + [0.0] * 80, largest) for fall, largest in ((0.0, 0.5), (-0.1, 0.5), (-0.5, 0.5), (-0.5, 1))]
    assert ends == sorted(ends, reverse=True) and len(set(ends)) == 4


def test_a_lower_level_gives_a_lower_end() -> None:
    assert lower([0.1, -0.1] * 20, level=0.001) < lower([0.1, -0.1] * 20, level=0.01) < lower([0.1, -0.1] * 20)


def test_one_situation_has_a_bound_near_the_worst_end() -> None:
    assert lower([0.0]) == pytest.approx(-0.95, abs=1e-6)


def test_rows_are_independent_of_one_another() -> None:
    rows = np.random.default_rng(1).normal(0, 0.1, (300, 40)).clip(-0.5)
    sizes, largest = np.ones(40), np.full(300, 0.5)
    together = lower_ends(rows, sizes, largest)
    assert together[::50] == pytest.approx([lower(row.tolist(), 0.5) for row in rows[::50]], abs=1e-8)
    passed = share_below(rows, sizes, largest, -0.03, 1.0) <= 0.05
    assert (passed == (together >= -0.03)).all()
    assert 0 < passed.sum() < 300


def test_twenty_thousand_situations_take_little_memory_and_time() -> None:
    row = np.random.default_rng(2).normal(0, 0.1, (1, 20_000)).clip(-0.5)
    found = lower_ends(row, np.ones(20_000), np.array([0.5]))
    # So many leave little to the one that nobody saw: the normal end.
    assert found[0] == pytest.approx(row.mean() - 1.645 * row.std() / 20_000**0.5 - 0.5 / 20_000, abs=5e-5)


@pytest.mark.parametrize(
    ("margin", "largest", "number"), [(0.05, 1.0, 59), (0.02, 1.0, 149), (0.02, 0.5, 74), (0.05, 0.5, 29)]
)
def test_the_situations_that_show_a_margin_without_any_fall(margin: float, largest: float, number: int) -> None:
    assert situations_needed(margin, largest) == number
    assert lower([0.0] * number, largest) >= -margin > lower([0.0] * (number - 1), largest)


@pytest.mark.parametrize("level", [0.05, 0.01])
@pytest.mark.parametrize("sizes", [[3] * 20, [1] * 79 + [2], [1] * 203 + [3] * 14, [11] + [1] * 11, [5, 3, 2, 1]])
def test_without_a_fall_uneven_situations_have_their_exact_end(sizes: list[int], level: float) -> None:
    """The worst chances of a fall that show none in 5% of sets, found by a solver that knows no formula."""
    weights = np.array(sizes, dtype=float)
    classes, counts = np.unique(weights, return_counts=True)

    def spent(chances: np.ndarray) -> float:
        return float(counts @ np.log1p(-chances) - np.log(level))

    worst = minimize(
        lambda chances: -float(counts * classes @ chances),
        np.full(len(classes), -np.expm1(np.log(level) / len(sizes))),
        bounds=[(0, 1 - 1e-9)] * len(classes),
        constraints={"type": "ineq", "fun": spent},
    )
    assert lower([0.0] * len(sizes), 0.5, level, sizes) == pytest.approx(0.5 * worst.fun / sum(sizes), rel=1e-4)
    assert unseen_size(weights, level) <= max(sizes) * (1 + 1e-9)


def test_the_number_of_situations_that_sizes_amount_to() -> None:
    assert effective_number([1] * 12) == 12
    assert effective_number([11] + [1] * 11) == pytest.approx(22**2 / 132)
