"""Expectations that a rubric brings: they stand before the scenario's own, and an item is its id and its turn."""

from collections.abc import Sequence
from dataclasses import replace

from evaluation.expectations.shared import SharedItems
from evaluation.records import Expectation, Scenario
from tests.evaluation.expectations.held import expecting

BRIEF = Expectation("brief", "ask", "Is it brief?", origin="rubric")
OF_TURNS = tuple(replace(BRIEF, scope="turn", turn=turn) for turn in (1, 2, 3))


def shared(
    *of_all: Expectation,
    category: Sequence[Expectation] = (),
) -> SharedItems:
    return SharedItems(of_all, {"small_talk": tuple(category)}, {})


def places(scenario: Scenario) -> list[tuple[int, str]]:
    return [(item.turn, item.origin) for item in scenario.expect]


def test_one_id_at_two_turns_is_kept_at_both() -> None:
    assert places(shared(*OF_TURNS).add_to(expecting("a", turns=2))) == [(1, "rubric"), (2, "rubric")]


def test_a_category_takes_the_place_of_the_rubric_at_its_own_turn_alone() -> None:
    second = replace(OF_TURNS[1], origin="category")
    found = shared(*OF_TURNS, category=[second]).add_to(expecting("a", turns=3))
    assert sorted(places(found)) == [(1, "rubric"), (2, "category"), (3, "rubric")]


def test_a_scenario_takes_the_place_of_what_is_shared_where_it_says_the_same_itself() -> None:
    own = replace(OF_TURNS[1], origin="scenario")
    assert places(shared(*OF_TURNS).add_to(expecting("a", own, turns=2))) == [(1, "rubric"), (2, "scenario")]
    # Without a turn it is about all of them.
    whole = replace(BRIEF, origin="scenario")
    assert places(shared(*OF_TURNS).add_to(expecting("a", whole, turns=2))) == [(0, "scenario")]
    assert places(shared(BRIEF).add_to(expecting("a", own, turns=2))) == [(2, "scenario")]
