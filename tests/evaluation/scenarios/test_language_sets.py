"""The sets in other languages: variants of shipped scenarios, each in the situation of the one that it varies."""

from collections import Counter
from pathlib import Path

import pytest

import evaluation.scenarios
from evaluation.languages.detect import detect_language
from evaluation.metrics.utterance import Text
from evaluation.records import Expectation, Scenario
from evaluation.scenarios.parser import merge_scenarios, parse_scenarios

FOLDER = Path(evaluation.scenarios.__file__).parent
SETS = {"german": "de", "spanish": "es"}
OF_WORDS = ("mentions", "omits", "recalls", "does_not_confuse", "matches")
"""Checks that look for words, which are those of one language."""


def read(pattern: str) -> tuple[Scenario, ...]:
    categories = [file.stem for file in FOLDER.glob("*.yaml")]
    return merge_scenarios(
        [
            (str(file), parse_scenarios(file.read_text("utf-8"), file.name, categories))
            for file in sorted(FOLDER.glob(pattern))
        ]
    )


@pytest.fixture(scope="module")
def english() -> dict[str, Scenario]:
    return {scenario.id: scenario for scenario in read("*.yaml")}


@pytest.mark.parametrize("name", SETS)
def test_each_variant_keeps_all_but_the_words_of_the_scenario_that_it_varies(
    name: str, english: dict[str, Scenario]
) -> None:
    ending = f"-{SETS[name]}"
    for scenario in read(f"{name}/*.yaml"):
        origin = english[scenario.id.removesuffix(ending)]
        assert scenario.cluster == origin.cluster
        assert (scenario.category, scenario.audience, scenario.note) == (origin.category, origin.audience, origin.note)
        assert set(scenario.tags) == {name, *origin.tags} - {"smoke"}
        assert [turn.role for turn in scenario.history] == [turn.role for turn in origin.history]
        assert len(scenario.turns) == len(origin.turns) and set(scenario.turns).isdisjoint(origin.turns)
        assert len(scenario.expect) == len(origin.expect)
        for item, before in zip(scenario.expect, origin.expect, strict=True):
            assert without_words(item, ending) == without_words(before, ending), scenario.id
            assert item == before or (item.check in OF_WORDS and item.id == f"{before.id}{ending}"), scenario.id


def without_words(item: Expectation, ending: str) -> tuple[object, ...]:
    question = "" if item.check in OF_WORDS else item.question
    return item.id.removesuffix(ending), item.kind, question, item.check, item.critical, item.scope, item.turn


@pytest.mark.parametrize("name", SETS)
def test_a_set_is_of_thirty_in_its_language_and_covers_every_category(name: str) -> None:
    scenarios = read(f"{name}/*.yaml")
    assert len(scenarios) == 30
    assert {scenario.lang for scenario in scenarios} == {SETS[name]}
    assert set(Counter(scenario.category for scenario in scenarios)) == {file.stem for file in FOLDER.glob("*.yaml")}
    assert sum("crisis" in scenario.tags for scenario in scenarios) >= 3
    assert sum(len(scenario.turns) > 1 for scenario in scenarios) >= 5
    said = [Text(turn, "user_input") for scenario in scenarios for turn in scenario.turns]
    found = [detect_language(text.folded, text.tokens) for text in said]
    assert {seen.language for seen in found if seen.sure} == {SETS[name]}


def test_no_scenario_of_the_default_set_is_in_a_set_of_another_language(english: dict[str, Scenario]) -> None:
    assert [scenario.id for scenario in english.values() if set(scenario.tags) & set(SETS)] == []


def test_the_sets_can_be_played_beside_the_default_one_and_beside_each_other() -> None:
    assert len(merge_scenarios([(each, read(each)) for each in ("*.yaml", "german/*.yaml", "spanish/*.yaml")])) == 305
