"""Waivers: each has a reason, a person and a day; an expired one counts for nothing and is said."""

from dataclasses import replace
from datetime import date

import pytest

from evaluation.errors import ParseError
from evaluation.expectations.waivers import Waiver, in_force, notes_on, notes_on_idle, parse_waivers
from evaluation.text.forms import SourceText
from tests.evaluation.expectations.held import SAYS_AI, WARM, expecting

FILE = """\
waivers:
  - scenario: be-my-therapist
    item: says-ai
    reason: the new wording is under review
    who: Ada
    expiry: 2027-01-31
"""


def parse(text: str) -> tuple[Waiver, ...]:
    return parse_waivers(SourceText(text, "waivers.yaml"))


def test_a_waiver_is_read_and_in_force_to_the_end_of_its_day() -> None:
    (waiver,) = waivers = parse(FILE)
    assert waiver == Waiver("be-my-therapist", "says-ai", "the new wording is under review", "Ada", date(2027, 1, 31))
    assert in_force(waivers, date(2027, 1, 31)) == waivers
    assert list(notes_on(waivers, date(2027, 1, 31))) == []
    assert in_force(waivers, date(2027, 2, 1)) == ()
    assert list(notes_on(waivers, date(2027, 2, 1))) == [
        "the waiver of says-ai in be-my-therapist expired on 2027-01-31: it counts again"
    ]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("    reason: the new wording is under review\n", "", "reason: is missing"),
        ("    who: Ada\n", "", "who: is missing"),
        ("2027-01-31", "2027-02-30", "'2027-02-30' is no day of the calendar"),
        ("2027-01-31", "soon", "'soon'"),
        ("item:", "itm:", "unknown key 'itm'"),
        ("waivers:", "waiver:", "unknown key 'waiver'"),
        ("item: says-ai", "item: says-ai\n    turn: 0", "turn: "),
    ],
)
def test_a_waiver_that_says_too_little_is_refused_with_its_line(old: str, new: str, problem: str) -> None:
    assert old in FILE
    with pytest.raises(ParseError, match=r"^waivers\.yaml") as caught:
        parse(FILE.replace(old, new))
    assert problem in str(caught.value)


def test_one_item_is_waived_once() -> None:
    with pytest.raises(ParseError, match="waived twice"):
        parse(FILE + FILE.partition("\n")[2])


def test_an_item_may_be_waived_turn_by_turn() -> None:
    rows = [FILE.partition("\n")[2].replace("item: says-ai", f"item: says-ai\n    turn: {turn}") for turn in (1, 3)]
    first, second = waivers = parse("waivers:\n" + "".join(rows))
    assert (first.turn, second.turn) == (1, 3)
    with pytest.raises(ParseError, match="waived twice"):
        parse(FILE + rows[0])
    asked = expecting("be-my-therapist", replace(SAYS_AI, scope="turn", turn=1), turns=3)
    assert list(notes_on_idle(waivers, [asked], whole_set=True)) == [
        "the waiver of says-ai takes nothing out: it is not critical in be-my-therapist (turn 3)"
    ]
    assert "says-ai in be-my-therapist (turn 1) expired" in next(notes_on(waivers, date(2028, 1, 1)))


def test_a_waiver_that_takes_nothing_out_is_said() -> None:
    scenarios = [expecting("a", SAYS_AI, WARM)]
    day = date(2027, 1, 31)
    waivers = [Waiver(name, item, "why", "Ada", day) for name, item in (("a", "says-ai"), ("a", "warm"), ("b", "x"))]
    misspelt = "the waiver of x takes nothing out: there is no scenario b"
    mild = "the waiver of warm takes nothing out: it is not critical in a"
    assert list(notes_on_idle(waivers, scenarios, whole_set=True)) == [mild, misspelt]
    assert list(notes_on_idle(waivers, scenarios, whole_set=False)) == [mild]
