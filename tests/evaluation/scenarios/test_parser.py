"""Scenario files: what a good one gives, and what is said of a bad one."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.errors import ParseError
from evaluation.records import Scenario, Turn
from evaluation.scenarios.parser import merge_scenarios, parse_scenarios
from evaluation.scenarios.selection import scenarios_digest

CATEGORIES = ("small_talk", "continuity")
GOOD = """\
category: continuity
focus: What it looks at.
criteria:
  - memory
scenarios:
  - id: first-one
    turns: ["  Hello. "]
  - id: second-one
    situation: shared
    audience: a nurse on night shift
    turns:
      - One.
      - Two.
    tags: [multi-turn, returning-user]
    note: >-
      Remembers
      the first turn.
    history:
      - {role: user, content: Earlier.}
      - {role: assistant, content: Yes.}
    data: {photo: x.jpg}
"""


def test_a_file_gives_its_scenarios_in_order() -> None:
    first, second = parse_scenarios(GOOD, "f.yaml", CATEGORIES)
    assert first == Scenario(id="first-one", category="continuity", turns=("Hello.",))
    assert first.cluster == "first-one"
    assert second == Scenario(
        id="second-one",
        category="continuity",
        turns=("One.", "Two."),
        situation="shared",
        audience="a nurse on night shift",
        tags=("multi-turn", "returning-user"),
        note="Remembers the first turn.",
        history=(Turn("user", "Earlier."), Turn("assistant", "Yes.")),
        data={"photo": "x.jpg"},
    )
    assert second.cluster == "shared"


def test_scenarios_of_a_file_share_equal_tags_and_notes() -> None:
    fields = "turns: [Hi.], tags: [short, made], note: Is warm., audience: a nurse"
    items = "\n".join(f"  - {{id: s-{number}, {fields}}}" for number in range(3))
    first, *others = parse_scenarios(f"category: continuity\nscenarios:\n{items}\n", "f.yaml", CATEGORIES)
    assert first.tags == ("short", "made")
    for other in others:
        assert (other.tags, other.note, other.audience) == (first.tags, first.note, first.audience)
        assert other.tags is first.tags and other.note is first.note and other.audience is first.audience


def one(fields: str) -> str:
    """A file with a single scenario of these fields, the first in line 4."""
    lines = "".join(f"    {line}\n" for line in fields.splitlines())
    return f"category: small_talk\nscenarios:\n  -\n{lines}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f.yaml:1: holds nothing: start it with 'category:' and 'scenarios:'"),
        ("category: chat\nscenarios:\n\t- {id: a, turns: [x]}\n", "f.yaml:3: is indented with a tab: use spaces"),
        ("- a", "f.yaml:1: is a list, not a mapping: start it with 'category:' and 'scenarios:'"),
        ("scenarios: []", "f.yaml:1: category is missing: choose one of small_talk, continuity"),
        ("\ncategory: sport\nscenarios: [{}]", "f.yaml:2: category is 'sport': choose one of small_talk, continuity"),
        ("category: [small_talk]\nscenarios: [{}]", "f.yaml:1: category is a list: choose one of"),
        ("category: small_talk", "f.yaml:1: scenarios is missing: give a list with at least one"),
        ("category: small_talk\nscenarios: []", "f.yaml:2: scenarios is an empty list: give a list with at least one"),
        ("category: small_talk\nscenario: []", "f.yaml:2: unknown key 'scenario': did you mean 'scenarios'?"),
        (
            "category: small_talk\nscenarios: [5]",
            "f.yaml:2: scenario 1: is 5, not a mapping: give it 'id:' and 'turns:'",
        ),
        (one("turns: [Hi]"), "f.yaml:4: scenario 1: has no id: give it one of small letters, digits and hyphens"),
        (one("id: 5\nturns: [Hi]"), "f.yaml:4: scenario 1: id is 5, not a text: put it in quotes"),
        (one("id: A b\nturns: [Hi]"), "f.yaml:4: scenario 1: id is 'A b': use small letters, digits and hyphens"),
        (one("id: -a\nturns: [Hi]"), "f.yaml:4: scenario 1: id is '-a': use small letters"),
        (one("id: ../a\nturns: [Hi]"), "f.yaml:4: scenario 1: id is '../a': use small letters"),
        (one("id: caf\u00e9\nturns: [Hi]"), "f.yaml:4: scenario 1: id is 'caf\u00e9': use small letters"),
        (one(f"id: {'a' * 81}\nturns: [Hi]"), "f.yaml:4: scenario 1: id is 'aaa"),
        (one("id: a"), "f.yaml:4: scenario 'a': turns is empty: write what the user says, one text per turn"),
        (one("id: a\nturns: []"), "f.yaml:5: scenario 'a': turns is empty: write what the user says"),
        (one("id: a\nturns: Hi"), "f.yaml:5: scenario 'a': turns is 'Hi', not a list: put each text on a '- ' line"),
        (one("id: a\nturns:\n- Hi\n- ' '"), "f.yaml:7: scenario 'a': turns 2 is blank: write it or remove it"),
        (one("id: a\nturns: [Hi, 12]"), "f.yaml:5: scenario 'a': turns 2 is 12, not a text: put it in quotes"),
        (one("id: a\nturns: [Hi]\ntag: [x]"), "f.yaml:6: scenario 'a': unknown key 'tag': did you mean 'tags'?"),
        (one("id: a\nturns: [Hi]\nzzz: 1"), "f.yaml:6: scenario 'a': unknown key 'zzz': known are id, situation"),
        (one("id: a\nturns: [Hi]\nnotes:"), "f.yaml:6: scenario 'a': unknown key 'notes': did you mean 'note'?"),
        (one("id: a\nturns: [Hi]\ntags: ''"), "f.yaml:6: scenario 'a': tags is '', not a list: put each text"),
        (
            one("id: a\nturns: [Hi]\ntags: [A]"),
            "f.yaml:6: scenario 'a': tag 'A': use small letters, digits and hyphens",
        ),
        (one("id: a\nturns: [Hi]\ntags: [x, x]"), "f.yaml:6: scenario 'a': tag 'x' is given twice: remove one"),
        (one("id: a\nturns: [Hi]\nnote: [x]"), "f.yaml:6: scenario 'a': note is a list, not a text: put it in quotes"),
        (one("id: a\nturns: [Hi]\nsituation: A"), "f.yaml:6: scenario 'a': situation is 'A': use small letters"),
        (one("id: a\nturns: [Hi]\ndata: x"), "f.yaml:6: scenario 'a': data is 'x': give a mapping or leave it out"),
        (
            one("id: a\nturns: [Hi]\nhistory: x"),
            "f.yaml:6: scenario 'a': history is 'x': give a list of {role, content}",
        ),
        (one("id: a\nturns: [Hi]\nhistory: [x]"), "f.yaml:6: scenario 'a': history 1 is 'x': give {role, content}"),
        (
            one("id: a\nturns: [Hi]\nhistory:\n- {role: system, content: x}"),
            "f.yaml:7: scenario 'a': history 1 has role 'system': give user or assistant, and a content",
        ),
        (
            one("id: a\nturns: [Hi]\nhistory:\n- {role: user, contents: x}"),
            "f.yaml:7: scenario 'a': history 1: unknown key 'contents': did you mean 'content'?",
        ),
        (
            one("id: a\nturns: [Hi]\nhistory:\n- {role: user, content: x}"),
            "f.yaml:6: scenario 'a': history ends with the user, who speaks next: end it with the assistant",
        ),
        (
            "category: small_talk\nscenarios:\n- {id: a, turns: [Hi]}\n- {id: a, turns: [Ho]}",
            "f.yaml:4: scenario 2: id 'a' is already that of scenario 1: rename one of the two",
        ),
        (one("id: a\nid: b\nturns: [Hi]"), "f.yaml:5: key 'id' is given twice (first in line 4): remove one"),
        (one(f"id: a\nturns: [Hi]\nnote: [x]\n{'k' * 900}: 1"), "f.yaml:7: scenario 'a': unknown key 'kkk"),
    ],
)
def test_what_is_wrong_is_named_with_file_line_item_and_next_step(text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_scenarios(text, "f.yaml", CATEGORIES)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_terminal_escapes_are_shown_as_escapes() -> None:
    with pytest.raises(ParseError) as caught:
        parse_scenarios('category: "\\e[31m"', "f.yaml", CATEGORIES)
    assert "\x1b" not in str(caught.value)


def test_an_id_of_two_files_is_refused() -> None:
    a, b = Scenario("a", "x", ("Hi",)), Scenario("b", "x", ("Hi",))
    assert merge_scenarios([("one.yaml", [a]), ("two.yaml", [b])]) == (a, b)
    with pytest.raises(ParseError) as caught:
        merge_scenarios([("one.yaml", [a, b]), ("two.yaml", [b])])
    assert str(caught.value) == "two.yaml: scenario id 'b' is also used in one.yaml: rename one of the two"


@given(st.text(max_size=100), st.sampled_from(["id", "turns", "tags", "note", "history", "data", "audience"]))
def test_any_text_in_any_field_is_read_or_refused(text: str, key: str) -> None:
    try:
        parse_scenarios(one(f"id: a\nturns: [Hi]\n{key}: {text}"), "f.yaml", CATEGORIES)
    except ParseError as error:
        assert "\n" not in str(error)


def test_the_error_carries_what_is_wrong_with_every_scenario() -> None:
    text = (
        "category: small_talk\nscenarios:\n  - {id: Bad Name, turns: [Hi]}\n  - {id: fine, turns: [Hi]}\n"
        "  - {id: wrong, turns: [], tags: [Not Good]}\n  - {id: fine, turns: [Hello]}\n  - none\n"
        "  - {id: asks, turns: [Hi], expect: [{id: a, ask: No mark}]}\n"
    )
    with pytest.raises(ParseError) as caught:
        parse_scenarios(text, "set.yaml", ("small_talk",))
    assert [error.place for error in caught.value.all] == [f"set.yaml:{line}" for line in (3, 5, 5, 6, 7, 8)]
    assert [error.problem.partition(": ")[0] for error in caught.value.all] == [
        "scenario 1",
        "scenario 'wrong'",
        "scenario 'wrong'",
        "scenario 4",
        "scenario 5",
        "scenario 'asks'",
    ]


def test_a_scenario_names_its_language_by_a_known_code() -> None:
    items = "  - {id: a, turns: [Hallo], lang: de}\n  - {id: b, turns: [Hi], reply_lang: ja}\n"
    text = f"category: continuity\nscenarios:\n{items}"
    german, japanese = parse_scenarios(text, "f.yaml", CATEGORIES)
    assert (german.lang, german.answer_language) == ("de", "de")
    assert (japanese.lang, japanese.answer_language) == ("", "ja")
    assert scenarios_digest([german]) != scenarios_digest([replace(german, lang="")])
    with pytest.raises(ParseError, match=r"f\.yaml:3: .*language 'german' is no code that is known here"):
        parse_scenarios(text.replace("lang: de", "lang: german"), "f.yaml", CATEGORIES)
