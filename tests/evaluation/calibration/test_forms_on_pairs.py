"""Forms of the judge's question against people's preferences: ties, pairs on one message, and the price of a panel."""

import random

import pytest

from evaluation.calibration.judge_forms import (
    FormCalls,
    FormComparison,
    FormPreference,
    JudgeCalls,
    compare_forms_on_pairs,
)
from evaluation.calibration.people import RatingScale
from evaluation.calibration.rated_pairs import pair_accuracy, rated_pairs
from evaluation.calibration.ratings import RatedUnit, ScoreKey
from evaluation.reports.document import document
from evaluation.reports.judge_forms import conclusions, describe_forms
from evaluation.reports.terminal import to_terminal
from evaluation.statistics.side_by_side import mean_differences

KEY: ScoreKey = ("judge", "overall_quality")
WANTED = [("preference", "overall_quality")]
SCALES = {"preference": RatingScale(-1, 1, given=False)}


def pair(name: str, people: float, first: float, second: float, asked: str = "") -> list[RatedUnit]:
    return [
        RatedUnit(f"{name}-{side}", name, "pair", {KEY: value}, {"preference": sign * people}, asked=asked or name)
        for side, sign, value in (("a", 1, first), ("b", -1, second))
    ]


def made(shares: dict[str, float], pairs: int = 200, seed: int = 1) -> dict[str, list[RatedUnit]]:
    """Pairs that each form puts right with a known probability, by the same luck for all."""
    luck = random.Random(seed)
    units: dict[str, list[RatedUnit]] = {form: [] for form in shares}
    for number in range(pairs):
        people, fortune = luck.choice((1, -1)), luck.random()
        for form, share in shares.items():
            better = people if fortune < share else -people
            units[form] += pair(str(number), people, 0.5 + better / 10, 0.5)
    return units


def compared(units: dict[str, list[RatedUnit]], usual: str = "reasoned") -> list[FormPreference]:
    return list(compare_forms_on_pairs(units, WANTED, SCALES, usual, seed=0, resamples=1000))


def said(rows: list[FormPreference], usual: str = "reasoned") -> str:
    return " ".join(conclusions(FormComparison(usual, (), (), tuple(rows))))


def test_a_form_that_puts_more_pairs_as_people_do_is_better() -> None:
    rows = compared(made({"reasoned": 0.65, "parts": 0.85, "score_first": 0.5}))
    by_form = {row.form: row for row in rows}
    assert [(row.pairs, row.clusters, row.ties) for row in rows] == [(200, 200, 0)] * 3
    better, worse = by_form["parts"].above_usual.ci95, by_form["score_first"].above_usual.ci95
    assert better is not None and better[0] > 0 and worse is not None and worse[1] < 0
    assert "parts agrees best" in said(rows) and "better than reasoned: parts" in said(rows)
    assert "worse than reasoned: score_first" in said(rows)


def test_forms_that_agree_equally_tie() -> None:
    rows = compared(made({"reasoned": 0.7, "parts": 0.7}))
    assert rows[1].above_usual.value == 0.0
    assert "ties with every other form" in said(rows)


def test_a_best_form_that_is_no_better_than_guessing_is_called_so() -> None:
    assert "no better than guessing" in said(compared(made({"reasoned": 0.5, "parts": 0.5})))
    assert "no better than guessing" not in said(compared(made({"reasoned": 0.9, "parts": 0.9})))


def test_ties_of_a_form_count_half_and_pairs_without_a_preference_are_out() -> None:
    units = {
        "reasoned": [*pair("1", 1, 0.9, 0.1), *pair("2", 1, 0.1, 0.9), *pair("3", 0, 0.9, 0.1)],
        "parts": [*pair("1", 1, 0.5, 0.5), *pair("2", 1, 0.9, 0.1), *pair("3", 0, 0.9, 0.1)],
    }
    first, second = compared(units)
    assert (first.pairs, first.undecided, first.ties, first.accuracy.value) == (2, 1, 0, 0.5)
    assert (second.ties, second.accuracy.value, second.above_usual.value) == (1, 0.75, 0.25)


def test_only_pairs_with_both_values_of_every_form_count() -> None:
    units = made({"reasoned": 0.7, "parts": 0.7}, pairs=10)
    units["parts"][3] = RatedUnit("1-b", "1", "pair", {}, units["parts"][3].ratings)
    lone = RatedUnit("x", "x", "pair", {KEY: 1.0}, {"preference": 1.0})
    assert {row.pairs for row in compared({form: [*rows, lone] for form, rows in units.items()})} == {9}
    assert compared({form: [lone] for form in units}) == []


def test_pairs_on_one_message_stand_in_one_resample_together() -> None:
    """Ten copies of each of 20 pairs: ten times the pairs, and no more is known than from the 20."""
    luck = random.Random(4)
    alone, copied = [], []
    for number in range(20):
        people = luck.choice((1, -1))
        better = people if luck.random() < 0.7 else -people
        alone += pair(str(number), people, 0.5 + better / 10, 0.5)
        for copy in range(10):
            copied += pair(f"{number}-{copy}", people, 0.5 + better / 10, 0.5, asked=str(number))
    one, ten = (
        pair_accuracy("preference", KEY, units, SCALES["preference"], seed=0, resamples=2000)
        for units in (alone, copied)
    )
    assert (one.pairs, ten.pairs) == (20, 200)
    assert one.accuracy == ten.accuracy
    assert len({each.cluster for each in rated_pairs("preference", copied, SCALES["preference"])}) == 20


def test_the_differences_of_means_are_paired() -> None:
    columns = [[1.0, 0.0, 1.0, 1.0], [1.0, 0.0, 1.0, 0.0]]
    alone, above = mean_differences(columns, ["a", "b", "c", "d"], base=0, seed=0, resamples=500)
    assert [figure.value for figure in alone] == [0.75, 0.5]
    assert above[0].value == 0.0 and above[0].ci95 == (0.0, 0.0)
    assert above[1].value == -0.25
    assert above[1].ci95 is not None and above[1].ci95[1] == pytest.approx(0.0), "the first is never worse"
    assert mean_differences([[], []], [], base=0, seed=0)[0][0].value is None


def test_pairs_and_the_price_of_a_panel_fit_80_columns() -> None:
    units = made({"reasoned": 0.7, "score_first_each": 0.7}, pairs=8)
    judges = tuple(JudgeCalls(f"a-judge-with-a-long-name-{at}", 3_414, 3_254_301, 95_413, 0.5 * at) for at in range(3))
    calls = tuple(FormCalls.of(form, 569, 1, judges, fit=True) for form in units)
    assert calls[0].calls == 3 * 3_414 and calls[0].usd == pytest.approx(1.5)
    found = FormComparison("reasoned", calls, (), tuple(compared(units)))
    shown = to_terminal(document(describe_forms(found)), color=False)
    assert max(map(len, shown.splitlines())) <= 80
    assert "small sample: 8 messages" in " ".join(shown.split())
    assert "10,242" in shown and shown.count("3,414") == 6, "each member by itself, and all of them together"
    unknown = FormCalls.of("parts", 1, 0, [JudgeCalls("a", 1, 1, 1, 0.5), JudgeCalls("b", 1, 1, 1, None)], fit=None)
    assert unknown.usd is None, "a sum without one of its parts is none"


def test_one_form_alone_has_a_price_and_no_comparison() -> None:
    calls = (FormCalls.of("reasoned", 3, 0, [JudgeCalls("a", 3, 3_000, 300, 0.25)], fit=True),)
    shown = to_terminal(document(describe_forms(FormComparison("reasoned", calls, ()))), color=False)
    assert "$0.2500" in shown and "differences" not in shown and "nothing can be compared" not in shown
