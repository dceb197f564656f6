"""Rates of memory: what an item counts for, how far back its fact lies, and shares worked out by hand."""

from typing import Any

import pytest

from evaluation.expectations.memory import ALL, DISTANCES, Memory, MemoryTally, probes_of
from evaluation.records import Cell, Exchange, Expectation, ItemAnswer, Outcome, Reply, Result, Scenario, Turn, Usage

REPLY = Reply("Yes.", "stop", "m", {}, Usage(), 0.0, 1.0)


def item(name: str, check: str, turn: int = 0, **settings: Any) -> Expectation:
    scope: Any = settings.pop("scope", "turn" if turn else "conversation")
    origin: Any = settings.pop("origin", "scenario")
    return Expectation(name, "check", "Is it so?", check, settings, scope=scope, turn=turn, origin=origin)


def recalls(name: str, turn: int, from_turn: int, *wordings: str) -> Expectation:
    return item(name, "recalls", turn, any=list(wordings) or ["Ada"], from_turn=from_turn)


def scenario(*items: Expectation, name: str = "talk", turns: int = 12, situation: str = "") -> Scenario:
    return Scenario(name, "continuity", ("Hello.",) * turns, situation, expect=items)


def kinds(*items: Expectation, turns: int = 12) -> dict[tuple[str, int], tuple[str, str]]:
    return {place: (probe.kind, probe.distance) for place, probe in probes_of(scenario(*items, turns=turns)).items()}


@pytest.mark.parametrize(
    ("from_turn", "turn", "distance"),
    [
        (1, 2, "1"),
        (1, 3, "2-3"),
        (1, 4, "2-3"),
        (1, 5, "4-6"),
        (6, 12, "4-6"),
        (5, 12, "7+"),
        (1, 12, "7+"),
        (0, 1, "across sessions"),
        (0, 12, "across sessions"),
    ],
)
def test_the_distance_is_the_turns_since_the_fact_was_said(from_turn: int, turn: int, distance: str) -> None:
    assert kinds(recalls("a", turn, from_turn)) == {("a", turn): ("fact", distance)}


def test_a_decoy_and_a_former_value_lie_as_far_back_as_the_fact_beside_them() -> None:
    decoy = item("decoy", "does_not_confuse", 8, fact="Ada", decoys=["Ida"])
    former = item("former", "omits", 8, any=["Eve"])
    found = kinds(recalls("fact", 8, 2), decoy, former)
    assert found["decoy", 8] == ("decoy", "4-6")
    assert found["former", 8] == ("former_value", "4-6")


def test_of_several_facts_it_is_the_one_with_the_same_wording_or_else_the_latest() -> None:
    decoy = item("decoy", "does_not_confuse", 9, any=["nine", "9"], decoys=["ten"])
    former = item("former", "omits", 9, any=["Tuesday"])
    found = kinds(recalls("time", 9, 1, "9"), recalls("day", 9, 7, "Friday"), decoy, former)
    assert found["decoy", 9] == ("decoy", "7+")
    assert found["former", 9] == ("former_value", "2-3")


def test_a_boundary_is_probed_at_every_turn() -> None:
    found = kinds(item("no-promise", "omits", scope="response", any=["I promise"]), turns=8)
    assert found == {
        ("no-promise", turn): ("boundary", distance)
        for turn, distance in enumerate(["1", "2-3", "2-3", "4-6", "4-6", "4-6", "7+", "7+"], start=1)
    }


def test_what_probes_nothing() -> None:
    alone = (
        item("no-fact-beside", "does_not_confuse", 3, fact="Ada", decoys=["Ida"]),
        item("wording", "omits", 3, any=["as an AI"]),
        item("somewhere", "recalls", any=["Ada"], from_turn=1),
        item("all-together", "omits", any=["I promise"]),
        item("of-the-rubric", "omits", scope="response", origin="rubric", any=["**"]),
        item("says", "mentions", 3, any=["Ada"]),
        Expectation("asks", "ask", "Does it remember?", scope="turn", turn=3),
    )
    assert kinds(*alone) == {}
    assert kinds(*alone, recalls("fact", 4, 1)) == {("fact", 4): ("fact", "2-3")}
    assert kinds(item("no-promise", "omits", scope="response", any=["I promise"]), turns=1) == {}


def result(scenario_id: str, turn: int, repeat: int = 1, **answers: Outcome) -> Result:
    exchange = Exchange(Cell(scenario_id, repeat), turn, (Turn("user", "Hi"),), "Hello.", REPLY)
    found = tuple(ItemAnswer(name, outcome, "rule") for name, outcome in answers.items())
    return Result(exchange, "scored", (), expectations=found)


TALKS = (
    scenario(
        recalls("fact", 2, 1),
        item("decoy", "does_not_confuse", 2, fact="Ada", decoys=["Ida"]),
        recalls("later", 6, 1),
        name="one",
    ),
    scenario(recalls("fact", 2, 1), item("former", "omits", 2, any=["Eve"]), name="two"),
    scenario(item("held", "omits", scope="response", any=["I promise"]), name="three", turns=2),
    scenario(item("says", "mentions", any=["Ada"]), name="four"),
)


def measured(*results: Result, repeats: int = 1) -> Memory | None:
    tally = MemoryTally(TALKS, repeats)
    for each in results:
        tally.add(each)
    return tally.measure()


def test_shares_worked_out_by_hand() -> None:
    """recall at 1: one holds, two fails: 1/2. False recall: the decoy fails (1), the former value holds (0): 1/2."""
    results = (
        result("one", 2, fact="holds", decoy="fails"),
        result("one", 6, later="holds"),
        result("two", 2, fact="fails", former="holds"),
        result("three", 1, held="holds"),
        result("three", 2, held="fails"),
    )
    memory = measured(*results)
    assert memory is not None
    assert memory.rates["recall"]["1"].mean == 0.5
    assert memory.rates["recall"]["4-6"].mean == 1.0
    # Scenarios weigh alike: "one" has 1 of two probes, "two" has 0 of one.
    assert (memory.rates["recall"][ALL].mean, memory.rates["recall"][ALL].n) == (0.5, 3)
    assert memory.rates["false_recall"]["1"].mean == 0.5
    assert (memory.rates["contradiction"]["1"].mean, memory.rates["contradiction"]["1"].n) == (0.0, 1)
    assert memory.rates["boundary_holding"]["1"].mean == 1.0
    assert memory.rates["boundary_holding"]["2-3"].mean == 0.0
    assert memory.rates["recall"]["7+"].n == 0
    assert memory.rates["recall"]["7+"].mean is None
    assert (memory.unanswered, memory.conversations, memory.scenarios) == (0, 3, 4)
    assert memory.rows() == ["1", "2-3", "4-6", ALL]
    assert measured(*reversed(results)) == memory


def test_the_interval_is_wilsons_over_situations() -> None:
    """Two of two situations: p = 1, n = 2, t(1) = 12.7062, so the lower end is 1 / (1 + t^2 / 2) = 0.01224."""
    memory = measured(result("one", 2, fact="holds"), result("two", 2, fact="holds"))
    assert memory is not None
    ends = memory.rates["recall"]["1"].ci95
    assert ends is not None
    assert ends == pytest.approx((1 / (1 + 12.7062**2 / 2), 1.0), abs=1e-5)


def test_what_nobody_answered_is_counted_apart() -> None:
    memory = measured(result("one", 2, fact="not_shown", decoy="holds"), repeats=2)
    assert memory is not None
    assert memory.rates["recall"][ALL].n == 0
    assert memory.unanswered == 2 * 7 - 1
    assert measured(result("one", 2, fact="not_shown")) is None
    assert measured() is None


def test_other_items_of_the_same_turn_count_for_nothing() -> None:
    assert measured(result("one", 2, other="fails"), result("unplanned", 2, fact="holds")) is None


def test_repeats_are_averaged_within_a_scenario() -> None:
    answers: list[Outcome] = ["holds", "fails"]
    memory = measured(
        *(result("one", 2, repeat, fact=outcome) for repeat, outcome in enumerate(answers, start=1)),
        *(result("two", 2, repeat, fact="holds") for repeat in (1, 2)),
        repeats=2,
    )
    assert memory is not None
    assert (memory.rates["recall"]["1"].mean, memory.rates["recall"]["1"].clusters) == (0.75, 2)


def test_what_summary_json_holds() -> None:
    memory = measured(result("one", 2, fact="holds"))
    assert memory is not None
    found = memory.to_json()
    assert list(found) == ["recall", "false_recall", "contradiction", "boundary_holding", "unanswered", "conversations"]
    assert list(found["recall"]) == [*DISTANCES, ALL]
    assert found["recall"]["1"]["mean"] == 1.0
    assert found["contradiction"][ALL] == {**dict.fromkeys(found["recall"]["1"]), "n": 0, "clusters": 0}
