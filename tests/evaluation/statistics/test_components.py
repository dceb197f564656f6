"""Where the noise comes from: by hand, and recovered from planted data."""

import math

import numpy as np
import pytest

from evaluation.statistics.components import Components, split
from evaluation.statistics.paired import Grid, Place, ScenarioPair, estimate_pairs, pair_up, totals
from evaluation.statistics.permutation import sign_flip


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


def test_by_hand() -> None:
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
def test_planted_components_are_recovered(scenario: float, sampling: float, repeats: int) -> None:
    rng = np.random.default_rng(2)
    effects = rng.normal(0, scenario, size=4000)
    cells = effects[:, None] + rng.normal(0, sampling, size=(4000, repeats))
    pairs = pairs_of(cells.tolist())
    found = split(pairs, se_of(pairs))
    assert found.sampling is not None and found.scenario is not None
    assert math.sqrt(found.sampling) == pytest.approx(sampling, rel=0.1)
    assert found.scenario == pytest.approx(scenario**2, rel=0.1, abs=2e-4)


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
