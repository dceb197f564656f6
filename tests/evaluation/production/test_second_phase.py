"""Which of the scored turns a judge is given."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.production.second_phase import Candidate, band_ends, draw_again


def candidates(count: int = 360) -> list[Candidate]:
    """Three versions, two categories that are met and one that hardly is, scores all over."""
    chance = random.Random(7)
    return [
        Candidate(
            f"turn-{number}",
            f"penpal v{1 + number % 3}",
            "rare" if number % 60 == 0 else chance.choice(("chat", "grief")),
            round(chance.random(), 2),
        )
        for number in range(count)
    ]


def test_low_scores_are_drawn_more_often_than_others() -> None:
    among = candidates()
    found = draw_again(among, 90, seed=1)
    assert len(found.drawn) == 90
    known = {each.key: each for each in among}
    bands = {
        band: [key for key, stratum in found.strata.items() if f", {band}" in stratum]
        for band in ("low", "middle", "high")
    }
    shares = {band: len(set(found.drawn) & set(keys)) / len(keys) for band, keys in bands.items()}
    assert shares["low"] > 1.2 * shares["high"] and shares["low"] > shares["middle"] > shares["high"]
    highest_low = max(known[key].score or 0 for key in bands["low"])
    assert highest_low <= min(known[key].score or 0 for key in bands["middle"])


def test_of_every_stratum_some_are_drawn_and_thin_ones_are_joined() -> None:
    found = draw_again(candidates(), 90, seed=1)
    sizes = Counter(found.strata.values())
    assert min(sizes.values()) >= 4
    drawn = Counter(found.strata[key] for key in found.drawn)
    assert drawn.keys() == sizes.keys() and min(drawn.values()) >= 2
    assert any(stratum.endswith("others") for stratum in sizes), "the rare category stands with others"


@pytest.mark.parametrize(("count", "parts"), [(36, 3), (20, 2), (8, 1), (2, 0)])
def test_strata_are_merged_where_few_can_be_judged(count: int, parts: int) -> None:
    found = draw_again(candidates(), count, seed=1)
    assert len(found.drawn) == count
    assert {len(stratum.split(", ")) if stratum else 0 for stratum in found.strata.values()} == {parts}


def test_the_same_seed_draws_the_same_in_any_order_and_another_draws_others() -> None:
    among = candidates()
    shuffled = among.copy()
    random.Random(3).shuffle(shuffled)
    first, second = draw_again(among, 60, seed=1), draw_again(shuffled, 60, seed=1)
    assert set(first.drawn) == set(second.drawn) and first.strata == second.strata
    assert set(draw_again(among, 60, seed=2).drawn) != set(first.drawn)


def test_equal_scores_lie_in_one_band() -> None:
    assert band_ends([0.5] * 9) == (0.5, 0.5)
    assert band_ends([1, 2, 3, 4, 5, 6]) == (1, 3)
    assert band_ends([]) == ()
    alike = [Candidate(str(number), "v1", "", 0.5) for number in range(50)]
    assert len(set(draw_again(alike, 10, seed=1).strata.values())) == 1


@given(
    st.lists(
        st.tuples(st.sampled_from(("v1", "v2", "v3")), st.sampled_from(("", "a", "b")), st.none() | st.floats(0, 1)),
        max_size=60,
    ),
    st.integers(1, 80),
)
def test_as_many_are_drawn_as_may_be(found: list[tuple[str, str, float | None]], count: int) -> None:
    among = [Candidate(str(number), *each) for number, each in enumerate(found)]
    again = draw_again(among, count, seed=1)
    assert len(set(again.drawn)) == len(again.drawn) == min(count, len(among))
    assert again.strata.keys() == {each.key for each in among}
    if count >= 2:
        assert {again.strata[key] for key in again.drawn} == set(again.strata.values())
