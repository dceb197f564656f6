"""Rows of words: choices, words that may be absent, gaps, classes, spellings, and what takes a match back."""

from collections.abc import Mapping, Sequence

import pytest

from evaluation.metrics.cues.guards import Guards, GuardSettings
from evaluation.metrics.cues.row_index import RowIndex, WordClasses
from evaluation.metrics.cues.rows import NO_CLASSES, RowList
from evaluation.metrics.utterance import Text


def row_list(
    *rows: str, classes: Mapping[str, Sequence[str]] = NO_CLASSES, guards: GuardSettings | None = None
) -> RowList:
    index = RowIndex()
    return RowList(rows, WordClasses(index, classes), None if guards is None else Guards(index, guards))


def matches(rows: RowList, text: str) -> list[str]:
    line = Text(text, "response")
    return [line.line[start:end] for start, end in rows.places(line)]


def test_a_class_stands_for_each_of_its_phrases() -> None:
    rows = row_list("that must be so? <hard>", classes={"hard": ["tough", "hard to take", "Hard"]})
    assert matches(rows, "Oh, that must be hard to take, and that must be so tough.") == [
        "that must be hard to take",
        "that must be so tough",
    ]
    assert matches(rows, "That must be hardly worth it.") == []


def test_a_choice_may_have_several_words() -> None:
    rows = row_list("go|run_far away|to_the_sea")
    assert matches(rows, "Run far away, go to the sea, run away.") == ["run far away", "go to the sea"]


def test_a_row_needs_one_of_its_words() -> None:
    rows = row_list("go|just ... home")
    assert matches(rows, "Just take the bus home.") == ["just take the bus home"]
    assert matches(rows, "Just take the very slow bus home.") == []


@pytest.mark.parametrize(
    "row", ["so? much|little help", "... much|little help", "^ so? much|little help", "'tis? much help"]
)
def test_a_row_is_found_wherever_it_may_begin(row: str) -> None:
    rows = row_list(row)
    for said in ("Much help.", " much help", "so much, much help"):
        assert matches(rows, said)[-1].endswith("much help"), said
    assert matches(rows, "inasmuch help") == []


def test_a_word_with_a_mark_before_it_is_found() -> None:
    assert matches(row_list("'cause|for i said"), "Go, 'cause I said so.") == ["cause i said"]


def test_a_comma_parts_words_but_where_others_may_lie_between() -> None:
    assert matches(row_list("stay calm"), "Stay, calm down.") == []
    assert matches(row_list("stay ... calm"), "Stay, calm down.") == ["stay, calm"]
    assert matches(row_list("stay ... calm"), "Stay here, be calm.") == ["stay here, be calm"]
    assert matches(row_list("stay ... calm"), "Stay. Calm down.") == []
    assert matches(row_list(",_i|myself know"), "As a doctor, I know.") == [", i know"]


def test_no_contrary_lies_between() -> None:
    rows = row_list("that ... a solution")
    assert matches(rows, "That may be a solution.") == ["that may be a solution"]
    assert matches(rows, "That is never a solution.") == []


def test_a_hyphen_is_a_blank() -> None:
    assert matches(row_list("well-known"), "It is well known.") == ["well known"]
    assert matches(row_list("well known"), "It is **well-known**.") == ["well-known"]


@pytest.mark.parametrize(
    ("row", "found", "spared"),
    [
        ("don't go", ["don't go", "do not go", "dont go"], ["do go"]),
        ("i'll stay", ["i'll stay", "i will stay"], ["ill stay"]),
        ("the dog ... barks", ["the dog's here and barks"], ["the dogs bark"]),
    ],
)
def test_an_apostrophe_parts_no_word_from_its_row(row: str, found: list[str], spared: list[str]) -> None:
    rows = row_list(row)
    assert [matches(rows, text) for text in found] == [[text] for text in found]
    assert [text for text in spared if matches(rows, text)] == []


def test_a_clause_starts_and_ends_where_punctuation_stands() -> None:
    rows = row_list("^ grow up $")
    said = ["Grow up.", "Oh, grow up!", '"Grow up"', "grow up", "Children grow up.", "Grow up slowly.", "Just grow up."]
    assert [bool(matches(rows, text)) for text in said] == [True, True, True, True, False, False, False]


def test_what_stands_around_a_match_takes_it_back() -> None:
    guards = GuardSettings(unless_before=("not",), unless_after=("he said",), own_words=("i say",))
    rows = row_list("go away", guards=guards)
    said = ["Go away.", "Do not go away.", "I say not: go away.", '"Go away," he said.', "I say do not go away."]
    assert [bool(matches(rows, text)) for text in said] == [True, False, True, False, True]


def test_reported_speech_is_taken_back_in_quotation_marks() -> None:
    rows = row_list("go away", guards=GuardSettings(unless_before=("he said",)))
    assert matches(rows, 'He said "go away" to me.') == []
    assert matches(rows, '"Go away" is no answer.') == ["go away"]


def test_rows_that_are_added_later_are_found_in_a_text_that_was_read() -> None:
    index, text = RowIndex(), Text("Go away", "response")
    first = RowList(["go"], WordClasses(index, NO_CLASSES))
    assert first.places(text) == [(0, 2)]
    second = RowList(["go away"], WordClasses(index, NO_CLASSES))
    assert (first.places(text), second.places(text)) == ([(0, 2)], [(0, 7)])


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("so <soft>", "names the class <soft>, which is not among hard"),
        ("so much|", "has an empty choice"),
        ("so? ... much? $", "has no word that must occur"),
        ("^ ...", "has no word that must occur"),
    ],
)
def test_a_wrong_row_is_refused(row: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        row_list(row, classes={"hard": ["tough"]})
