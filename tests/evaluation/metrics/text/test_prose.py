"""The text that counts as a sentence, a word, a list item, a heading."""

from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.text.prose import LONGEST_PIECE, prose_of, sentences_of
from evaluation.metrics.utterance import Utterance


def lengths(text: str) -> list[int]:
    return prose_of(Utterance("", text).response).lengths


def test_sentences() -> None:
    cases: list[tuple[str, list[int]]] = [
        ("Dr. Smith paid $3.50.", [4]),
        ("Mr. and Mrs. Jones left at 5 p.m. sharp. They ran.", [9, 2]),
        ("Version 2.0.1 is out. See it.", [4, 2]),
        ("1. Buy milk\n2. Sell eggs\n3. Rest", [2, 2, 1]),
        ("1. Buy milk 2. Sell eggs", [3, 2]),  # a number within a line stays with what it follows
        ("42.", [1]),
        ("It is. 42.", [3]),
        ("- One line\n  goes on\n- Two", [4, 1]),
        ("# The title\nThe text.", [2, 2]),
        ("A line that is\nwrapped softly.", [6]),
        ("One stands.\n\nTwo stand.", [2, 2]),
        ("What?! No... Yes.", [1, 1, 1]),
        ("no end", [2]),
        ("Done. ...", [1]),
        ("...", []),
    ]
    for text, expected in cases:
        assert lengths(text) == expected, (text, expected)


def test_a_long_stretch_is_cut_nowhere_else_than_a_short_one() -> None:
    """Read piece by piece, with the last sentence of each piece read again; the text is all there."""
    for unit in ["One two three. ", "«a. ", "你好。", "word ", "'a' "]:
        count = 3 * LONGEST_PIECE // len(unit) + 7
        found = sentences_of(unit * count)
        assert "".join(found).split() == (unit * count).split(), unit
        if unit == "One two three. ":
            assert len(found) == count, unit
        if unit == "word ":
            assert len(found) == 1, unit


@given(st.text(alphabet="aB. \n1)-!?\"'«“。(\ud800\u0301", max_size=80))
def test_sentences_hold_every_letter_once(text: str) -> None:
    found = "".join(sentences_of(text.replace("\n", " ")))
    letters = [c for c in text.replace("\ud800", "") if c.isalnum()]
    assert [c for c in found if c.isalnum()] == letters


def test_words() -> None:
    cases: list[tuple[str, list[str]]] = [
        ("It's well-known, isn\u2019t it?", ["it's", "well-known", "isn't", "it"]),
        ("snake_case and _emphasis_", ["snake", "case", "and", "emphasis"]),
        ("3.50 or 10%", ["3", "50", "or", "10"]),
        ("cafe\u0301", ["café"]),
        ("1. One\n2. Two", ["one", "two"]),
        ("你好 world", ["你好", "world"]),
        ("- - -", []),
    ]
    for text, expected in cases:
        assert prose_of(Utterance("", text).response).words == expected, (text, expected)
