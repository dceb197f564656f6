"""How far repeats lie apart, worked out by hand."""

import pytest

from evaluation.records import Result, Scenario
from evaluation.summary.repeats import MOST, compare_repeats
from evaluation.summary.scenario_means import scenario_means
from tests.evaluation.made_runs import OVERALL, failed, scenario, scored
from tests.evaluation.summary.test_trajectories import columns_of

PLAN = [scenario("narrow"), scenario("wide", turns=2), scenario("alike"), scenario("once")]
RESULTS = [
    *(scored("narrow", value, repeat) for repeat, value in ((1, 0.5), (2, 0.6), (3, 0.5))),
    # Cells of the wide one: 0.8 and 0.2; in the third one turn failed, so that the other stands for it.
    *(scored("wide", 0.9, 1, 1), scored("wide", 0.7, 1, 2), scored("wide", 0.3, 2, 1), scored("wide", 0.1, 2, 2)),
    *(failed("wide", 3, 1), scored("wide", 0.6, 3, 2)),
    *(scored("alike", 0.4, repeat) for repeat in (1, 2, 3)),
    *(scored("once", 0.4, 1), failed("once", 2), failed("once", 3)),
]


def test_the_widest_come_first_and_those_alike_are_counted() -> None:
    found = compare_repeats(columns_of(RESULTS, PLAN, repeats=3))
    assert found is not None
    assert [each.scenario_id for each in found.scenarios] == ["wide", "narrow"]
    wide, narrow = found.scenarios
    assert wide.values == pytest.approx((0.8, 0.2, 0.6))
    assert wide.width == pytest.approx(0.6)
    assert (wide.lowest, narrow.lowest) == ((2, 2), (1, 1))
    assert (found.counted, found.alike) == (3, 1)
    assert found.median == pytest.approx(0.1)


def test_a_repeat_without_a_value_is_a_gap() -> None:
    results = [scored("narrow", 0.5, 1), failed("narrow", 2), scored("narrow", 0.9, 3)]
    found = compare_repeats(columns_of(results, PLAN[:1], repeats=3))
    assert found is not None and found.scenarios[0].values == (0.5, None, 0.9)


@pytest.mark.parametrize("results", [[], [scored("narrow", 0.5)]])
def test_one_playing_says_nothing_of_repeats(results: list[Result]) -> None:
    assert compare_repeats(columns_of(results, PLAN[:1], repeats=1)) is None
    assert compare_repeats(columns_of(results, PLAN[:1], repeats=2)) is None


def test_only_the_widest_are_kept() -> None:
    plan: list[Scenario] = [scenario(f"s{number:03d}") for number in range(MOST + 20)]
    results = [
        scored(each.id, 0.1 + number / 1000 * (repeat - 1), repeat)
        for number, each in enumerate(plan)
        for repeat in (1, 2)
    ]
    found = compare_repeats(columns_of(results, plan, repeats=2))
    assert found is not None
    assert [each.scenario_id for each in found.scenarios] == [f"s{number:03d}" for number in range(MOST + 19, 19, -1)]
    assert (found.counted, found.alike) == (MOST + 20, 1)


def test_the_mean_of_a_scenario_is_over_turns_then_repeats() -> None:
    means = dict(scenario_means(columns_of(RESULTS, PLAN, repeats=3), "heuristic", OVERALL))
    assert means == pytest.approx({"narrow": 1.6 / 3, "wide": 1.6 / 3, "alike": 0.4, "once": 0.4})
    assert list(scenario_means(columns_of([], PLAN), "heuristic", OVERALL)) == []
