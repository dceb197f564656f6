"""Boundaries against published tables, against scipy, and where looks come as they please."""

import math
from collections.abc import Sequence

import pytest

from evaluation.statistics.spending import EarlierLook, crossing, next_boundary, spent_by

ALPHA = 0.05


def bounds(shares: Sequence[float], information: Sequence[float] | None = None) -> list[EarlierLook]:
    """A look at each share of the horizon; information goes with it unless it is given."""
    looks, spent, before = list[EarlierLook](), 0.0, 0.0
    for share, level in zip(shares, information or shares, strict=True):
        to_spend = spent_by(share, ALPHA) - spent
        correlation = math.sqrt(before / level)
        boundary = next_boundary(looks, correlation, to_spend)
        spent += to_spend if boundary < math.inf else 0.0
        looks.append(EarlierLook(boundary, correlation))
        before = level
    return looks


def designed(boundaries: Sequence[float]) -> list[EarlierLook]:
    """Looks at equal distances."""
    return [EarlierLook(each, math.sqrt(at / (at + 1))) for at, each in enumerate(boundaries)]


def test_five_looks_have_the_boundaries_of_the_published_tables() -> None:
    """Reboussin, DeMets, Kim and Lan 2000 (the example of ldbounds), two-sided at 0.05."""
    found = [look.boundary for look in bounds([0.2, 0.4, 0.6, 0.8, 1.0])]
    assert found == pytest.approx([4.8769, 3.3569, 2.6803, 2.2898, 2.0310], abs=2e-4)


@pytest.mark.parametrize(
    ("looks", "pocock", "obrien_fleming"), [(2, 2.178, 1.977), (5, 2.413, 2.040), (10, 2.555, 2.087)]
)
def test_known_designs_cross_as_often_as_they_should(looks: int, pocock: float, obrien_fleming: float) -> None:
    """Constants of Jennison and Turnbull 2000, tables 2.1 and 2.3, two-sided at 0.05."""
    numbers = range(1, looks + 1)
    flat = designed([pocock for _ in numbers])
    falling = designed([obrien_fleming * math.sqrt(looks / number) for number in numbers])
    assert sum(crossing(flat)) == pytest.approx(ALPHA, abs=1e-4)
    assert sum(crossing(falling)) == pytest.approx(ALPHA, abs=1e-4)


def test_what_is_spent_begins_with_nothing_and_ends_with_all() -> None:
    assert spent_by(0, ALPHA) == spent_by(-1, ALPHA) == 0
    assert spent_by(1, ALPHA) == pytest.approx(ALPHA) == spent_by(3, ALPHA)
    assert spent_by(0.5, ALPHA) == pytest.approx(0.003051, abs=1e-6), "twice 2 - 2 Phi(2.2414 / sqrt 0.5)"


def test_all_looks_together_cross_as_often_as_was_spent() -> None:
    for shares in ([0.3, 0.31, 0.9], [k / 30 for k in range(1, 31)], [1.0]):
        looks = bounds(shares)
        assert sum(crossing(looks)) == pytest.approx(spent_by(shares[-1], ALPHA), abs=1e-9)


def test_boundaries_hold_against_scipy() -> None:
    from scipy.stats import multivariate_normal

    looks = bounds([0.4, 0.7, 1.0], [3.0, 4.0, 9.0])
    levels, ends = [3.0, 4.0, 9.0], [look.boundary for look in looks]
    correlation = [[math.sqrt(min(a, b) / max(a, b)) for a in levels] for b in levels]
    law = multivariate_normal(cov=correlation, seed=1, abseps=1e-7)
    inside = law.cdf(ends, lower_limit=[-end for end in ends])
    assert 1 - inside == pytest.approx(ALPHA, abs=2e-6)


def test_the_clock_need_not_be_that_of_information() -> None:
    slow, even = bounds([0.5, 1.0], [1.0, 10.0])[1], bounds([0.5, 1.0])[1]
    assert slow.boundary > even.boundary, "less is shared with the look before"


def test_looks_that_are_all_but_the_same_still_hold_their_level() -> None:
    for correlation in (1.0, 1.2, math.sqrt(0.99), -0.3):
        boundary = next_boundary([EarlierLook(2.5)], correlation, 0.01)
        assert crossing([EarlierLook(2.5), EarlierLook(boundary, correlation)])[1] == pytest.approx(0.01, abs=1e-9)
    alone = next_boundary([EarlierLook(2.5)], 0.0, 0.01)
    assert alone > next_boundary([EarlierLook(2.5)], 1.0, 0.01), "what is shared with another look is not spent twice"


def test_so_early_a_look_finds_nothing_and_spends_nothing() -> None:
    assert next_boundary([], 0.0, spent_by(0.01, ALPHA)) == math.inf
    assert next_boundary([EarlierLook(2.0)], 0.5, 0.0) == math.inf
    late = next_boundary([EarlierLook(math.inf)], 0.5, ALPHA)
    assert late == pytest.approx(1.95996, abs=1e-4), "an early look without a boundary costs a later one nothing"
