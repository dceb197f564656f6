"""Where the noise comes from, and what can be found in it: by hand, and recovered from planted data."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluation.statistics.paired import Grid, Place, ScenarioPair, estimate_pairs, pair_up, totals
from evaluation.statistics.power import Components, clusters_needed, detectable, reach, repeats_needed, split
from evaluation.statistics.significance import sign_flip


def pairs_of(differences: list[list[float]], base: float = 0.0) -> list[ScenarioPair]:
    """One scenario per list of differences, repeat by repeat."""
    return [
        pair_up(
            Place(f"s{place}", f"s{place}", "talk"),
            Grid([base] * len(cells), 1),
            Grid([base + cell for cell in cells], 1),
            0.0,
            1.0,
        )
        for place, cells in enumerate(differences)
    ]


def se_of(pairs: list[ScenarioPair]) -> float | None:
    return estimate_pairs(pairs, sign_flip([totals(pairs)])[0]).se


def test_the_split_by_hand() -> None:
    # Scenario means 0.1, 0.3, 0.5 (variance 0.04); in each the repeats are 0.1 from their mean: variance
    # 2 x 0.01 / 1 = 0.02. Scenario part 0.04 - 0.02 / 2 = 0.03.
    pairs = pairs_of([[0.0, 0.2], [0.2, 0.4], [0.4, 0.6]])
    found = split(pairs, se_of(pairs))
    assert found.sampling == pytest.approx(0.02)
    assert found.scenario == pytest.approx(0.03)
    assert found.judge is None
    assert found.repeats == pytest.approx(2)
    # SE^2 = 0.04 / 3; of that 0.02 / 2 / 3 comes from repeats.
    assert found.fixed == pytest.approx(0.04 / 3 - 0.01 / 3)
    assert found.per_repeat == pytest.approx(0.02 / 3)
    # t(0.975, 3) x sqrt(0.01 / 3) = 3.18245 x 0.057735.
    assert found.floor == pytest.approx(0.183739, abs=1e-5)


def test_fixed_and_per_repeat_add_up_to_the_squared_standard_error() -> None:
    pairs = pairs_of([[0.0, 0.2, 0.1], [0.2, 0.3, 0.1], [0.7, 0.6, 0.5], [0.1, 0.1, 0.4]])
    found, se = split(pairs, se_of(pairs)), se_of(pairs)
    assert found.fixed is not None and found.per_repeat is not None and found.repeats is not None and se is not None
    assert found.fixed + found.per_repeat / found.repeats == pytest.approx(se**2)


def test_the_judges_part_is_taken_out_of_sampling() -> None:
    pairs = pairs_of([[0.0, 0.2], [0.2, 0.4]])
    found = split(pairs, se_of(pairs), judge=0.005)
    assert found.sampling == pytest.approx(0.015)
    assert found.judge == 0.005
    assert split(pairs, se_of(pairs), judge=0.5).sampling == 0.0


def test_one_repeat_says_nothing_but_the_judges_part() -> None:
    pairs = pairs_of([[0.1], [0.3]])
    assert split(pairs, se_of(pairs), judge=0.01) == Components(None, None, 0.01, None, None, None, None)
    assert split([], None).sampling is None


def test_nothing_varies() -> None:
    pairs = pairs_of([[0.1, 0.1], [0.1, 0.1]])
    found = split(pairs, se_of(pairs))
    assert (found.scenario, found.sampling, found.floor) == (0.0, 0.0, 0.0)


def test_unequal_repeats_count_by_their_harmonic_mean() -> None:
    pairs = pairs_of([[0.0, 0.2], [0.1, 0.2, 0.3, 0.4]])
    assert split(pairs, se_of(pairs)).repeats == pytest.approx(1 / ((1 / 2 + 1 / 4) / 2))


@pytest.mark.parametrize(("scenario", "sampling", "repeats"), [(0.05, 0.1, 3), (0.1, 0.05, 2), (0.0, 0.1, 5)])
@pytest.mark.slow
def test_planted_components_are_recovered(scenario: float, sampling: float, repeats: int) -> None:
    rng = np.random.default_rng(2)
    effects = rng.normal(0, scenario, size=4000)
    cells = effects[:, None] + rng.normal(0, sampling, size=(4000, repeats))
    pairs = pairs_of(cells.tolist())
    found = split(pairs, se_of(pairs))
    assert found.sampling is not None and found.scenario is not None
    assert math.sqrt(found.sampling) == pytest.approx(sampling, rel=0.1)
    assert found.scenario == pytest.approx(scenario**2, rel=0.1, abs=2e-4)


@pytest.mark.slow
def test_the_floor_is_what_a_process_differs_from_itself_by() -> None:
    rng = np.random.default_rng(3)
    within = 0
    for _ in range(400):
        pairs = pairs_of(rng.normal(0, 0.1, size=(20, 2)).tolist())
        found = split(pairs, se_of(pairs))
        mean = sum(pair.difference or 0.0 for pair in pairs) / len(pairs)
        assert found.floor is not None
        within += abs(mean) <= found.floor
    # 95% of 400, give or take three standard deviations of 4.4.
    assert 367 <= within <= 393


def test_the_minimum_detectable_effect_by_hand() -> None:
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
