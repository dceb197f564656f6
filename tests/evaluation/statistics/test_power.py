"""Minimum detectable effects and what it takes to find smaller ones."""

import itertools
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluation.statistics.power import clusters_needed, detectable, reach, repeats_needed


def test_by_hand() -> None:
    # 10 situations: t(0.975, 9) = 2.2622 and t(0.8, 9) = 0.8834, together 3.1456; times an SE of 0.01.
    assert detectable(0.01, 10) == pytest.approx(0.031456, abs=1e-6)
    # At a sixth of the level: t(1 - 0.05/12, 9) = 3.3642 (scipy), plus 0.8834.
    assert reach(10, 0.05 / 6) == pytest.approx(stats.t.ppf(1 - 0.05 / 12, 9) + 0.883404, abs=1e-5)
    assert detectable(0.0, 10) == 0.0


@pytest.mark.parametrize("clusters", [2, 10, 40, 120, 5000])
def test_against_scipy(clusters: int) -> None:
    theirs = stats.t.ppf(0.975, clusters - 1) + stats.t.ppf(0.8, clusters - 1)
    assert reach(clusters) == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize("clusters", [10, 40, 120])
def test_the_power_of_the_t_test_at_that_effect(clusters: int) -> None:
    """The formula adds two t quantiles; the exact power is in the noncentral t and lies close to 80%."""
    bound = stats.t.ppf(0.975, clusters - 1)
    assert stats.nct.sf(bound, clusters - 1, reach(clusters)) == pytest.approx(0.8, abs=0.015)


def test_clusters_needed_by_hand() -> None:
    # With many situations the reach nears 1.960 + 0.842 = 2.802: SE 0.02 from 100 falls to 0.02 / 2.802 = 0.00714
    # for an effect of 0.02, at about 100 x 2.802^2 = 785 situations; a few more for t instead of normal.
    assert clusters_needed(0.02, 0.02, 100) == pytest.approx(787, abs=2)


def test_clusters_needed_is_the_smallest_number_that_does() -> None:
    for effect in (0.005, 0.02, 0.1):
        found = clusters_needed(effect, 0.02, 40)
        assert found is not None
        assert detectable(0.02 * math.sqrt(40 / found), found) <= effect
        assert found == 2 or detectable(0.02 * math.sqrt(40 / (found - 1)), found - 1) > effect


def test_what_no_plan_can_reach_is_none() -> None:
    assert clusters_needed(1e-9, 0.02, 40) is None
    # The scenarios alone leave an SE of 0.01: 0.02 / reach(40) = 0.0069 is below it.
    assert repeats_needed(0.02, fixed=0.01**2, per_repeat=0.01, clusters=40) is None
    assert repeats_needed(0.02, fixed=0.0, per_repeat=10.0, clusters=40) is None


def test_nothing_needed_where_nothing_varies() -> None:
    assert clusters_needed(0.02, 0.0, 40, least=10) == 10
    assert repeats_needed(0.02, fixed=0.0, per_repeat=0.0, clusters=40) == 1


def test_repeats_needed_by_hand() -> None:
    # reach(40) = 2.0227 + 0.8512 = 2.8739; SE^2 may be (0.05 / 2.8739)^2 = 0.00030269. Less 0.0001 fixed leaves
    # 0.00020269 for 0.0010 / repeats: 4.93, so 5.
    assert repeats_needed(0.05, fixed=0.0001, per_repeat=0.0010, clusters=40) == 5


@given(
    st.floats(0.005, 0.5),
    st.floats(0, 1e-3),
    st.floats(1e-6, 1e-1),
    st.integers(10, 500),
    st.sampled_from([0.05, 0.01]),
)
def test_repeats_needed_is_the_smallest_number_that_does(
    effect: float, fixed: float, per_repeat: float, clusters: int, level: float
) -> None:
    found = repeats_needed(effect, fixed, per_repeat, clusters, level=level)
    if found is None:
        assert detectable(math.sqrt(fixed + per_repeat / 1000), clusters, level) > effect * (1 - 1e-6)
        return
    assert detectable(math.sqrt(fixed + per_repeat / found), clusters, level) <= effect * (1 + 1e-6)
    if found > 1:
        assert detectable(math.sqrt(fixed + per_repeat / (found - 1)), clusters, level) > effect * (1 - 1e-6)


DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "statistics.md"
REPEATS = (1, 3, 5, 10)


def table_after(marker: str) -> dict[float, list[float]]:
    """First column -> the others, of the table that follows a marker in docs/statistics.md."""
    lines = (
        DOCUMENT.read_text(encoding="utf-8").split(f"<!-- {marker}: scenario 0.06, repeat 0.14 -->\n")[1].splitlines()
    )
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in itertools.takewhile(bool, lines)]
    return {float(first): [float(cell) for cell in rest] for first, *rest in rows[2:]}


def error_of(scenarios: int, repeats: int) -> float:
    return math.sqrt((0.06**2 + 0.14**2 / repeats) / scenarios)


def test_the_tables_in_the_document_are_these_formulas() -> None:
    effects = table_after("detectable")
    assert len(effects) == 7
    for situations, shown in effects.items():
        number = int(situations)
        assert shown == [round(detectable(error_of(number, repeats), number), 3) for repeats in REPEATS]
    needed = table_after("needed")
    assert len(needed) == 5
    for effect, shown in needed.items():
        assert shown == [clusters_needed(effect, error_of(40, repeats), 40, least=10) for repeats in REPEATS]
