import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from evaluation.text.safe_text import clip, pad, printable, width, wrap

ANY = st.text(alphabet=st.characters(), max_size=60)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ~ text", "plain ~ text"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\x1b[31mred\x07\x00", "\\x1b[31mred\\x07\\x00"),
        ("\x9b31m\x85", "\\x9b31m\\x85"),
        ("\u202egnp\u2066x\u200f", "\\u202egnp\\u2066x\\u200f"),
        ("a\u200bb\u200dc\ufeff\u00ad", "a\\u200bb\\u200dc\\ufeff\\xad"),
        ("a\u2028b\u2029", "a\\u2028b\\u2029"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("Grüße, 漢字 \U0001f600", "Grüße, 漢字 \U0001f600"),
        ("e\u0301", "e\u0301"),
        ("e" + "\u0301" * 5, "e" + "\u0301" * 3 + "\\u0301\\u0301"),
    ],
)
def test_what_steers_a_terminal_is_shown_as_its_escape(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(ANY)
def test_nothing_unprintable_is_left(text: str) -> None:
    shown = printable(text)
    assert not any(unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for char in shown)
    assert len(f"{shown} ".splitlines()) == 1


@given(ANY, st.integers(1, 30))
def test_clipped_and_padded_text_fits(text: str, columns: int) -> None:
    assert width(clip(text, columns)) <= columns
    assert cell_len(clip(text, columns)) <= columns
    assert width(pad(text, columns)) == columns


def test_clip_cuts_with_an_ellipsis_and_counts_wide_characters_twice() -> None:
    assert clip("hello", 5) == "hello"
    assert clip("hello!", 5) == "hell…"
    assert clip("漢字漢字", 8) == "漢字漢字"
    assert clip("漢字漢字", 7) == "漢字漢…"
    assert clip("漢字漢字", 6) == "漢字…"


@given(ANY, st.integers(2, 20), st.integers(1, 4))
def test_wrapped_lines_fit(text: str, columns: int, lines: int) -> None:
    found = wrap(text, columns, lines)
    assert 1 <= len(found) <= lines
    assert all(width(line) <= columns for line in found)


def test_wrap_breaks_at_spaces_and_keeps_every_word_that_fits() -> None:
    assert wrap("one two three four", 9, 5) == ["one two", "three", "four"]
    assert wrap("one two three four", 9, 2) == ["one two", "three fo…"]
    assert wrap("abcdefghij", 4, 3) == ["abcd", "efgh", "ij"]
    assert wrap("", 4, 3) == [""]


def test_a_megabyte_is_read_no_further_than_needed() -> None:
    assert clip("\u0301" * 1_000_000, 12) == "\u0301" * 3 + "\\u0301\\u030…"
    assert wrap("x" * 1_000_000, 10, 2) == ["x" * 10, "x" * 9 + "…"]
