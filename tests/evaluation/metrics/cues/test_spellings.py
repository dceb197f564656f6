"""Texts in the spellings that rows know, and where their words stood."""

import pytest

from evaluation.metrics.cues.spellings import Spellings
from evaluation.metrics.utterance import Text

SPELLINGS = Spellings({"dinnae": "don't", "tae": "to", "um": "", "ah'm": "i'm", "wi": "with"})


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("I dinnae want tae go", "i don't want to go"),
        ("um so, um, yes", "so, , yes"),
        ("Ah'm wi him", "i'm with him"),
        ("twist tae", "twist to"),
        ("um", ""),
    ],
)
def test_words_are_replaced_whole(written: str, known: str) -> None:
    assert SPELLINGS.of(Text(written, "user_input")).text.line == known


def test_a_text_without_such_words_is_itself() -> None:
    text = Text("summer with artae", "user_input")
    assert SPELLINGS.of(text).text is text
    assert SPELLINGS.of(text).origin((2, 5)) == (2, 5)


@pytest.mark.parametrize(
    ("found", "said"),
    [("don't want", "dinnae want"), ("want", "want"), ("to go", "tae go"), ("go", "go"), ("so i", "so um I")],
)
def test_a_place_is_one_of_the_words_as_they_were_said(found: str, said: str) -> None:
    line = "so um I dinnae want tae go"
    respelled = SPELLINGS.of(Text(line, "user_input"))
    at = respelled.text.line.index(found)
    start, end = respelled.origin((at, at + len(found)))
    assert line[start:end] == said
