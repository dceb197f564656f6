"""The power of paired checks: against enumeration by hand, against simulation, and where the scale ends."""

from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from evaluation.statistics.discordance import CheckDesign, detectable_fall, pairs_needed, power_at
from evaluation.statistics.paired import PairedEstimate, Place, ScenarioPair, estimate_pairs, totals
from evaluation.statistics.significance import sign_flip
from evaluation.statistics.student_t import quantile

TRIALS = 250


def pairs_of(before: Iterable[float], after: Iterable[float]) -> list[ScenarioPair]:
    """Single outcomes, each a situation of its own."""
    found = []
    for place, (a, b) in enumerate(zip(before, after, strict=True)):
        change = float(b) - float(a)
        where = Place(str(place), str(place), "talk")
        found.append(ScenarioPair(where, float(a), float(b), change, (change,), 1, 1, change, change))
    return found


def estimated(pairs: Sequence[ScenarioPair]) -> PairedEstimate:
    (flip,) = sign_flip([totals(pairs)])
    return estimate_pairs(pairs, flip)


def enumerated(fall: float, pairs: int, rate: float, noise: float) -> float:
    """The power summed pair by pair: 3^pairs outcomes, each tested by scipy's sign test and by t."""
    gain = noise / 2 * (1 - fall / rate)
    chances = {-1: gain + fall, 1: gain, 0: 1 - 2 * gain - fall}
    found = 0.0
    for counts in product(range(pairs + 1), repeat=2):
        fallen, gained = counts
        if fallen <= gained or fallen + gained > pairs:
            continue
        changes = np.array([-1.0] * fallen + [1.0] * gained + [0.0] * (pairs - fallen - gained))
        error = changes.std(ddof=1) / pairs**0.5
        called = -changes.mean() > quantile(0.975, pairs - 1) * error
        if called and binomtest(fallen, fallen + gained).pvalue <= 0.05:
            ways = binom.pmf(fallen, pairs, chances[-1])
            found += ways * binom.pmf(gained, pairs - fallen, gain / (1 - chances[-1]))
    return found


@pytest.mark.parametrize(("rate", "noise"), [(1.0, 0.0), (0.9, 0.18), (0.95, 0.02)])
@pytest.mark.parametrize("fall", [0.2, 0.5, 0.7])
def test_power_is_the_sum_over_what_the_tests_call(fall: float, rate: float, noise: float) -> None:
    assert power_at(fall, 14, 14, rate, noise) == pytest.approx(enumerated(fall, 14, rate, noise), abs=1e-9)


def test_six_pairs_must_fall_before_anything_is_found() -> None:
    assert detectable_fall(12, 12, 1.0, 0.0) == pytest.approx(0.578, abs=0.001)
    assert binom.sf(5, 12, 0.578) == pytest.approx(0.8, abs=0.001)


@pytest.mark.parametrize("noise", [0.0, 0.05, 0.18])
def test_the_normal_formula_takes_over_smoothly(noise: float) -> None:
    exact, normal = (detectable_fall(pairs, pairs, 0.9, noise) for pairs in (400, 401))
    assert exact is not None and normal == pytest.approx(exact, rel=0.05)


def test_what_is_needed_finds_it() -> None:
    for noise, fall in ((0.0, 0.1), (0.18, 0.15), (0.18, 0.03)):
        number = pairs_needed(fall, 0.9, noise, least=10)
        assert number is not None
        assert power_at(fall, number, number, 0.9, noise) >= 0.8
        assert power_at(fall, number - 2, number - 2, 0.9, noise) < 0.81
    assert pairs_needed(0.95, 0.9, 0.0, least=10) is None, "no such fall exists"


def test_the_scale_may_leave_no_room() -> None:
    """Five of twelve pass: none of them can fall so that twelve pairs show it, and the seven others can."""
    assert detectable_fall(12, 12, 5 / 12, 0.0) is None
    before = [1.0] * 5 + [0.0] * 7
    design = CheckDesign.of(pairs_of(before, before), estimated(pairs_of(before, before)), called=False)
    assert design is not None and design.rate == pytest.approx(7 / 12)
    assert detectable_fall(10, 10, 0.6, 0.0) is None


def test_repeats_of_one_outcome_are_no_new_pairs() -> None:
    """Three repeats that move together are one pair; three that do not are more."""
    luck = np.random.default_rng(3)
    numbers = []
    for together in (True, False):
        pairs = []
        for place in range(60):
            cells = luck.integers(-1, 2, 1 if together else 3).astype(float).tolist() * (3 if together else 1)
            mean = sum(cells) / 3
            where = Place(str(place), str(place), "talk")
            pairs.append(ScenarioPair(where, 0.5, 0.5 + mean, mean, tuple(cells), 3, 3, mean, mean))
        design = CheckDesign.of(pairs, estimated(pairs), called=False)
        assert design is not None
        numbers.append(design.pairs)
    assert numbers[0] == pytest.approx(60, abs=1) and 120 < numbers[1] <= 180


@pytest.mark.parametrize("alike", [False, True], ids=["independent draws", "nothing differed"])
@pytest.mark.parametrize("rate", [0.9, 0.95, 1.0])
@pytest.mark.parametrize("situations", [12, *(pytest.param(number, marks=pytest.mark.long) for number in (24, 60))])
@pytest.mark.slow
def test_the_stated_fall_is_found_in_about_80_of_100(situations: int, rate: float, alike: bool) -> None:
    """A comparison without a fall states what it can find; the next one has that fall. Deviation 2.5 points."""
    luck = np.random.default_rng(situations)
    found = 0
    for _ in range(TRIALS):
        before = luck.random(situations) < rate
        pairs = pairs_of(before, before if alike else luck.random(situations) < rate)
        design = CheckDesign.of(pairs, estimated(pairs), called=False)
        assert design is not None
        fall = design.detectable()
        assert fall is not None
        before = luck.random(situations) < rate
        after = before & (luck.random(situations) >= fall / rate) if alike else luck.random(situations) < rate - fall
        seen = estimated(pairs_of(before, after))
        found += seen.p is not None and seen.p <= 0.05 and (seen.difference or 0.0) < 0
    assert 0.72 <= found / TRIALS <= 0.88
