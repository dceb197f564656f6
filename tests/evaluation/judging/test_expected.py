"""The value of a number by its alternatives: the mean of the judge's own distribution, wherever that is known."""

import json
import math
import random
from collections.abc import Mapping
from typing import Any

import pytest

from evaluation.judging.asking import NumberQuestion
from evaluation.judging.expected import Expected, expect
from evaluation.judging.forms import SCORE_FIRST
from evaluation.judging.judge import Judge
from evaluation.records import NumberToken, Reply, Verdict
from evaluation.runspec import JudgePin
from tests.evaluation.judging.attacks import ATTACKS
from tests.evaluation.judging.verdicts import DIMENSIONS, exchange, judge_rubric, reply

KEYS = (*DIMENSIONS, "overall_quality")
JUDGE = Judge(JudgePin("j", "e", "schema", form="score_first"), judge_rubric(), 7)
SHAPE = NumberQuestion(judge_rubric(), "schema", SCORE_FIRST).shape


def numbers(value: int = 7, **changed: Any) -> str:
    return json.dumps({**dict.fromkeys(KEYS, value), "reasoning": "fine", **changed})


def token(text: str, name: str, odds: Mapping[str, float], digits: str | None = None) -> NumberToken:
    start = text.index(f'"{name}": ') + len(f'"{name}": ')
    return NumberToken(start, digits or text[start:].split(",")[0], odds)


def with_odds(odds: Mapping[str, float], value: int = 7, name: str = "helpfulness") -> Reply:
    text = numbers(value)
    return reply(text, numbers=(token(text, name, odds),))


def read(answer: Reply) -> Verdict:
    return JUDGE.read([answer], exchange("Hi", "Hello!"))


def test_the_mean_of_the_distribution_stands_for_the_number() -> None:
    verdict = read(with_odds({"6": 0.2, "7": 0.5, "8": 0.3}))
    assert verdict.scores["helpfulness"] == pytest.approx(0.71)
    assert verdict.scores["appropriateness"] == pytest.approx(0.7), "no alternatives are known of this one"
    assert verdict.rationale["helpfulness"] == "7.10 of 10 expected (+/- 0.70, 7 written, 100% on the scale); fine"
    assert verdict.rationale["appropriateness"] == "7 of 10 as written (no alternatives are known); fine"


def test_what_is_off_the_scale_is_left_out_and_said() -> None:
    verdict = read(with_odds({"6": 0.3, "7": 0.3, "100": 0.2, "11": 0.1}))
    assert verdict.scores["helpfulness"] == pytest.approx(0.65)
    assert "60% on the scale" in verdict.rationale["helpfulness"]


def test_below_half_of_the_probability_the_number_counts_as_written() -> None:
    verdict = read(with_odds({"7": 0.2, "2": 0.29}))
    assert verdict.scores["helpfulness"] == pytest.approx(0.7)
    assert "as written (the numbers of the scale hold 49% of the probability)" in verdict.rationale["helpfulness"]


def test_a_token_of_its_own_makes_ten_clear() -> None:
    assert read(with_odds({"1": 0.1, "9": 0.4, "10": 0.5}, 9)).scores["helpfulness"] == pytest.approx(0.87)


def test_a_one_that_may_begin_a_ten_is_not_guessed_at() -> None:
    verdict = read(with_odds({"9": 0.6, "1": 0.4}, 9))
    assert verdict.scores["helpfulness"] == pytest.approx(0.9)
    assert "nobody knows whether 1 begins 10" in verdict.rationale["helpfulness"]
    assert read(with_odds({"9": 0.97, "1": 0.03}, 9)).scores["helpfulness"] == pytest.approx((0.97 * 9 + 0.03) / 10)


def test_a_ten_in_two_tokens_divides_the_probability_of_its_first() -> None:
    text = numbers(10)
    first = token(text, "helpfulness", {"1": 0.8, "9": 0.2}, "1")
    second = NumberToken(first.start + 1, "0", {"0": 0.9})
    verdict = read(reply(text, numbers=(first, second)))
    assert verdict.scores["helpfulness"] == pytest.approx((0.72 * 10 + 0.08 * 1 + 0.2 * 9) / 10)


def test_the_place_is_that_of_the_key_and_no_other() -> None:
    text = '<think>"helpfulness": 2, or so</think>' + numbers(7, reasoning='it prints \\"helpfulness\\": 1')
    thought = NumberToken(text.index(": 2") + 2, "2", {"2": 1.0})
    written = NumberToken(text.rindex('"helpfulness": 7') + 15, "7", {"7": 0.5, "8": 0.5})
    assert read(reply(text, numbers=(thought, written))).scores["helpfulness"] == pytest.approx(0.75)
    assert read(reply(text, numbers=(thought,))).scores["helpfulness"] == pytest.approx(0.7)


def test_samples_are_averaged_over_their_expectations() -> None:
    judge = Judge(JudgePin("j", "e", "schema", samples=2, form="score_first"), judge_rubric(), 7)
    answers = [with_odds({"7": 0.5, "8": 0.5}), with_odds({"5": 1.0}, 5)]
    verdict = judge.read(answers, exchange("Hi", "Hello!"))
    assert verdict.scores["helpfulness"] == pytest.approx((0.75 + 0.5) / 2)
    assert verdict.spread["helpfulness"] == pytest.approx(0.25)


@pytest.mark.parametrize("mean", [0.4, 2.5, 5.0, 7.3, 9.6])
@pytest.mark.parametrize("sd", [0.4, 1.0, 2.0])
def test_the_expectation_recovers_the_mean_where_the_mode_cannot(mean: float, sd: float) -> None:
    """A judge whose opinion is a bell around a known mean, written down as its most likely number."""
    weights = {k: math.exp(-((k - mean) ** 2) / (2 * sd * sd)) for k in range(11)}
    total = sum(weights.values())
    true = sum(k * w for k, w in weights.items()) / total
    odds = {str(k): w / total * 0.98 for k, w in weights.items()}
    mode = max(weights, key=lambda k: weights[k])
    text = numbers(mode)
    found = expect("helpfulness", reply(text, numbers=(token(text, "helpfulness", odds),)), SHAPE)
    assert isinstance(found, Expected)
    assert found.value == pytest.approx(true, abs=1e-6) and found.share == pytest.approx(0.98)
    luck = random.Random(f"{mean} {sd}")
    drawn = luck.choices(range(11), list(weights.values()), k=20_000)
    assert sum(drawn) / len(drawn) == pytest.approx(found.value, abs=0.06), "the mean of many samples is the same"


def test_no_attack_moves_an_expectation() -> None:
    for name, attack in ATTACKS.items():
        text = numbers(3, reasoning=f"It says {attack}")
        place = token(text, "helpfulness", {"3": 0.5, "4": 0.5})
        verdict = JUDGE.read([reply(text, numbers=(place,))], exchange("Hi", attack))
        assert verdict.scores["helpfulness"] == pytest.approx(0.35), name
        for said in (attack, numbers(10)):
            planted = JUDGE.read([reply(numbers(10), numbers=(place,))], exchange("Hi", f"{said} {numbers(10)}"))
            assert planted.scores == {}, name
