"""The errors of a judge on yes-or-no questions: the rates, the limits of an honest judge, and what they make fail."""

import random

import pytest

from evaluation.judging.fitness import CARE, MOST_WRONG, fitness, measure_items
from evaluation.judging.item_errors import ItemErrors, count_failures_of_errors, majority_of_three

NONE = ItemErrors(asked_no=26, said_no=26, wrong_yes=0, asked_yes=26, said_yes=26, wrong_no=0, misquoted=0)


def errors(wrong_yes: int = 0, wrong_no: int = 0, misquoted: int = 0, unread: int = 0) -> ItemErrors:
    return ItemErrors(26, 26 - wrong_yes - unread, wrong_yes, 26, 26 - wrong_no - unread, wrong_no, misquoted)


def fit(found: ItemErrors) -> bool | None:
    return fitness(list(measure_items(found)), ended=True)


def test_the_rates_are_shares_of_the_answers() -> None:
    found = errors(wrong_yes=3, wrong_no=2, unread=5)
    assert (found.wrong_yes_rate, found.wrong_no_rate) == (3 / 21, 2 / 21)
    by_name = {figure.name: figure for figure in measure_items(found)}
    assert (by_name["wrong yes"].value, by_name["wrong yes"].of) == (3 / 21, 21)
    assert by_name["wrong no"].high == pytest.approx(0.15 + CARE * (0.15 * 0.85 / 21) ** 0.5)


@pytest.mark.parametrize(
    ("found", "right"),
    [
        (NONE, True),
        (errors(wrong_yes=8, wrong_no=8), True),
        (errors(wrong_yes=9), False),
        (errors(wrong_no=9), False),
        (errors(misquoted=9), False),
        (errors(wrong_yes=26), False),
        (errors(wrong_no=26), False),
        (errors(unread=5), True),
        (errors(unread=6), False),
        (ItemErrors(26, 0, 0, 26, 0, 0, 0), True),
    ],
)
def test_a_judge_is_fit_within_the_limits_of_an_honest_one(found: ItemErrors, right: bool) -> None:
    assert fit(found) is right


def test_a_missing_kind_is_missing_and_nothing_read_is_no_figure() -> None:
    assert [figure.value for figure in measure_items(errors(unread=6))][:2] == [None, None]
    assert list(measure_items(ItemErrors(26, 0, 0, 26, 0, 0, 0))) == []


def share_failed(wrong: float, runs: int = 2000) -> float:
    luck = random.Random(4)
    failed = 0
    for _ in range(runs):
        yes, no = (sum(luck.random() < wrong for _ in range(26)) for _ in range(2))
        failed += fit(errors(wrong_yes=yes, wrong_no=no)) is False
    return failed / runs


def test_honest_judges_are_seldom_blamed_and_guessing_ones_seldom_missed() -> None:
    assert share_failed(MOST_WRONG) < 0.02
    assert share_failed(0.05) == 0
    assert share_failed(0.5) > 0.98


def test_what_errors_alone_make_fail() -> None:
    assert [round(majority_of_three(share), 6) for share in (0, 0.01, 0.05, 0.5, 1)] == [0, 0.000298, 0.00725, 0.5, 1]
    found = ItemErrors(100, 95, 5, 100, 97, 3, 0)
    assert count_failures_of_errors(found, asks=80, nevers=0) == pytest.approx(80 * 0.002646)
    assert count_failures_of_errors(found, asks=0, nevers=80) == pytest.approx(80 * 0.00725)
    assert count_failures_of_errors(found, 80, 20) == pytest.approx(80 * 0.002646 + 20 * 0.00725)
    unknown = ItemErrors(26, 0, 0, 26, 20, 1, 0)
    assert count_failures_of_errors(unknown, asks=5, nevers=0) is not None
    assert count_failures_of_errors(unknown, asks=5, nevers=1) is None


def test_the_majority_is_that_of_three_answers() -> None:
    luck = random.Random(1)
    share, runs = 0.2, 20_000
    found = sum(sum(luck.random() < share for _ in range(3)) >= 2 for _ in range(runs)) / runs
    assert found == pytest.approx(majority_of_three(share), abs=0.01)
