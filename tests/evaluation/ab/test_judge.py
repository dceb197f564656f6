"""What a look says after those before it: what is spent stays spent, and the first verdict stands."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from evaluation.ab.judge import ended, judge_look
from evaluation.ab.look import Look, Reading, read_tally
from evaluation.ab.outlook import look_ahead
from evaluation.ab.plan import Plan
from evaluation.statistics.spending import crossing
from tests.evaluation.ab.made import PLAN, SEQUENCE, day, generation, reading, tally_of


def look(found: Reading, earlier: Sequence[Look] = (), plan: Plan = PLAN) -> Look:
    taken = judge_look(plan, found, earlier, day(99))
    assert taken is not None
    return taken


def test_of_fewer_than_a_hundred_users_an_arm_nothing_is_tested() -> None:
    found = look(reading((99, 110), 5.0))
    assert (found.verdict, found.spent, found.means, found.interval) == ("early", 0.0, None, None)
    assert look(reading((100, 110), 5.0)).verdict == "better"
    assert look(reading((99, 110), 5.0, until=30)).verdict == "too_few"


def test_better_worse_equivalent_or_not_yet() -> None:
    assert look(reading(effect=0.05)).verdict == "better"
    assert look(reading(effect=-0.05)).verdict == "worse"
    assert look(reading(effect=0.01)).verdict == "open"
    assert look(reading(effect=0.01, until=30)).verdict == "undecided"
    assert look(reading((1_000, 1_000), 0.001, until=30)).verdict == "equivalent"
    assert look(reading(spread=0.0)).verdict == "alike"


def test_lower_may_be_better() -> None:
    cheap = replace(PLAN, lower_is_better=True)
    assert look(reading(effect=0.05), plan=cheap).verdict == "worse"
    assert look(reading(effect=-0.05), plan=cheap).verdict == "better"


@pytest.mark.parametrize("plan", [PLAN, SEQUENCE], ids=["horizon", "sequence"])
def test_a_broken_split_or_missing_scores_take_the_verdict_away_and_spend_nothing(plan: Plan) -> None:
    broken = look(reading((300, 450), 0.5, until=15, plan=plan), plan=plan)
    assert (broken.verdict, broken.spent, broken.means) == ("split_broken", 0.0, None)
    sound = reading((300, 310), 0.5, until=15, plan=plan)
    missing = look(replace(sound, scored_p=1e-5), plan=plan)
    assert (missing.verdict, missing.spent) == ("scores_missing", 0.0)
    planned = replace(plan, split=(40.0, 60.0))
    assert look(reading((300, 450), 0.5, until=15, plan=planned), plan=planned).verdict == "better"


@pytest.mark.parametrize(
    ("share", "plan", "verdict"),
    [(0.3, PLAN, "better"), (1.0, PLAN, "scores_missing"), (0.3, SEQUENCE, "scores_missing")],
)
def test_a_sample_may_be_larger_of_one_version_where_weights_make_up_for_it(
    share: float, plan: Plan, verdict: str
) -> None:
    rows = [
        generation(f"{arm} {at}", arm, 0.5, 0.7 + at % 10 / 100 + arm / 10 if at < scored else None)
        for arm, scored in ((0, round(1_000 * share)), (1, round(700 * share)))
        for at in range(1_000)
    ]
    assert look(read_tally(plan, tally_of(rows), day(15), {}, None), plan=plan).verdict == verdict


@pytest.mark.slow
def test_later_looks_go_on_from_what_was_spent() -> None:
    looks: list[Look] = []
    for number, users in ((10, 300), (20, 600), (30, 900)):
        found = reading((users, users), 0.0, until=number, spread=0.5, before=looks[-1] if looks else None)
        looks.append(look(found, looks))
    assert [each.verdict for each in looks] == ["open", "open", "undecided"]
    spent = [each.spent for each in looks]
    assert spent == sorted(spent) and spent[-1] == pytest.approx(0.05)
    assert sum(crossing([each.as_earlier for each in looks])) == pytest.approx(0.05, abs=1e-9)
    assert [each.correlation for each in looks] == pytest.approx([0, 0.5**0.5, (2 / 3) ** 0.5], abs=0.03)
    boundaries = [each.boundary for each in looks]
    assert boundaries == pytest.approx([3.7103, 2.5114, 1.993], abs=0.02), "the published ones of three looks"


def test_a_look_at_the_same_data_adds_nothing_but_the_last_one_of_a_horizon() -> None:
    first = look(reading(until=15))
    assert judge_look(PLAN, reading(until=15), [first], day(99)) is None
    assert judge_look(PLAN, reading(until=16), [first], day(99)) is None
    last = look(reading(until=30), [first])
    assert (last.passed, last.spent) == pytest.approx((1.0, 0.05))
    assert judge_look(PLAN, reading(until=31), [first, last], day(99)) is None


def test_the_share_that_has_passed_never_goes_back() -> None:
    by_users = replace(PLAN, users=1_000)
    first = look(reading((300, 300), until=5, plan=by_users), plan=by_users)
    assert first.passed == pytest.approx(0.6)
    second = look(reading((250, 250), until=6, plan=by_users), [first], plan=by_users)
    assert second.passed == pytest.approx(0.6) and second.spent == first.spent
    assert second.boundary is None, "nothing is left to spend before more users come"
    over = look(reading((700, 700), until=7, plan=by_users), [first, second], plan=by_users)
    assert (over.passed, over.spent) == pytest.approx((1.0, 0.05)), "more users than were planned"
    late = look(reading((300, 300), until=40, plan=by_users), plan=by_users)
    assert late.passed == 1.0, "the horizon ends it, however few came"


def test_the_first_verdict_that_ends_a_test_stands() -> None:
    first, second = look(reading(until=10)), look(reading(effect=0.05), ())
    assert ended([first]) is None
    assert ended([first, second]) is second


def test_a_sequence_tests_at_its_own_reach_and_spends_nothing() -> None:
    found = look(reading(effect=0.05, plan=SEQUENCE), plan=SEQUENCE)
    assert (found.verdict, found.spent, found.passed) == ("better", 0.0, 0.0)
    assert found.boundary == pytest.approx(3.1997, abs=1e-4)
    many = look(reading((1_500, 1_500), 0.001, plan=SEQUENCE), plan=SEQUENCE)
    assert many.verdict == "equivalent"


def test_a_look_is_read_back_as_it_was_kept() -> None:
    for found in (look(reading()), look(reading((5, 5))), look(reading(until=2))):
        assert Look.from_json(json.loads(json.dumps(found.to_json()))) == found
    kept = look(reading()).to_json()
    for spoiled in (
        {"se": 0.0},
        {"boundary": "far"},
        {"spent": 7.0},
        {"passed": None},
        {"until": "soon"},
        {"users": 3},
    ):
        with pytest.raises((ValueError, TypeError)):
            Look.from_json({**kept, **spoiled})
    for changed in (
        {"margin": "x"},
        {"alpha": 0},
        {"split": [1]},
        {"unit": "team"},
        {"start": "soon"},
        {"kind": "run"},
    ):
        with pytest.raises((ValueError, TypeError)):
            Plan.from_json({**PLAN.to_json(), **changed})
    assert Plan.from_json(json.loads(json.dumps(PLAN.to_json()))) == PLAN


# --- how much longer -------------------------------------------------------------------------------------------------


def test_until_the_horizon_it_is_said_what_will_be_found() -> None:
    seen = reading((600, 600), until=15, spread=0.5)
    ahead = look_ahead(PLAN, seen, look(seen), [])
    assert ahead is not None and ahead.to == "horizon"
    assert (ahead.days, ahead.users) == pytest.approx((15, 1_200)) and ahead.detectable is not None
    final = (2 * 0.25 / 1_200) ** 0.5
    assert ahead.detectable == pytest.approx((1.969 + 0.842) * final, rel=0.02)
    needed = 30 * (ahead.detectable / PLAN.margin) ** 2
    assert ahead.days_for_margin == pytest.approx(needed - 30, rel=0.05)
    wide = replace(PLAN, margin=0.08)
    enough = look_ahead(wide, seen, look(seen, plan=wide), [])
    assert enough is not None and enough.days_for_margin == 0


def test_planned_users_may_come_before_the_horizon() -> None:
    plan = replace(PLAN, users=1_600)
    seen = reading((600, 600), until=15, spread=0.5, plan=plan)
    ahead = look_ahead(plan, seen, look(seen, plan=plan), [])
    assert ahead is not None and (ahead.days, ahead.users) == pytest.approx((5, 400))


def test_until_a_first_look_the_slower_arm_counts() -> None:
    seen = reading((50, 80), until=5)
    ahead = look_ahead(PLAN, seen, look(seen), [])
    assert ahead is not None and ahead.to == "first look"
    assert (ahead.days, ahead.users) == pytest.approx((5, 130))
    nobody = reading((0, 0), until=5)
    empty = look_ahead(PLAN, nobody, look(nobody), [])
    assert empty is not None and empty.days is None


def test_a_sequence_goes_on_until_it_is_as_narrow_as_the_margin() -> None:
    seen = reading((300, 300), until=17, plan=SEQUENCE)
    ahead = look_ahead(SEQUENCE, seen, look(seen, plan=SEQUENCE), [])
    assert ahead is not None and ahead.to == "margin" and ahead.users is not None
    assert ahead.days == pytest.approx(ahead.users * 10 / 600), "users count after their seven days"
    more = reading((round(0.55 * (600 + ahead.users)),) * 2, until=17, plan=SEQUENCE)
    assert look(more, plan=SEQUENCE).verdict == "equivalent"


def test_a_verdict_needs_no_longer() -> None:
    seen = reading(effect=0.05)
    assert look_ahead(PLAN, seen, look(seen), []) is None
