"""Sets of criteria: what a file may say, how scenarios name them, and what the shipped ones hold."""

from pathlib import Path

import pytest

import evaluation.criteria
from evaluation.errors import ParseError, UsageError
from evaluation.expectations.criteria import CriteriaSet, parse_criteria
from evaluation.expectations.pin import expectations_pin
from evaluation.records import Scenario
from evaluation.scenarios.parser import merge_scenarios, parse_scenarios
from evaluation.text.forms import SourceText

SHIPPED = sorted(Path(next(iter(evaluation.criteria.__path__))).glob("*.yaml"))
SET = """\
title: Bread
stated:
  bread: a bread that the user does not eat
  butter: that the user does without butter
sources:
  baker: {author: A. Baker, title: On bread, year: 2001, url: "https://example.org/bread"}
criteria:
  - {id: offers-bread, about: bread, never: Does it offer what the user said no to?, critical: true, sources: [baker]}
  - {id: leaves-butter, about: butter, ask: Does it leave out what the user named?, sources: [baker]}
"""
FILE = """\
category: small_talk
scenarios:
  - id: rolls
    turns: [Good morning., "I don’t  eat rye bread. What's for breakfast?"]
    criteria_sets: [bread]
    stated: {bread: I don't eat RYE bread}
    expect:
      - {id: brief, check: words, at_most: 60}
"""


def find(name: str) -> CriteriaSet:
    if name != "bread":
        raise UsageError(f"there is no set of criteria {name!r}")
    return parse_criteria(SourceText(SET, "bread.yaml"))


def read(text: str) -> tuple[Scenario, ...]:
    return parse_scenarios(text, "own.yaml", ["small_talk"], find)


def test_a_scenario_takes_the_criteria_that_are_about_what_its_user_states() -> None:
    (scenario,) = read(FILE)
    assert [(item.id, item.kind, item.critical, item.origin) for item in scenario.expect] == [
        ("offers-bread", "never", True, "criteria"),
        ("brief", "check", False, "scenario"),
    ]


def test_a_file_names_sets_for_all_its_scenarios_and_those_that_state_nothing_take_none() -> None:
    text = FILE.replace("    criteria_sets: [bread]\n", "").replace(
        "scenarios:\n", "criteria_sets: [bread]\nscenarios:\n"
    )
    rolls, bare = read(text + "  - {id: bare, turns: [Hi.]}\n")
    assert [item.id for item in rolls.expect] == ["offers-bread", "brief"]
    assert bare.expect == ()


def test_an_item_of_ones_own_takes_the_place_of_a_criterion() -> None:
    (scenario,) = read(FILE.replace("id: brief", "id: offers-bread"))
    assert [(item.id, item.origin) for item in scenario.expect] == [("offers-bread", "scenario")]


def test_a_changed_criterion_changes_the_pin_of_a_run() -> None:
    before = expectations_pin(read(FILE), "judge")
    changed = SET.replace("offer what", "offer or praise what")
    scenarios = parse_scenarios(
        FILE, "own.yaml", ["small_talk"], lambda _: parse_criteria(SourceText(changed, "b.yaml"))
    )
    after = expectations_pin(scenarios, "judge")
    assert before is not None and after is not None and before.sha256 != after.sha256


def test_a_clash_with_an_item_of_a_scenario_names_the_set() -> None:
    other = (
        "category: small_talk\nscenarios:\n  - {id: b, turns: [Hi.], expect: [{id: offers-bread, ask: 'Does it?'}]}\n"
    )
    with pytest.raises(
        ParseError, match=r"b.yaml: scenario 'b': item 'offers-bread' asks another .* a set of criteria"
    ):
        merge_scenarios([("a.yaml", read(FILE)), ("b.yaml", parse_scenarios(other, "b.yaml", ["small_talk"]))])


@pytest.mark.parametrize(
    ("old", "new", "line", "problem"),
    [
        ("[bread]", "[bred]", 5, "there is no set of criteria 'bred'"),
        ("stated: {bread: I don't eat RYE bread}", "tags: [x]", 5, "nothing that the user states: .* bread, butter"),
        ("criteria_sets: [bread]", "tags: [x]", 6, "no set of criteria that asks for it"),
        (
            "bread: I don't",
            "bred: I don't",
            6,
            "states 'bred', which no named set of criteria has; did you mean 'bread'",
        ),
        ("eat RYE bread}", "eat white bread}", 6, "which the user does not say: quote the words of a turn"),
        ("I don't eat RYE bread}", '""}', 6, "stated bread is blank"),
        ("{bread: I don't eat RYE bread}", "[bread]", 6, "give a mapping"),
    ],
)
def test_what_is_wrong_with_a_scenario_is_named_with_its_line(old: str, new: str, line: int, problem: str) -> None:
    with pytest.raises(ParseError, match=rf"own.yaml:{line}: scenario 'rolls': .*{problem}"):
        read(FILE.replace(old, new))


def test_without_anybody_who_finds_sets_naming_one_is_refused() -> None:
    with pytest.raises(ParseError, match=r"own.yaml:5: scenario 'rolls': there is no set of criteria 'bread'"):
        parse_scenarios(FILE, "own.yaml", ["small_talk"])


@pytest.mark.parametrize(
    ("old", "new", "line", "problem"),
    [
        ("about: butter", "about: buter", 9, "is about 'buter', which is nothing under stated; did you mean 'butter'"),
        ("about: butter, ", "", 9, "is about 'None', which is nothing under stated"),
        (", sources: [baker]}\n", "}\n", 8, "item 'offers-bread' rests on no source: name one of baker"),
        ("[baker]}\n  - ", "[bakr]}\n  - ", 8, "names the source 'bakr', which is not listed"),
        ("what the user named", "butter", 9, "does not refer to what the user stated"),
        ("Does it leave out", "Does it say that women leave out", 9, "speaks of 'women', a group of people"),
        ("Does it leave out", "Does it know that Germans leave out", 9, "speaks of 'Germans', a group of people"),
        ("ask: Does it leave out", "turn: 2, ask: Does it leave out", 9, "is about turn 2, and a set is for many"),
        ("2001, url", "1, url", 6, "sources.baker.year"),
        ('"https://example.org/bread"', "example", 6, "sources.baker.url"),
        ("  butter: that", "  jam: sweet\n  butter: that", 4, "'jam' is what no criterion is about"),
        ("id: leaves-butter", "id: offers-bread", 9, "item 'offers-bread' stands twice"),
        ("title: Bread\n", "title: Bread\nfaith: x\n", 2, "unknown key 'faith'"),
    ],
)
def test_what_is_wrong_with_a_set_is_named_with_its_line(old: str, new: str, line: int, problem: str) -> None:
    with pytest.raises(ParseError, match=rf"bread.yaml:{line}: .*{problem}"):
        parse_criteria(SourceText(SET.replace(old, new), "bread.yaml"))


def test_shipped_sets_hold_to_the_form_and_ask_each_question_once() -> None:
    sets = [parse_criteria(SourceText(path.read_text("utf-8"), path.name)) for path in SHIPPED]
    assert len(sets) >= 3
    ids = [criterion.item.id for each in sets for criterion in each.criteria]
    assert len(ids) == len(set(ids))
    for each in sets:
        assert all(source.url.startswith("https://") for source in each.sources.values())
        assert {criterion.item.kind for criterion in each.criteria} == {"ask", "never"}
