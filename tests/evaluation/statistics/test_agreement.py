"""Kappa and alpha against published examples and values worked out by hand."""

import math
import random
from collections.abc import Sequence
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.statistics.agreement import Level, krippendorff_alpha, quadratic_kappa

FOUR_OBSERVERS = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)
"""Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section D: twelve units, gaps as dots."""

COHEN_1968 = ((88, 14, 18), (10, 40, 10), (2, 6, 12))
"""Cohen (1968), "Weighted kappa": two psychiatrists, three diagnoses, 200 patients; proportions .44, .07, .09, ..."""


def units_of(rows: Sequence[str]) -> list[list[float]]:
    return [[float(value) for value in unit if value != "."] for unit in zip(*map(str.split, rows), strict=True)]


def columns_of(table: Sequence[Sequence[int]]) -> tuple[list[float], list[float]]:
    cells = [(float(a), float(b)) for a, row in enumerate(table) for b, count in enumerate(row) for _ in range(count)]
    return [a for a, _ in cells], [b for _, b in cells]


@pytest.mark.parametrize(("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_the_published_example(level: Level, published: float) -> None:
    assert krippendorff_alpha(units_of(FOUR_OBSERVERS), level) == pytest.approx(published, abs=5e-4)


def test_alpha_by_hand() -> None:
    """Units (1,1), (1,2): observed 2 of 4 ordered values differ: 2/4. Expected: 3 ones, 1 two: 2*3*1/(4*3) = 1/2."""
    assert krippendorff_alpha([[1, 1], [1, 2]], "nominal") == pytest.approx(0)
    # Interval, values 0, 0, 0, 4 and 4, 4: observed (16 + 16) / 6, expected 2 * 6 * 24 / (6 * 5) = 9.6.
    assert krippendorff_alpha([[0, 0], [0, 4], [4, 4]], "interval") == pytest.approx(1 - (32 / 6) / 9.6)


def test_alpha_at_its_ends() -> None:
    assert krippendorff_alpha([[1, 1], [2, 2], [3, 3]], "ordinal") == 1
    opposed = krippendorff_alpha([[0, 1], [1, 0]], "nominal")
    assert opposed == pytest.approx(-0.5), "two categories, always opposed: 1 - 1 / (2/3)"


@pytest.mark.parametrize("units", [[], [[1.0]], [[1.0], [2.0]], [[2.0, 2.0], [2.0, 2.0]]])
@pytest.mark.parametrize("level", get_args(Level))
def test_alpha_says_nothing_where_nothing_was_distinguished(units: list[list[float]], level: Level) -> None:
    assert krippendorff_alpha(units, level) is None


def test_a_unit_with_one_value_changes_nothing() -> None:
    units = units_of(FOUR_OBSERVERS)
    assert krippendorff_alpha([*units, [99.0]], "interval") == krippendorff_alpha(units, "interval")


@given(st.lists(st.lists(st.integers(0, 4), min_size=2, max_size=4), min_size=2, max_size=8))
def test_alpha_is_that_of_the_coincidence_matrix(units: list[list[int]]) -> None:
    """The definition: disagreements over all ordered pairs, each unit's weighted by 1 / (m - 1)."""
    values = [value for unit in units for value in unit]
    found = krippendorff_alpha(units, "interval")
    if len(set(values)) < 2:
        assert found is None
        return
    total = len(values)
    observed = sum(sum((a - b) ** 2 for a in unit for b in unit) / (len(unit) - 1) for unit in units) / total
    expected = sum((a - b) ** 2 for a in values for b in values) / (total * (total - 1))
    assert found == pytest.approx(1 - observed / expected, abs=1e-9)


def test_kappa_of_cohens_table() -> None:
    """By hand: observed (40 * 1 + 20 * 4) / 200 = 0.6; chance from the marginals (.6 .3 .1), (.5 .3 .2): 1.1."""
    first, second = columns_of(COHEN_1968)
    assert quadratic_kappa(first, second) == pytest.approx(1 - 0.6 / 1.1)


def test_kappa_of_two_categories_is_cohens_unweighted() -> None:
    """The common grant-proposal example: 20 and 15 agreed, 5 and 10 not: (0.7 - 0.5) / (1 - 0.5) = 0.4."""
    assert quadratic_kappa(*columns_of(((20, 5), (10, 15)))) == pytest.approx(0.4)


def test_kappa_at_its_ends() -> None:
    assert quadratic_kappa([0, 1, 2], [0, 1, 2]) == 1
    assert quadratic_kappa([0, 2], [2, 0]) == -1
    assert quadratic_kappa([0, 1, 2], [1, 1, 1]) == 0, "a column that never varies agrees as chance does"


@pytest.mark.parametrize("column", [[], [3.0], [3.0, 3.0]])
def test_kappa_says_nothing_where_nothing_was_distinguished(column: list[float]) -> None:
    assert quadratic_kappa(column, column) is None


def test_kappa_wants_pairs() -> None:
    with pytest.raises(ValueError, match="1 and 2 values"):
        quadratic_kappa([1], [1, 2])


def test_kappa_is_that_of_the_table() -> None:
    """Weights (i - j)^2 over the observed and the expected cells, as the definition has them."""
    chosen = random.Random(3)
    first = [float(chosen.randrange(5)) for _ in range(60)]
    second = [min(4.0, max(0.0, value + chosen.choice((-1, 0, 0, 1)))) for value in first]
    observed = math.fsum((a - b) ** 2 for a, b in zip(first, second, strict=True)) / 60
    expected = math.fsum((a - b) ** 2 for a in first for b in second) / 3600
    assert quadratic_kappa(first, second) == pytest.approx(1 - observed / expected)
