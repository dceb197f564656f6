"""Choosing from a scenario set, and what the set is pinned by."""

from dataclasses import replace

import pytest

from evaluation.errors import UsageError
from evaluation.records import Scenario, Turn
from evaluation.runspec import digest
from evaluation.scenarios.selection import scenarios_digest, scenarios_pin, select_scenarios


def scenario(name: str, *tags: str) -> Scenario:
    return Scenario(id=name, category=name[0], turns=("Hi",), tags=tags)


SET = (
    scenario("a1", "x"),
    scenario("a2"),
    scenario("a3", "y"),
    scenario("b1", "x", "y"),
    scenario("c1"),
    scenario("c2"),
)


def ids(**options: object) -> str:
    return " ".join(chosen.id for chosen in select_scenarios(SET, **options))  # type: ignore[arg-type]


def test_what_is_chosen_and_in_which_order() -> None:
    cases: list[tuple[dict[str, object], str]] = [
        ({}, "a1 a2 a3 b1 c1 c2"),
        ({"categories": ["c", "a"]}, "a1 a2 a3 c1 c2"),
        ({"tags": ["x"]}, "a1 b1"),
        ({"tags": ["x", "y"]}, "a1 a3 b1"),
        ({"categories": ["a"], "tags": ["y"]}, "a3"),
        ({"limit": 1}, "a1"),
        ({"limit": 3}, "a1 b1 c1"),
        ({"limit": 4}, "a1 a2 b1 c1"),
        ({"limit": 5}, "a1 a2 b1 c1 c2"),
        ({"limit": 100}, "a1 a2 a3 b1 c1 c2"),
        ({"categories": ["c", "a"], "limit": 2}, "a1 c1"),
        ({"only": ["c2", "a3"]}, "a3 c2"),
        ({"limit": 3, "only": ["b1", "a1"]}, "a1 b1"),
    ]
    for options, chosen in cases:
        assert ids(**options) == chosen, (options, chosen)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"categories": ["z"]}, "no scenario has the category 'z'; there are a, b, c: choose one"),
        ({"tags": ["zz"]}, "no scenario has the tag 'zz'; there are x, y: choose one"),
        ({"categories": ["c"], "tags": ["x"]}, "no scenario is left of c, x: ask for fewer restrictions"),
        ({"limit": 0}, "limit is 0: give 1 or more"),
        ({"only": ["zz"]}, "no scenario has the id 'zz'; there are a1, a2, a3, b1, c1, c2: choose one"),
        ({"limit": 1, "only": ["b1"]}, "no scenario is left of b1: ask for fewer restrictions"),
    ],
)
def test_a_choice_that_cannot_be_made_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        ids(**options)
    assert str(caught.value).startswith(message)


def test_an_empty_set_has_nothing_to_choose() -> None:
    with pytest.raises(UsageError, match=r"^no scenario is left of the set"):
        select_scenarios(())


BASE = Scenario("a", "small_talk", ("Hi",))


def test_the_digest_changes_with_what_is_measured() -> None:
    cases: list[Scenario] = [
        replace(BASE, id="b"),
        replace(BASE, category="continuity"),
        replace(BASE, turns=("Hi", "Ho")),
        replace(BASE, situation="other"),
        replace(BASE, audience="a pilot"),
        replace(BASE, note="Be kind."),
        replace(BASE, history=(Turn("assistant", "Hi"),)),
        replace(BASE, data={"k": 1}),
    ]
    for changed in cases:
        assert scenarios_digest([changed]) != scenarios_digest([BASE]), changed


def test_the_digest_is_that_of_earlier_versions() -> None:
    """Another would call every run of before a run of other scenarios."""
    other = Scenario("b", "c", ("Hé", "2"), "x", "a nurse", ("t",), "n", (Turn("user", "q"),), {"k": [1, None]})
    measured = [
        ["a", "c", ["Hi"], "a", "", "", [], {}],
        ["b", "c", ["Hé", "2"], "x", "a nurse", "n", [["user", "q"]], {"k": [1, None]}],
    ]
    assert scenarios_digest([other, Scenario("a", "c", ("Hi",))]) == digest(measured)


def test_the_digest_does_not_change_with_order_tags_or_a_situation_that_says_nothing_new() -> None:
    other = Scenario("b", "small_talk", ("Ho",))
    assert scenarios_digest([BASE, other]) == scenarios_digest([other, BASE])
    assert scenarios_digest([replace(BASE, tags=("x",))]) == scenarios_digest([BASE])
    assert scenarios_digest([replace(BASE, situation="a")]) == scenarios_digest([BASE])
    assert scenarios_digest([BASE, other]) != scenarios_digest([BASE])


def test_the_pin_names_the_set_its_size_and_its_digest() -> None:
    pin = scenarios_pin("mine", SET)
    assert (pin.name, pin.version, pin.sha256) == ("mine", "6", scenarios_digest(SET))


def test_of_many_tags_the_nearest_are_named_and_how_many_there_are() -> None:
    many = [scenario(f"a{number}", f"tag-{number}", "crisis", "self-harm") for number in range(60)]
    for asked, near in {"crises": "crisis", "harm": "self-harm", "tag-7x": "tag-7"}.items():
        with pytest.raises(UsageError) as caught:
            select_scenarios(many, tags=[asked])
        message = str(caught.value)
        assert f"'{asked}'" in message
        assert near in message.partition("did you mean ")[2].partition("?")[0]
        assert "there are 62" in message
        assert "docs/scenarios.md" in message
        assert len(message) < 250
    with pytest.raises(UsageError, match="'zzzz': there are 62"):
        select_scenarios(many, tags=["zzzz"])
