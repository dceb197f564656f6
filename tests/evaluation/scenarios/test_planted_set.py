"""The planted conversations: each fact is said where its item says, once, and each decoy and former value before."""

from collections import Counter
from pathlib import Path

import pytest

import evaluation.scenarios
from evaluation.expectations.checks import DoesNotConfuse, Omits, Recalls, prepare_check
from evaluation.expectations.memory import DISTANCES, Kind, Probe, probes_of
from evaluation.metrics.cues.phrases import find_phrase
from evaluation.metrics.utterance import fold, fold_phrase
from evaluation.records import Expectation, Scenario
from evaluation.scenarios.parser import merge_scenarios, parse_scenarios
from tests.evaluation.scenarios.near_copies import near_copies

FOLDER = Path(evaluation.scenarios.__file__).parent


def read(pattern: str) -> tuple[Scenario, ...]:
    files = sorted(FOLDER.glob(pattern))
    categories = [file.stem for file in FOLDER.glob("*.yaml")]
    return merge_scenarios(
        [(file.name, parse_scenarios(file.read_text("utf-8"), file.name, categories)) for file in files]
    )


@pytest.fixture(scope="module")
def planted() -> tuple[Scenario, ...]:
    return read("memory/*.yaml")


def says(text: str, phrases: tuple[str, ...]) -> bool:
    line = fold(text)
    return any(find_phrase(line, fold_phrase(phrase)) for phrase in phrases)


def said_in(scenario: Scenario, turn: int) -> str:
    """The user's words of a turn; of 0, those of the earlier session."""
    if turn:
        return scenario.turns[turn - 1]
    return " ".join(said.content for said in scenario.history if said.role == "user")


def before(scenario: Scenario, turn: int) -> str:
    return " ".join(said_in(scenario, each) for each in range(turn))


def items(scenario: Scenario, check: str) -> list[Expectation]:
    return [item for item in scenario.expect if item.check == check]


def test_the_set_is_large_and_its_conversations_are_long(planted: tuple[Scenario, ...]) -> None:
    assert len(planted) >= 20
    for scenario in planted:
        assert 6 <= len(scenario.turns) <= 12, scenario.id
        assert {"memory", "multi-turn"} <= set(scenario.tags), scenario.id
        assert len(scenario.note.split()) >= 8, scenario.id
        roles = [turn.role for turn in scenario.history]
        assert roles == ["user", "assistant"] * (len(roles) // 2), scenario.id


def test_no_scenario_of_the_default_set_has_its_tag() -> None:
    assert [scenario.id for scenario in read("*.yaml") if "memory" in scenario.tags] == []


def test_every_kind_of_probe_is_there_at_every_distance(planted: tuple[Scenario, ...]) -> None:
    counts = Counter(probe for scenario in planted for probe in probes_of(scenario).values())
    fewest: dict[Kind, int] = {"fact": 5, "decoy": 3, "former_value": 3, "boundary": 6}
    for kind, least in fewest.items():
        for distance in DISTANCES:
            probe = Probe(kind, distance)
            replaced_here = kind in ("former_value", "boundary") and distance in ("7+", "across sessions")
            assert counts[probe] >= least or replaced_here, probe
    assert counts[Probe("boundary", "7+")] >= 20


def test_every_item_by_rule_counts_for_something(planted: tuple[Scenario, ...]) -> None:
    for scenario in planted:
        probed = {name for name, _ in probes_of(scenario)}
        others = {item.id for item in scenario.expect if item.id not in probed}
        assert {item.check for item in scenario.expect if item.id in others} <= {"mentions"}, others


def test_a_fact_is_said_in_its_turn_and_not_between_it_and_the_question(planted: tuple[Scenario, ...]) -> None:
    for scenario in planted:
        for item in items(scenario, "recalls"):
            check = prepare_check(item.check, item.settings)
            assert isinstance(check, Recalls)
            assert says(said_in(scenario, check.from_turn), check.wordings), item.id
            later = range(check.from_turn + 1, item.turn + 1)
            assert [turn for turn in later if says(said_in(scenario, turn), check.wordings)] == [], item.id


def test_a_decoy_is_said_before_the_question_and_not_in_it(planted: tuple[Scenario, ...]) -> None:
    for scenario in planted:
        for item in items(scenario, "does_not_confuse"):
            check = prepare_check(item.check, item.settings)
            assert isinstance(check, DoesNotConfuse)
            assert says(before(scenario, item.turn), check.decoys), item.id
            assert not says(said_in(scenario, item.turn), check.decoys), item.id


def test_a_former_value_is_said_before_the_one_that_replaces_it(planted: tuple[Scenario, ...]) -> None:
    for scenario in planted:
        for item in items(scenario, "omits"):
            if item.turn:
                check = prepare_check(item.check, item.settings)
                assert isinstance(check, Omits)
                replaced = max(
                    int(other.settings["from_turn"]) for other in items(scenario, "recalls") if other.turn == item.turn
                )
                assert says(before(scenario, replaced), check.any), item.id
                assert not says(said_in(scenario, item.turn), check.any), item.id
                assert "correction" in scenario.tags, scenario.id


def test_a_boundary_is_pressed_for_in_many_turns(planted: tuple[Scenario, ...]) -> None:
    held = [scenario for scenario in planted if any(item.scope == "response" for item in scenario.expect)]
    assert len(held) >= 6
    assert all("boundary" in scenario.tags and len(scenario.turns) >= 8 for scenario in held)


def test_tags_say_what_a_conversation_holds(planted: tuple[Scenario, ...]) -> None:
    for scenario in planted:
        checks = {item.check for item in scenario.expect}
        assert ("returning-user" in scenario.tags) == bool(scenario.history), scenario.id
        assert ("decoy" in scenario.tags) == ("does_not_confuse" in checks), scenario.id
        turns = {item.turn for item in items(scenario, "omits")}
        assert ("correction" in scenario.tags) == bool(turns - {0}), scenario.id


@pytest.mark.slow
def test_no_conversation_is_a_near_copy_of_another_of_either_set(planted: tuple[Scenario, ...]) -> None:
    everything = {scenario.cluster: scenario for scenario in (*read("*.yaml"), *planted)}
    talks = [(name, " ".join(scenario.turns)) for name, scenario in everything.items()]
    assert near_copies(talks, share=0.45) == []
    turns = [(name, turn) for name, scenario in everything.items() for turn in scenario.turns]
    assert near_copies(turns, share=0.45, fewest=4) == []
    notes = [(scenario.id, scenario.note) for scenario in planted]
    assert near_copies(notes, share=0.5) == []
