"""Known mixes: the bias falls and the intervals hold the truth; docs/statistics.md has the whole table."""

import pytest

from benchmarks.simulations.mixes import CASES, sum_up
from benchmarks.simulations.tables import Draws

TRIALS = 120
EVEN, UNEVEN = CASES[0], CASES[1]


@pytest.mark.long
def test_under_an_uneven_mix_the_set_is_biased_and_the_mix_is_not() -> None:
    found = sum_up(UNEVEN, Draws(1, TRIALS).cell("test", UNEVEN.name), TRIALS)
    assert abs(found.bias_of_set) > 0.05 > 10 * abs(found.bias_of_mix)
    assert found.set_holds < 0.05
    assert 0.89 <= found.mix_holds <= 0.995  # of 95%, three standard errors of so many trials to either side
    assert found.refused == 0


@pytest.mark.long
def test_under_an_even_mix_both_hold() -> None:
    found = sum_up(EVEN, Draws(1, TRIALS).cell("test", EVEN.name), TRIALS)
    assert abs(found.bias_of_mix) < 0.005
    assert 0.89 <= found.mix_holds <= 0.995
