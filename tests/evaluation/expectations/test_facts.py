"""The facts of a scenario: the items that they make, and what the rules over them say of a response."""

import pytest

from evaluation.errors import ParseError
from evaluation.expectations.answering import check_item, due_items
from evaluation.expectations.pin import expectations_pin
from evaluation.expectations.quotes import Spoken
from evaluation.records import Cell, Exchange, Reply, ScriptedResult, Turn, Usage
from evaluation.run import scenarios_from_text, scenarios_to_text
from evaluation.scenarios.parser import merge_scenarios, parse_scenarios
from evaluation.suites.suite import no_settings
from tests.evaluation.expectations.looking import look

FILE = """\
category: small_talk
scenarios:
  - id: trip
    turns: [When do we leave?, And what does it cost?]
    audience: Ines, 42
    facts:
      - The train leaves at 9:40.
      - {id: price, text: The "fast" ticket costs 89 euros., critical: true}
    expect:
      - {id: brief, check: words, at_most: 60}
"""


def test_facts_become_two_rules_and_a_question_each_before_the_scenarios_own_items() -> None:
    (scenario,) = parse_scenarios(FILE, "own.yaml", ["small_talk"])
    assert [(item.id, item.kind, item.origin, item.critical) for item in scenario.expect] == [
        ("agrees-with-facts", "check", "facts", False),
        ("adds-no-facts", "check", "facts", False),
        ("fact-the-train-leaves-at-9-40", "never", "facts", False),
        ("fact-price", "never", "facts", True),
        ("brief", "check", "scenario", False),
    ]
    assert scenario.expect[3].question == "Does it contradict this fact: \"The 'fast' ticket costs 89 euros.\"?"
    assert scenario.expect[0].settings["known"] == ["Ines, 42"]
    assert scenarios_from_text(scenarios_to_text([scenario])) == (scenario,)


def test_a_changed_fact_changes_the_pin_of_a_run() -> None:
    one, other = (parse_scenarios(text, "f.yaml", ["small_talk"]) for text in (FILE, FILE.replace("89", "98")))
    for mode in ("judge", "rules"):
        pins = [expectations_pin(each, mode) for each in (one, other)]
        assert pins[0] is not None and pins[0] != pins[1]


def test_scenarios_ask_the_same_rules_of_facts_of_their_own() -> None:
    other = FILE.replace("trip", "walk").replace("9:40", "8:15")
    files = [
        (name, parse_scenarios(text, name, ["small_talk"])) for name, text in (("a.yaml", FILE), ("b.yaml", other))
    ]
    merged = merge_scenarios(files)
    assert len(merged) == 2
    clash = other.replace("89", "98")
    with pytest.raises(ParseError, match="item 'fact-price' asks another question"):
        merge_scenarios([files[0], ("b.yaml", parse_scenarios(clash, "b.yaml", ["small_talk"]))])


def test_an_item_of_ones_own_takes_the_place_of_a_rule() -> None:
    text = FILE.replace("{id: brief, check: words, at_most: 60}", "{id: adds-no-facts, ask: Does it keep to them?}")
    (scenario,) = parse_scenarios(text, "own.yaml", ["small_talk"])
    found = [(item.kind, item.origin) for item in scenario.expect if item.id == "adds-no-facts"]
    assert found == [("ask", "scenario")]


@pytest.mark.parametrize(
    ("old", "new", "line", "problem"),
    [
        ("      - The train leaves at 9:40.\n", "      - 12\n", 7, "fact 1 is no sentence"),
        ("The train leaves at 9:40.", '"  "', 7, "fact 1 has no text of one line"),
        ("id: price", "id: The Price", 8, "fact 2 has the id 'The Price': use small letters"),
        ("critical: true", "critical: 1", 8, "fact 2 is critical: '1': write true or false"),
        ("critical: true", "source: x", 8, "fact 2 is no sentence"),
        ("id: price", "id: the-train-leaves-at-9-40", 8, "stands twice"),
    ],
)
def test_what_is_wrong_with_a_fact_is_named_with_its_line(old: str, new: str, line: int, problem: str) -> None:
    with pytest.raises(ParseError, match=rf"own.yaml:{line}: scenario 'trip': .*{problem}"):
        parse_scenarios(FILE.replace(old, new), "own.yaml", ["small_talk"])


def test_facts_without_any_and_with_too_many_are_refused() -> None:
    for facts in ("[]", "yes", str(["It is late."] * 13)):
        text = f"category: small_talk\nscenarios:\n  - {{id: a, turns: [Hi.], facts: {facts}}}\n"
        with pytest.raises(ParseError, match="scenario 'a': facts "):
            parse_scenarios(text, "own.yaml", ["small_talk"])


def test_a_contradiction_quotes_response_and_fact() -> None:
    found = look("agrees_with_facts", {"facts": ["The train leaves at 9:40."]}, "Sure! The train leaves at 10:40.")
    assert not found.holds and found.shown
    assert found.quote == "The train leaves at 10:40."
    assert found.reason == 'says "10:40" against the fact "The train leaves at 9:40."'
    assert look("agrees_with_facts", {"facts": ["The train leaves at 9:40."]}, "It leaves at twenty to ten.").holds


def test_what_nobody_said_is_named_and_what_tools_or_the_user_said_is_not() -> None:
    facts = {"facts": ["The train leaves at 9:40."]}
    found = look("adds_no_facts", facts, "It costs 89 euros, and Ines pays.")
    assert (found.holds, found.quote) == (False, "It costs 89 euros, and Ines pays.")
    assert found.reason == 'neither facts nor conversation say "89 euros" or "Ines"'
    assert look("adds_no_facts", {**facts, "known": ["Ines: 89 euros"]}, "It costs 89 euros, and Ines pays.").holds
    assert look("adds_no_facts", facts, "It costs 89 euros, and Ines pays.", "ines has 89 euros").holds


def test_what_tools_of_a_scenario_answer_may_be_said() -> None:
    text = FILE.replace("    facts:", "    tools: {price_of: [{result: '17 euros'}]}\n    facts:")
    (scenario,) = parse_scenarios(text, "own.yaml", ["small_talk"])
    assert scenario.tools == {"price_of": (ScriptedResult("17 euros"),)}
    assert scenario.expect[1].settings["known"] == ["Ines, 42", "17 euros"]


def test_a_rule_that_cannot_read_a_language_shows_nothing_and_a_failure_counts_before_it() -> None:
    (scenario,) = parse_scenarios(FILE, "own.yaml", ["small_talk"])
    rules = [item for item in due_items(scenario, 2, "rules") if item.origin == "facts"]
    assert [item.id for item in rules] == ["agrees-with-facts", "adds-no-facts"]
    german = "Der Zug fährt um zehn Uhr vierzig ab, und die schnelle Karte kostet hundert Euro."
    outcomes = {}
    for first in ("The train leaves at 9:40.", german, "The train leaves at 10:40."):
        exchange = _second_turn(first, german)
        said = [Spoken(1, first), Spoken(2, german)]
        outcomes[first] = [check_item(item, exchange, said, no_settings).outcome for item in rules]
    assert outcomes == {
        "The train leaves at 9:40.": ["not_shown", "not_shown"],
        german: ["not_shown", "not_shown"],
        "The train leaves at 10:40.": ["fails", "not_shown"],
    }


def _second_turn(first: str, second: str) -> Exchange:
    context = (Turn("user", "When do we leave?"), Turn("assistant", first))
    reply = Reply(second, "stop", "m", {}, Usage(), 0.0, 1.0)
    return Exchange(Cell("trip", 1), 2, context, "And what does it cost?", reply)
