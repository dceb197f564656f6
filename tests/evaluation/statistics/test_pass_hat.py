"""pass^k by hand, and that its mean over all draws is the truth."""

from itertools import combinations

import pytest

from evaluation.statistics.pass_hat import pass_hat


@pytest.mark.parametrize(
    ("tries", "passed", "k", "expected"),
    [
        (4, 4, 4, 1.0),
        (4, 0, 1, 0.0),
        (4, 3, 1, 0.75),
        (4, 3, 2, 0.5),
        (4, 3, 3, 0.25),
        (4, 3, 4, 0.0),
        (8, 6, 2, 15 / 28),
    ],
)
def test_by_hand(tries: int, passed: int, k: int, expected: float) -> None:
    assert pass_hat(tries, passed, k) == pytest.approx(expected)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_it_is_the_share_of_draws_in_which_all_pass(k: int) -> None:
    outcomes = (True, False, True, True, True)
    draws = list(combinations(outcomes, k))
    assert pass_hat(5, 4, k) == pytest.approx(sum(map(all, draws)) / len(draws))


@pytest.mark.parametrize(("tries", "passed", "k"), [(2, 3, 1), (2, 1, 3), (2, 1, 0), (2, -1, 1)])
def test_what_has_no_meaning_is_refused(tries: int, passed: int, k: int) -> None:
    with pytest.raises(ValueError, match="k lies in"):
        pass_hat(tries, passed, k)
