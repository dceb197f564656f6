"""Holm's correction, by hand and by what it promises."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.statistics.holm import holm

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
def test_does_not_depend_on_the_order_of_the_tests(p_values: list[float], random: object) -> None:
    places = list(range(len(p_values)))
    random.shuffle(places)  # type: ignore[attr-defined]
    shuffled = holm([p_values[place] for place in places])
    assert shuffled == pytest.approx([holm(p_values)[place] for place in places])
