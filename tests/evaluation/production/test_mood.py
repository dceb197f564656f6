"""Moods of a sample of production, by hand."""

import pytest

from evaluation.production.sampling import SampledTurn
from evaluation.production.summary import summarise_moods
from tests.evaluation.production.rows import observation


def test_shares_and_mean_count_each_conversation_by_its_weight() -> None:
    # 30 x 2 and 10 x -2 and 10 x 0, of 50 that tell two moods: (60 - 20) / 50 = 0.8.
    turns = [SampledTurn(observation(number), "all", weight) for number, weight in enumerate((30.0, 10.0, 10.0, 50.0))]
    found = summarise_moods(list(zip(turns, (2, -2, 0, None), strict=True)))
    assert found is not None
    assert found.change.mean == pytest.approx(0.8)
    assert [each.mean for each in (found.better, found.even, found.worse)] == [0.6, 0.2, 0.2]
    assert found.change.n == 3


def test_without_two_moods_anywhere_nothing_is_measured() -> None:
    assert summarise_moods([(SampledTurn(observation(1), "all", 1.0), None)]) is None
    assert summarise_moods([]) is None
