"""Which generations are drawn, and how many each stands for."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.production.observation import Observation
from evaluation.production.sampling import Draw, SampledTurn, allocate
from tests.evaluation.production.rows import observation

DAY = 86_400


def production(versions: dict[int, int], days: int = 14) -> list[Observation]:
    """Generations of prompt versions over two weeks, so many of each, newest first."""
    found = []
    for version, count in versions.items():
        for number in range(count):
            second = (number * days * DAY) // count + version
            found.append(observation(second, id=f"{version}-{number}", promptVersion=version))
    return sorted(found, key=lambda each: each.started_at, reverse=True)


def drawn(observations: list[Observation], count: int, seed: int = 1) -> list[SampledTurn]:
    draw = Draw(seed, count)
    for each in observations:
        draw.offer(each)
    return draw.sample(count)


def test_the_weights_are_the_sizes_over_what_was_drawn() -> None:
    # Two weeks of each version: 400 + 400 and 100 + 100; the roots are as 20 to 10, so 60 are drawn 20 20 10 10.
    sample = drawn(production({1: 800, 2: 200}), 60)
    assert Counter(each.stratum for each in sample) == {
        "penpal v1, 2026-W47": 20, "penpal v1, 2026-W48": 20, "penpal v2, 2026-W47": 10, "penpal v2, 2026-W48": 10,
    }  # fmt: skip
    assert {each.weight for each in sample if "v1" in each.stratum} == {20.0}
    assert {each.weight for each in sample if "v2" in each.stratum} == {10.0}
    assert sum(each.weight for each in sample) == 1000


def test_all_are_drawn_where_there_are_few() -> None:
    sample = drawn(production({1: 20, 2: 5}), 100)
    assert len(sample) == 25
    assert {each.weight for each in sample} == {1.0}


def test_the_same_seed_draws_the_same_in_any_order_and_another_draws_others() -> None:
    observations = production({1: 300, 2: 60})
    first = drawn(observations, 40)
    shuffled = observations.copy()
    random.Random(5).shuffle(shuffled)
    assert drawn(shuffled, 40) == first
    assert drawn(observations, 40, seed=2) != first
    assert [each.observation.started_at for each in first] == sorted(
        (each.observation.started_at for each in first), reverse=True
    )


def test_a_draw_goes_on_from_what_an_earlier_one_kept() -> None:
    observations = production({1: 300, 2: 60})
    before, kept = Draw(1, 40), list[Observation]()
    for each in observations[:200]:
        if before.offer(each):
            kept.append(each)
    assert len(kept) < 200
    after = Draw(1, 40)
    after.restore(before.sizes, kept)
    for each in observations[200:]:
        after.offer(each)
    assert after.sample(40) == drawn(observations, 40)


def test_what_was_sent_twice_is_known() -> None:
    draw = Draw(1, 10)
    one, other = observation(1), observation(1, id="other")
    assert [draw.is_repeated(each) for each in (one, other, one, observation(0))] == [False, False, True, False]


@pytest.mark.parametrize(("count", "strata"), [(8, 4), (7, 2), (4, 2), (3, 1), (1, 1)])
def test_strata_are_merged_where_the_sample_is_too_small_for_them(count: int, strata: int) -> None:
    sample = drawn(production({1: 80, 2: 20}), count)
    assert len(sample) == count
    assert len({each.stratum for each in sample}) == strata
    assert sum(each.weight for each in sample) == pytest.approx(100)


@given(st.lists(st.integers(1, 500), min_size=1, max_size=12), st.integers(1, 400))
def test_as_many_are_drawn_as_may_be_and_no_more_than_there_are(sizes: list[int], count: int) -> None:
    strata: dict[tuple[str, ...], int] = {(str(place),): size for place, size in enumerate(sizes)}
    if count >= len(sizes):
        numbers = allocate(strata, count)
        assert sum(numbers.values()) == min(count, sum(sizes))
        assert all(1 <= numbers[stratum] <= size for stratum, size in strata.items())


def test_each_of_a_stratum_is_drawn_equally_often() -> None:
    observations = production({1: 40}, days=7)
    counted = Counter(each.observation.id for seed in range(400) for each in drawn(observations, 10, seed))
    assert len(counted) == 40
    assert all(60 < times < 145 for times in counted.values()), "100 expected, 4.5 standard deviations"


def test_memory_follows_the_sample() -> None:
    draw = Draw(1, 50)
    for number in range(5_000):
        draw.offer(observation(number, id=str(number)))
    assert sum(draw.sizes.values()) == 5_000
    assert len(draw._observations) == 50
