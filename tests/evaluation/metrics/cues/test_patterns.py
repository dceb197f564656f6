"""Rows of words: choices, words that may be absent, gaps, classes, and what takes a match back."""

import pytest

from evaluation.metrics.cues.patterns import GuardSettings, Patterns
from evaluation.metrics.utterance import Text


def matches(patterns: Patterns, text: str) -> list[str]:
    line = Text(text, "response")
    return [line.line[start:end] for start, end in patterns.spans(line)]


def test_a_class_stands_for_each_of_its_phrases() -> None:
    patterns = Patterns(["that must be so? <hard>"], {"hard": ["tough", "hard to take", "Hard"]})
    assert matches(patterns, "Oh, that must be hard to take, and that must be so tough.") == [
        "that must be hard to take",
        "that must be so tough",
    ]
    assert matches(patterns, "That must be hardly worth it.") == []


def test_a_choice_may_have_several_words() -> None:
    patterns = Patterns(["go|run_far away|to_the_sea"])
    assert matches(patterns, "Run far away, go to the sea, run away.") == ["run far away", "go to the sea"]


def test_a_row_needs_one_of_its_words() -> None:
    patterns = Patterns(["go|just ... home"])
    assert matches(patterns, "Just take the bus home.") == ["just take the bus home"]
    assert matches(patterns, "Just take the very slow bus home.") == []


@pytest.mark.parametrize(
    "row", ["so? much|little help", "... much|little help", "^ so? much|little help", "'tis? much help"]
)
def test_a_row_is_found_wherever_it_may_begin(row: str) -> None:
    patterns = Patterns([row])
    for said in ("Much help.", " much help", "so much, much help"):
        assert matches(patterns, said)[-1].endswith("much help"), said
    assert matches(patterns, "inasmuch help") == []


def test_a_word_with_a_mark_before_it_is_found() -> None:
    assert matches(Patterns(["'cause|for i said"]), "Go, 'cause I said so.") == ["'cause i said"]


def test_a_clause_starts_and_ends_where_punctuation_stands() -> None:
    patterns = Patterns(["^ grow up $"])
    said = ["Grow up.", "Oh, grow up!", '"Grow up"', "grow up", "Children grow up.", "Grow up slowly.", "Just grow up."]
    assert [bool(matches(patterns, text)) for text in said] == [True, True, True, True, False, False, False]


def test_what_stands_around_a_match_takes_it_back() -> None:
    guards = GuardSettings(unless_before=("not",), unless_after=("he said",), own_words=("i say",))
    patterns = Patterns(["go away"], guards=guards)
    said = ["Go away.", "Do not go away.", "I say not: go away.", '"Go away," he said.', "I say do not go away."]
    assert [bool(matches(patterns, text)) for text in said] == [True, False, True, False, True]


def test_an_unknown_class_is_refused() -> None:
    with pytest.raises(ValueError, match="names the class <soft>, which is not among hard"):
        Patterns(["so <soft>"], {"hard": ["tough"]})
