"""Bases, edits and swaps from their files, and what each way of editing makes of a reply."""

from pathlib import Path

import pytest

from evaluation.errors import ParseError
from evaluation.mutations.base import Base, parse_bases
from evaluation.mutations.changes import CHANGES
from evaluation.mutations.edit import make_edits, parse_edits, parse_other_half
from evaluation.mutations.swaps import SwapGroup, make_swaps, parse_swaps

FILES = Path(__file__).resolve().parents[3] / "evaluation" / "mutations"
BASE = """
bases:
  - id: puppy
    about: [continuity, feeling]
    fact: {kind: pet, value: Biscuit}
    context:
      - user: My puppy is called Biscuit.
      - assistant: A perfect name!
    user: He howls all night.
    reply:
      - hears: What a night.
      - recalls: Poor Biscuit, and poor you.
      - asks: Is it worse when you leave?
  - id: egg
    about: [task]
    user: How long do I boil an egg?
    reply:
      - helps: Six minutes.
"""
PLAIN = "What a night. Poor Biscuit, and poor you. Is it worse when you leave?"


def bases(text: str = BASE) -> tuple[Base, ...]:
    return parse_bases(text, "bases.yaml")


def edits(kind: str) -> list[tuple[str, str]]:
    """(before, after) of each wording of the only kind, on the bases above."""
    kinds = parse_edits(f"kinds:\n  - kind: k\n    says: S.\n    expect: {{clarity: down}}\n{kind}", "edits.yaml")
    return [(each.before, each.after) for each in make_edits(kinds, bases())]


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("about: [feeling]\n    part: hears\n    after: [A, B, C]", PLAIN, PLAIN.replace("What a night.", "A")),
        (
            "about: [feeling]\n    part: hears\n    before: [A, B, C]",
            PLAIN.replace("What a night.", "A"),
            PLAIN.removeprefix("What a night. "),
        ),
        (
            "about: [feeling]\n    part: recalls\n    before: [A, B, C]\n    after: [X, Y, Z]",
            "What a night. A Is it worse when you leave?",
            "What a night. X Is it worse when you leave?",
        ),
        ("about: [task]\n    reply: [Okay., B, C]", "Six minutes.", "Okay."),
        ("about: [task]\n    add: [Bye., B, C]", "Six minutes.", "Six minutes. Bye."),
        ("about: [task]\n    add_first: [Hi., B, C]", "Six minutes.", "Hi. Six minutes."),
        ("about: [feeling]\n    swap: {pet: [Rex, B, C]}", PLAIN, PLAIN.replace("Biscuit", "Rex")),
        (
            "about: [feeling]\n    by: [repeat_last, cut_in_half, first_turn]",
            PLAIN,
            f"{PLAIN} Is it worse when you leave?",
        ),
    ],
)
def test_an_edit_changes_what_it_says_and_nothing_else(kind: str, before: str, after: str) -> None:
    found = edits(f"    {kind}\n")
    assert len(found) == 3
    assert found[0] == (before, after)


def test_an_edit_applies_where_the_base_is_about_it_and_has_its_part() -> None:
    assert edits("    about: [feeling]\n    not_about: [continuity]\n    add: [A, B, C]\n") == []
    assert edits("    about: [task]\n    part: hears\n    after: [A, B, C]\n") == []
    assert edits("    about: [feeling]\n    swap: {place: [A, B, C]}\n") == []


def test_an_edit_that_changes_nothing_is_left_out() -> None:
    assert edits("    about: [task]\n    reply: [Six minutes., Okay., Hm.]\n") == [
        ("Six minutes.", "Okay."),
        ("Six minutes.", "Hm."),
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("reverse_words", "leave? you when worse it Is you. poor and Biscuit, Poor night. a What"),
        ("swap_neighbours", "a What Poor night. and Biscuit, you. poor it Is when worse leave? you"),
        ("rotate_words", "Biscuit, and poor you. Is it worse when you leave? What a night. Poor"),
        ("interleave_halves", "you. What Is a it night. worse Poor when Biscuit, you and leave? poor"),
        ("repeat_first", f"What a night. {PLAIN}"),
        ("repeat_all", f"{PLAIN} {PLAIN}"),
        ("repeat_clause", f"{PLAIN} What a night."),
        ("earlier_turn", "A perfect name!"),
        ("earlier_turn_with_lead", "Well, a perfect name!"),
        ("bullet_points", "- What a night.\n- Poor Biscuit, and poor you.\n- Is it worse when you leave?"),
        ("numbered_list", "1. What a night.\n2. Poor Biscuit, and poor you.\n3. Is it worse when you leave?"),
        ("cut_in_half", "What a night. Poor Biscuit, and poor"),
        ("cut_last_word", "What a night. Poor Biscuit, and poor you. Is it worse when you"),
        ("cut_in_word", "What a night. Poor Biscuit, and poor you. Is it worse when you lea"),
        ("reply_of_next", "Six minutes."),
        ("user_message", "He howls all night."),
        ("user_message_with_lead", "So, he howls all night."),
        ("user_message_as_question", "He howls all night?"),
    ],
)
def test_changes_by_code(name: str, expected: str) -> None:
    assert CHANGES[name](bases()[0], bases()) == expected


def test_shuffled_words_are_the_same_words_in_an_order_that_does_not_change() -> None:
    shuffled = CHANGES["shuffle_words"](bases()[0], bases())
    assert sorted(shuffled.split()) == sorted(PLAIN.split())
    assert shuffled != PLAIN
    assert shuffled == CHANGES["shuffle_words"](bases()[0], bases())


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (BASE.replace("id: egg", "id: puppy"), "bases.yaml:14: bases[1].id: 'puppy' is given twice"),
        (BASE.replace("value: Biscuit", "value: Rex"), "bases[0].fact: the reply does not have the fact's value"),
        (BASE.replace("hears: What", "cheers: What"), "bases[0].reply[0]"),
        (BASE.replace("asks: Is it worse when you leave?", "asks: A?\n        plain: B."), "holds 2 keys"),
    ],
)
def test_a_wrong_base_is_refused_with_its_place(text: str, complaint: str) -> None:
    with pytest.raises(ParseError) as error:
        bases(text)
    assert complaint in str(error.value)


@pytest.mark.parametrize(
    ("kind", "complaint"),
    [
        ("    about: [task]\n    add: [A, B]\n", "add has 2 wordings: give 3"),
        ("    about: [task]\n    by: [cut_in_hafl, first_turn, cut_in_half]\n", "did you mean 'cut_in_half'"),
        ("    about: [task]\n", "says nothing to change"),
        ("    about: [task]\n    add: [A, B, C]\n    reply: [A, B, C]\n", "says reply, add to change"),
        ("    about: [task]\n    part: helps\n", "gives no wording before or after"),
    ],
)
def test_a_wrong_kind_is_refused(kind: str, complaint: str) -> None:
    with pytest.raises(ParseError) as error:
        edits(kind)
    assert complaint in str(error.value)


OPEN = "kinds:\n  - {kind: k, says: S., about: [task], add: [A, B, C], expect: {clarity: down}}\n"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("kinds:\n  - {kind: other, add: [A, B, C]}\n", "its kinds are not those of the open half: give k"),
        ("kinds:\n  - {kind: k, reply: [A, B, C]}\n", "gives reply, not add"),
    ],
)
def test_the_other_half_has_the_same_kinds_and_keys(text: str, complaint: str) -> None:
    with pytest.raises(ParseError) as error:
        parse_other_half(text, "edits-shut.yaml", parse_edits(OPEN, "edits.yaml"))
    assert complaint in str(error.value)


def test_swaps_keep_capitals_and_word_boundaries() -> None:
    text = """
still: [{group: s, in: reply, swaps: {what: whatever, "it": that}}]
fair: [{group: f, in: user, swaps: {he: she, my: our}}]
"""
    swaps = parse_swaps(text, "swaps.yaml")
    still = next(make_swaps(swaps.still, bases()))
    assert still.after.reply.startswith("Whatever a night. Poor Biscuit, and")
    assert still.after.user == still.before.user
    fair = next(make_swaps(swaps.fair, bases()))
    assert fair.after.user == "She howls all night."
    assert [turn.content for turn in fair.after.context] == ["Our puppy is called Biscuit.", "A perfect name!"]
    assert fair.after.reply == PLAIN


def test_a_name_is_swapped_before_a_possessive_too() -> None:
    group = SwapGroup.model_validate({"group": "g", "in": "both", "swaps": {"Ana": "Aisha", "he": "she"}})
    assert group.swap("Ana's tall, Anais is not, and he's Ana's friend.") == (
        "Aisha's tall, Anais is not, and he's Aisha's friend."
    )
    assert group.swap("Ana'd come, he says.") == "Ana'd come, she says."


def test_the_shipped_edits_are_enough_and_whole() -> None:
    shipped = parse_bases((FILES / "bases.yaml").read_text(), "bases.yaml")
    kinds = parse_edits((FILES / "edits.yaml").read_text(), "edits.yaml")
    shut = parse_other_half((FILES / "edits-shut.yaml").read_text(), "edits-shut.yaml", kinds)
    assert len(shipped) >= 120
    assert len(kinds) >= 24
    for kind, other in zip(kinds, shut, strict=True):
        assert sum(kind.applies_to(base) for base in shipped) >= 4, kind.kind
        for key, words in kind.lists().items():
            assert not {*words} & {*other.lists()[key]}, f"{kind.kind}: {key} has a wording in both halves"
    for base in shipped:
        if base.fact is not None:
            value = base.fact.value.lower()
            assert any(value in turn.content.lower() for turn in base.turns()), base.id
