import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.records import Json
from services.model.errors import LONGEST_MESSAGE, one_line, read_server_error

KEY = "abcd1234efgh"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("two\nlines\tand \x1b[31mcolour\x00", "two lines and [31mcolour"),
        (f"key {KEY} is bad", "key *** is bad"),
        ("Incorrect API key provided: sk-proj-ab12****wxyz. Look", "Incorrect API key provided: *** Look"),
        ("Authorization: Bearer eyJhbGci.x-y", "Authorization: Bearer ***"),
        ("right\u202eleft \ud800", "right left"),
        ("", ""),
    ],
)
def test_one_line(text: str, line: str) -> None:
    assert one_line(text, (KEY, "")) == line


def test_a_long_message_is_cut_after_the_key_was_taken_out() -> None:
    line = one_line(KEY * 100_000, (KEY,))
    assert len(line) == LONGEST_MESSAGE
    assert set(line) == {"*", "…"}


@settings(max_examples=30)
@given(st.text())
def test_any_text_becomes_one_printable_bounded_line(text: str) -> None:
    line = one_line(text + KEY + text, (KEY,))
    assert line.isprintable()
    assert len(line) <= LONGEST_MESSAGE
    assert KEY not in line


def test_read_server_error() -> None:
    bodies: list[tuple[Json, str, str, str]] = [
        ({"message": "no", "type": "t", "code": "c", "param": "p"}, "c", "p", "no"),
        ({"message": "no", "type": "t", "code": None}, "t", "", "no"),
        ({"code": 429, "message": "no"}, "429", "", "no"),
        ({"detail": "Not Found"}, "", "", "Not Found"),
        ({"detail": [{"loc": ["body"]}]}, "", "", "[{'loc': ['body']}]"),
        ({"code": 400, "type": "kind", "message": "no"}, "kind", "", "no"),
        ({"message": {"detail": [{"loc": ["body", "seed"], "msg": "extra"}]}}, "", "", "body.seed: extra"),
        ([{"loc": ["body", "a"], "msg": "no"}, {"msg": "nor this"}], "", "", "body.a: no; request: nor this"),
        ({"error": "text"}, "", "", "text"),
        ("plain text", "", "", "plain text"),
        ([1, 2], "", "", "[1, 2]"),
        ({"message": 7, "param": 3}, "", "", "7"),
        ({}, "", "", ""),
        ("", "", "", ""),
        (None, "", "", ""),
    ]
    for body, code, param, message in bodies:
        error = read_server_error(418, body)
        assert (error.status, error.code, error.param, error.message) == (418, code, param, message)
        assert error.text == (f"HTTP 418: {message}" if message else "HTTP 418")
