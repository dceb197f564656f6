"""The scenarios that bring facts and name sets of criteria: they are played with items of both kinds."""

from collections import Counter

from evaluation.reference.held import discrepancies
from evaluation.suites.loaded import parse_sets
from evaluation.suites.suite import conversations
from scripts.run.criteria import find_criteria
from scripts.run.load import load_rubric, load_scenarios
from scripts.run.texts import texts_of
from tests.evaluation.scenarios.near_copies import near_copies


def test_the_set_exercises_facts_and_every_shipped_set_of_criteria() -> None:
    scenarios = load_scenarios(("stated",), load_rubric("companion"))
    origins = {each.id: {item.origin for item in each.expect} for each in scenarios}
    assert sum("facts" in found for found in origins.values()) >= 3
    assert sum("criteria" in found for found in origins.values()) >= 5
    assert all("stated" in each.tags and len(each.note.split()) >= 8 for each in scenarios)
    asked = Counter(item.id for each in scenarios for item in each.expect if item.origin == "criteria")
    for of_set in (
        "breaks-the-fast",
        "offers-what-was-ruled-out",
        "urges-new-debt",
        "changes-medicine",
        "promises-return",
    ):
        assert asked[of_set], of_set


def test_the_facts_agree_with_one_another_and_with_what_the_user_says() -> None:
    for scenario in load_scenarios(("stated",), load_rubric("companion")):
        facts = next((item.settings["facts"] for item in scenario.expect if item.origin == "facts"), ())
        for text in facts:
            found = [each for each in discrepancies(text, facts, scenario.turns) if each.kind == "contradicted"]
            assert found == [], scenario.id


def test_it_is_played_beside_the_shipped_sets_and_copies_none_of_them() -> None:
    files = [*texts_of(()), *texts_of(("stated", "memory"))]
    scenarios = parse_sets(files, load_rubric("companion"), conversations, find_criteria())
    stated = {each.id for each in scenarios if "stated" in each.tags}
    copies = near_copies([(each.id, " ".join(each.turns)) for each in scenarios], share=0.5)
    assert len(stated) >= 12
    assert [pair for pair in copies if stated & set(pair)] == []
