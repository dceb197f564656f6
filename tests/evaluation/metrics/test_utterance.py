"""Folding keeps every place in the text."""

import sys

import pytest

from evaluation.metrics.cues.phrases import PhraseSettings, response_says
from evaluation.metrics.utterance import (
    APOSTROPHES,
    LONGEST_KEPT_TEXT,
    WHITE_SPACE,
    Text,
    Utterance,
    bare_word,
    fold,
    pieces_of,
)
from evaluation.records import Turn


def test_folding_keeps_the_length_of_every_character() -> None:
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    folded = fold(every)
    assert len(folded) == len(every)
    assert all(folded[ord(each)] == " " for each in WHITE_SPACE)
    assert all(folded[ord(each)] == "'" for each in APOSTROPHES)


def test_white_space_is_what_split_splits_at() -> None:
    assert set(WHITE_SPACE) == {chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace()}


def test_a_finding_has_its_place_in_the_original() -> None:
    cases: list[tuple[str, int, int]] = [
        ("İİ as we discussed", 3, 18),
        ("  \n\n x   as\t\t we\u3000 discussed!", 9, 27),
        ("As We\nDiscussed", 0, 15),
        ("was we discussed, as we discussed", 18, 33),
        ("_as we discussed_", 1, 16),
    ]
    for text, start, end in cases:
        detect = response_says(PhraseSettings(phrases=("as  we discussed",)))
        (finding,) = detect(Utterance("", text))
        assert (finding.where, finding.start, finding.end) == ("response", start, end), (text, start, end)
        assert finding.quote == text[start:end], (text, start, end)


def test_bare_word() -> None:
    cases: list[tuple[str, str]] = [
        ("work.", "work"),
        ("“work”…", "work"),
        ("don't", "don't"),
        ("--", ""),
        ("é!", "é"),
        ("😀", ""),
        ("_a_", "a"),
        ("", ""),
    ]
    for word, bare in cases:
        assert bare_word(word) == bare, (word, bare)


def test_words_are_counted_as_split_counts_them() -> None:
    for text in ["", " ", "a", "a b", "  a\u2003b\x1cc \n"]:
        assert Text(text, "response").word_count == len(text.split()), text


@pytest.mark.parametrize(
    "text", ["", "-", "- a", "a -", "- a - b -", " - a", "--", "I'm  here, 'now'!", "a-b (c) \u2026"]
)
def test_the_pieces_of_a_text_are_those_of_its_line_and_stand_where_they_say(text: str) -> None:
    read = Text(text, "response")
    assert read.pieces == pieces_of(read.line)
    places = [read.piece_place(number) for number in range(len(read.pieces))]
    assert [read.line[start:end] for start, end in places] == read.pieces
    for place in range(len(read.line) + 1):
        assert read.pieces_before(place) == sum(start < place for start, _ in places)


def test_what_was_said_before_a_reply_is_read_once_and_the_reply_is_its_own() -> None:
    first, second = (Utterance("Hello you", "Hello you", [Turn("user", "Hello you")]) for _ in range(2))
    assert first.user_input is second.user_input
    assert first.earlier[0][1] is second.earlier[0][1]
    assert first.response is not second.response
    assert (first.user_input.where, first.earlier[0][1].where, first.response.where) == (
        "user_input",
        "context",
        "response",
    )


def test_a_long_message_is_not_remembered() -> None:
    said = "a" * (LONGEST_KEPT_TEXT + 1)
    assert Utterance(said, "").user_input is not Utterance(said, "").user_input
