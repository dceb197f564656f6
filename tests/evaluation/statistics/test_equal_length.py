"""The win rate at equal length: exact where it must be, undisturbed by length, honest about small samples."""

import math
import random

import numpy as np
import pytest

from evaluation.statistics.equal_length import EqualLength, LengthPair, equal_length

TRIALS = 400


def logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def drawn(
    luck: random.Random, *, situations: int, each: int, quality: float, length: float, shift: float, place: float
) -> list[LengthPair]:
    """Pairs asked in both orders of a judge that sees quality, loves length, and leans towards what stands first."""
    pairs = []
    for situation in range(situations):
        common = luck.gauss(0, 0.5)
        for _ in range(each):
            ratio = luck.gauss(shift, 0.35)
            seen = quality + common + luck.gauss(0, 0.3) + length * ratio
            won = sum(luck.random() < logistic(seen + lean) for lean in (place, -place))
            pairs.append(LengthPair(str(situation), won / 2, ratio))
    return pairs


def truth(quality: float, place: float) -> float:
    """The win rate of such a judge at equal length."""
    luck = random.Random(0)
    draws = [quality + luck.gauss(0, 0.5) + luck.gauss(0, 0.3) for _ in range(20_000)]
    return sum((logistic(seen + place) + logistic(seen - place)) / 2 for seen in draws) / len(draws)


def test_it_is_the_fractional_logit() -> None:
    pairs = drawn(random.Random(3), situations=30, each=2, quality=0.5, length=1.0, shift=0.2, place=0.5)
    found = equal_length(pairs)
    assert found.win_rate is not None and found.twice_as_long is not None
    matrix = np.array([[1.0, pair.log_ratio] for pair in pairs])
    results = np.array([pair.result for pair in pairs])
    beta = np.zeros(2)
    for _ in range(50):
        share = 1 / (1 + np.exp(-matrix @ beta))
        weight = share * (1 - share)
        beta += np.linalg.solve(matrix.T @ (weight[:, None] * matrix), matrix.T @ (results - share))
    assert found.win_rate.value == pytest.approx(logistic(beta[0]), abs=1e-8)
    assert found.twice_as_long.value == pytest.approx(logistic(math.log(2) * beta[1]), abs=1e-8)


def test_without_a_word_about_length_it_is_the_plain_rate() -> None:
    results = [1.0, 1.0, 0.0, 0.5, 1.0, 0.0] * 4
    pairs = [
        LengthPair(f"{number}-{sign}", result, sign * 0.2) for number, result in enumerate(results) for sign in (-1, 1)
    ]
    found = equal_length(pairs)
    assert found.win_rate is not None and found.twice_as_long is not None
    assert found.win_rate.value == pytest.approx(sum(results) / len(results))
    assert found.twice_as_long.value == pytest.approx(0.5)


def test_it_says_when_hardly_any_pair_is_of_equal_length() -> None:
    near = drawn(random.Random(5), situations=40, each=1, quality=0.4, length=0.5, shift=0.1, place=0.0)
    far = drawn(random.Random(5), situations=40, each=1, quality=0.4, length=0.5, shift=1.5, place=0.0)
    assert not equal_length(near).extrapolated
    assert equal_length(far).extrapolated


def test_it_turns_around_with_the_sides() -> None:
    pairs = drawn(random.Random(5), situations=20, each=2, quality=0.4, length=1.5, shift=0.3, place=0.0)
    one = equal_length(pairs)
    other = equal_length([LengthPair(pair.cluster, 1 - pair.result, -pair.log_ratio) for pair in pairs])
    assert one.win_rate is not None and other.win_rate is not None
    assert one.win_rate.value == pytest.approx(1 - other.win_rate.value)
    assert one.win_rate.ci95[0] == pytest.approx(1 - other.win_rate.ci95[1])
    assert one.twice_as_long == pytest.approx(one.twice_as_long)


@pytest.mark.parametrize(
    ("pairs", "problem"),
    [
        ([], "0 situations"),
        ([LengthPair(str(n), float(n % 2), n / 10) for n in range(9)], "9 situations"),
        ([LengthPair(str(n), 1.0, n / 10) for n in range(30)], "one way"),
        ([LengthPair(str(n), float(n > 1), n / 10) for n in range(30)], "one way"),
        ([LengthPair(str(n), float(n % 2), 0.3) for n in range(30)], "alike everywhere"),
        ([LengthPair(str(n), float(n > 14), n / 10 - 1.45) for n in range(30)], "length alone"),
    ],
)
def test_it_says_why_there_is_none(pairs: list[LengthPair], problem: str) -> None:
    found = equal_length(pairs)
    assert found.win_rate is None
    assert problem in found.problem


@pytest.mark.parametrize(
    ("quality", "length", "shift", "place"),
    [(0.0, 1.5, 0.4, 1.0), (0.8, 1.0, 0.3, 0.7), (-0.8, 2.0, 0.5, 0.0)],
)
@pytest.mark.slow
def test_its_interval_holds_the_truth(quality: float, length: float, shift: float, place: float) -> None:
    luck, right = random.Random(11), truth(quality, place)
    held, values = 0, []
    for _ in range(TRIALS):
        found: EqualLength = equal_length(
            drawn(luck, situations=40, each=2, quality=quality, length=length, shift=shift, place=place)
        )
        assert found.win_rate is not None
        held += found.win_rate.ci95[0] <= right <= found.win_rate.ci95[1]
        values.append(found.win_rate.value)
    # Three standard errors of a share of 95% around the goal of 93% to 97%.
    care = 3 * math.sqrt(0.95 * 0.05 / TRIALS)
    assert 0.93 - care <= held / TRIALS <= 0.97 + care
    assert sum(values) / TRIALS == pytest.approx(right, abs=0.03)
