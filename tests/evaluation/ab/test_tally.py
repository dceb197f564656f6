"""What generations add up to: arms by first contact, weights by version and week, users by their first days."""

import random
from collections.abc import Mapping

import pytest

from evaluation.ab.plan import DAY_S
from evaluation.ab.tally import BASE, CANDIDATE
from evaluation.moments import moment
from evaluation.statistics.two_arms import UserSum
from tests.evaluation.ab.made import START, day, generation, tally_of


def one_of(arm: Mapping[int, UserSum]) -> UserSum:
    """The sums of the only user."""
    (found,) = arm.values()
    return found


def test_a_user_belongs_to_the_version_that_he_met_first_with_all_that_he_does() -> None:
    rows = [
        generation("ana", CANDIDATE, 1.0, 0.5),
        generation("ana", BASE, 3.0, 0.9),
        generation("ben", BASE, 2.0, 0.7),
        generation("ben", BASE, 2.1, 0.8),
    ]
    for order in (rows, rows[::-1]):
        tally = tally_of(order)
        base, candidate = tally.arms()
        assert (base.units, base.crossed, candidate.units, candidate.crossed) == (1, 0, 1, 1)
        of_base, of_candidate = tally.by_response()
        assert one_of(of_base) == pytest.approx((2.0, 1.5))
        assert one_of(of_candidate) == pytest.approx((2.0, 1.4))


def test_a_value_weighs_as_many_generations_of_its_version_and_week_as_it_stands_for() -> None:
    first = [generation(f"u{at}", BASE, 1, 0.5 if at < 2 else None) for at in range(10)]
    second = [generation(f"w{at}", BASE, 8, 0.9 if at < 5 else None) for at in range(10)]
    of_base, _ = tally_of(first + second).by_response()
    assert sorted(of_base.values()) == [(2.0, 1.8)] * 5 + [(5.0, 2.5)] * 2
    sunday_and_monday = tally_of(
        [generation("a", BASE, 6.9, 1.0), generation("b", BASE, 7.1), generation("c", BASE, 6.8)]
    )
    assert list(sunday_and_monday.by_response()[0].values()) == [(2.0, 2.0)], "a week ends on Sunday"
    assert tally_of(first[:2]).evenness() == 1
    assert tally_of(first + second).evenness() == pytest.approx(20**2 / (2 * 25 + 5 * 4) / 7)


def test_a_sample_drawn_by_strata_gives_the_mean_of_all() -> None:
    """Weeks of which few and many were scored, whose scores differ: the weights undo the draw."""
    luck = random.Random(7)
    rows = [
        generation(f"{arm} {luck.randrange(400)}", arm, week * 7 + luck.random() * 7, 0.5 + 0.1 * week)
        for arm in (BASE, CANDIDATE)
        for week in range(3)
        for _ in range(1_000)
    ]
    kept = [
        each if luck.random() < (0.5, 0.05, 0.2)[int((each.at - moment(START).timestamp()) // DAY_S) // 7] else
        each._replace(value=None)
        for each in rows
    ]  # fmt: skip
    for sums in tally_of(kept).by_response():
        assert sum(each.total for each in sums.values()) / sum(each.weight for each in sums.values()) == pytest.approx(
            0.6
        )


def test_users_count_once_by_their_first_days_and_only_when_these_have_passed() -> None:
    rows = [
        generation("ana", BASE, 0.9, 0.2),
        generation("ana", BASE, 6.9, 0.4),
        generation("ana", BASE, 7.1, 1.0),
        generation("ben", CANDIDATE, 3.0, 0.6),
        generation("eva", CANDIDATE, 0.1),
    ]
    start = moment(START).timestamp()
    (base, candidate), waiting = tally_of(rows).by_user(7, start + 8 * DAY_S)
    assert one_of(base) == pytest.approx((1.0, 0.3))
    assert candidate == {} and waiting == 1
    (base, candidate), waiting = tally_of(rows).by_user(7, start + 10 * DAY_S)
    assert one_of(candidate) == (1.0, 0.6) and waiting == 0
    (base, _), waiting = tally_of(rows).by_user(7, start + 6.99 * DAY_S)
    assert base == {} and waiting == 3


def test_sessions_are_assigned_and_users_are_the_clusters() -> None:
    rows = [
        generation("s1", BASE, 1, 0.5, cluster="ana"),
        generation("s2", CANDIDATE, 2, 0.7, cluster="ana"),
        generation("s3", CANDIDATE, 2, 0.9, cluster="ben"),
    ]
    tally = tally_of(rows)
    base, candidate = tally.arms()
    assert (base.units, candidate.units, base.crossed + candidate.crossed) == (1, 2, 0)
    of_base, of_candidate = tally.by_response()
    assert of_base.keys() & of_candidate.keys(), "ana is in both"
    assert len(of_candidate) == 2


def test_failures_and_costs_are_counted_beside_it() -> None:
    rows = [
        generation("ana", BASE, 1, 0.5, cost=0.25),
        generation("ana", BASE, 1, None, failed=True),
        generation("ben", CANDIDATE, 1, None, counts=False, cost=0.5),
        generation("ben", CANDIDATE, 1, 0.5),
    ]
    tally = tally_of(rows)
    base, candidate = tally.arms()
    assert (base.generations, base.failed, base.frame, base.scored) == (1, 1, 1, 1)
    assert (candidate.generations, candidate.frame, candidate.scored) == (2, 1, 1)
    assert [list(arm.values()) for arm in tally.failures()] == [[(2.0, 1.0)], [(2.0, 0.0)]]
    assert [list(arm.values()) for arm in tally.costs()] == [[(1.0, 0.25)], [(1.0, 0.5)]]
    assert [list(arm.values()) for arm in tally.by_response()] == [[(1.0, 0.5)], [(1.0, 0.5)]]


def test_what_an_earlier_look_saw_is_told_apart() -> None:
    rows = [
        generation("ana", BASE, 1.0, 0.2),
        generation("ana", BASE, 2.4, 0.4),
        generation("ana", BASE, 2.6, 0.9),
        generation("ben", BASE, 2.4),
        generation("eva", CANDIDATE, 3.0, 0.6),
    ]
    tally = tally_of(rows, day(2.5))
    then, now = tally.by_response(before_cut=True), tally.by_response()
    assert one_of(then[0]) == pytest.approx((3.0, 0.9)), "two of three were scored by then"
    assert one_of(now[0]) == pytest.approx((4.0, 2.0))
    assert then[1] == {} and one_of(now[1]) == (1.0, 0.6)


def test_units_are_split_by_the_week_in_which_they_came() -> None:
    rows = [generation("ana", BASE, 6.9), generation("ana", CANDIDATE, 8.0), generation("ben", CANDIDATE, 7.1)]
    assert tally_of(rows).splits() == [(1, 0), (0, 1)]


def test_nothing_adds_up_to_nothing() -> None:
    tally = tally_of([])
    assert tally.by_response() == ({}, {}) and tally.by_user(7, 0.0) == (({}, {}), 0)
    assert tally.arms()[0].units == 0 and tally.evenness() == 1
