"""What changed between two prompts: lines, words and settings, whatever the texts."""

from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from evaluation.comparison.prompt_change import ChangedSetting, Piece, PromptChange, find_change
from evaluation.prompts import PromptVersion
from evaluation.records import Turn
from evaluation.runspec import PromptPin


def version(*messages: tuple[str, str], config: Mapping[str, Any] | None = None) -> PromptVersion:
    pin = PromptPin("mine", 1, None, "0" * 64, "file")
    return PromptVersion(pin, "chat", tuple(Turn(*each) for each in messages), config or {}, ())


def change(before: str, after: str) -> PromptChange:
    return find_change(version(("system", before)), version(("system", after)))


def shown(found: PromptChange) -> list[tuple[str, str]]:
    return [(line.kind, line.text) for message in found.messages for line in message.lines]


def test_a_line_that_stays_is_the_same_and_one_in_its_place_is_removed_and_added() -> None:
    found = change("Be kind.\nKeep it short.", "Be kind.\nKeep it very short.")
    assert shown(found) == [("same", "Be kind."), ("removed", "Keep it short."), ("added", "Keep it very short.")]
    assert (found.count("added"), found.count("removed"), found.is_empty) == (1, 1, False)


def test_the_words_that_differ_are_marked_in_both_lines() -> None:
    found = change("Write three short sentences.", "Write two short sentences!")
    removed, added = found.messages[0].lines
    assert removed.pieces == (
        Piece("Write "), Piece("three", changed=True), Piece(" short sentences"), Piece(".", changed=True),
    )  # fmt: skip
    assert added.pieces == (
        Piece("Write "), Piece("two", changed=True), Piece(" short sentences"), Piece("!", changed=True),
    )  # fmt: skip


def test_lines_with_little_in_common_stand_as_a_whole() -> None:
    found = change("Never mention prices at all", "Say goodbye warmly; then stop asking questions")
    assert all(line.pieces == (Piece(line.text),) for line in found.messages[0].lines)


def test_a_line_finds_the_one_that_it_became_behind_a_new_one() -> None:
    found = change("Keep every answer short.", "Greet the user first.\nKeep every answer very short.")
    removed, new, added = found.messages[0].lines
    assert (removed.pieces, new.pieces) == ((Piece("Keep every answer short."),), (Piece("Greet the user first."),))
    assert added.pieces == (Piece("Keep every answer "), Piece("very ", changed=True), Piece("short."))


def test_lines_too_many_to_try_every_pair_are_held_against_the_one_in_their_place() -> None:
    before = "\n".join(f"rule {number} says old things" for number in range(30))
    found = change(before, before.replace("old", "new"))
    assert all(Piece("new", changed=True) in line.pieces for line in found.messages[0].lines if line.kind == "added")


def test_stretches_of_unchanged_lines_are_parted_from_the_others() -> None:
    found = change("a\nb\nold line\nc", "a\nb\nnew line\nc")
    assert [(same, len(lines)) for same, lines in found.messages[0].stretches()] == [(True, 2), (False, 2), (True, 1)]


def test_a_message_of_another_role_is_one_removed_and_one_added() -> None:
    found = find_change(version(("system", "Hi")), version(("user", "Hi"), ("assistant", "Yes")))
    assert [(each.role, [line.kind for line in each.lines]) for each in found.messages] == [
        ("system", ["removed"]), ("user", ["added"]), ("assistant", ["added"]),
    ]  # fmt: skip


def test_a_new_message_before_one_that_stays_is_added_alone() -> None:
    found = find_change(version(("user", "Hi")), version(("user", "First"), ("user", "Hi")))
    assert [(each.role, each.is_changed) for each in found.messages] == [("user", True), ("user", False)]


def test_the_listing_shows_three_lines_around_a_change_and_counts_the_others() -> None:
    same = [f"line {number}" for number in range(10)]
    found = find_change(
        version(("system", "\n".join([*same, "old", *same])), ("user", "Hi")),
        version(("system", "\n".join([*same, "new", *same])), ("user", "Hi")),
    )
    around = [*(f" {line}" for line in same[-3:]), "-old", "+new", *(f" {line}" for line in same[:3])]
    rest = "@@ 7 unchanged lines @@"
    assert list(found.listing()) == ["@@ system @@", rest, *around, rest]
    assert found.to_json() == {"lines_added": 1, "lines_removed": 1, "diff": list(found.listing()), "config": []}


def test_a_line_alone_between_two_changes_is_shown_and_not_counted() -> None:
    found = change("a1\nsame\nb1", "a2\nsame\nb2")
    assert list(found.listing()) == ["@@ system @@", "-a1", "+a2", " same", "-b1", "+b2"]


def test_settings_are_named_with_both_values_and_those_that_agree_are_left_out() -> None:
    before = version(config={"temperature": 0.7, "variables": {"name": "Pen"}, "stop": ["a"]})
    after = version(config={"temperature": 0.2, "variables": {"name": "Pen", "tone": "warm"}})
    assert find_change(before, after).config == (
        ChangedSetting("temperature", "0.7", "0.2"),
        ChangedSetting("stop", '["a"]', None),
        ChangedSetting("variables.tone", None, '"warm"'),
    )


def test_equal_prompts_have_no_change() -> None:
    one = version(("system", "Hi\nthere"), config={"top_p": 1})
    assert find_change(one, one).is_empty


@given(st.text(max_size=200), st.text(max_size=200))
def test_both_texts_can_be_read_off_the_change(before: str, after: str) -> None:
    found = change(before, after)
    lines = shown(found)
    assert "\n".join(text for kind, text in lines if kind != "added") == before
    assert "\n".join(text for kind, text in lines if kind != "removed") == after
    assert found.is_empty == (before == after)


def test_one_line_of_a_long_prompt_is_found() -> None:
    long = "\n".join(f"Rule {number}: keep to it" for number in range(3_000))
    found = change(long, long.replace("Rule 7:", "Rule seven:"))
    assert found.count("added") == found.count("removed") == 1
