"""The selection for a page that cannot hold everything."""

import math

from evaluation.reports.html.gathering import select

COUNT = 1000
WEAK = [number / COUNT for number in range(COUNT)]
APART = [0.0 if number < 500 else number / COUNT for number in range(COUNT)]


def test_everything_fits_or_something_is_chosen() -> None:
    assert select(range(30), WEAK, APART, seed=1, most=30) is None
    assert select(range(31), WEAK, APART, seed=1, most=30) is not None


def test_thirds_of_the_weakest_and_the_most_disagreeing_and_a_sample_of_the_rest() -> None:
    found = select(range(COUNT), WEAK, APART, seed=1, most=30)
    assert found is not None
    assert {*range(10), *range(990, 1000)} <= found.slots
    assert (found.not_scored, found.weakest, found.disagreeing, found.sampled) == (0, 10, 10, 10)
    assert (len(found.slots), found.available) == (30, COUNT)


def test_the_sample_is_the_same_for_the_same_seed_and_spread_over_the_rest() -> None:
    first, again, other = (select(range(COUNT), WEAK, APART, seed=seed, most=300) for seed in (1, 1, 2))
    assert first is not None and other is not None
    assert first == again
    assert first.slots != other.slots
    sample = first.slots - set(range(100)) - set(range(900, 1000))
    # A hundred of 800 evenly drawn: about 50 on either side of the middle (SD 4.7).
    assert 30 <= sum(slot < 500 for slot in sample) <= 70


def test_what_has_no_value_takes_a_tenth_of_the_room_at_most() -> None:
    weak = [math.nan if number < 200 else number / COUNT for number in range(COUNT)]
    found = select(range(COUNT), weak, APART, seed=1, most=30)
    assert found is not None
    assert (found.not_scored, found.weakest, len(found.slots)) == (3, 10, 30)
    assert set(range(200, 210)) <= found.slots
