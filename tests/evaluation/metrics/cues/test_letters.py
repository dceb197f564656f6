"""Letters that hide a word from a reader of plain ones."""

import pytest

from evaluation.metrics.cues.letters import in_plain_letters
from evaluation.metrics.utterance import Text, Utterance
from tests.evaluation.metrics.shipped import v3_cue

HIDDEN = [
    ("I want to ｋｉｌｌ ｍｙｓｅｌｆ", "i want to kill myself"),
    ("I want to k\u200bi\u200bl\u200bl my\u00adself", "i want to kill myself"),
    ("I want to k\u0456ll mys\u0435lf", "i want to kill myself"),
    ("I want to 𝐤𝐢𝐥𝐥 𝓂𝓎𝓈𝑒𝓁𝒻", "i want to kill myself"),
]
"""Of full width, with characters of no width, with letters of Cyrillic, as signs of mathematics."""


@pytest.mark.parametrize(("written", "plain"), HIDDEN)
def test_hidden_letters_are_read_as_plain_ones(written: str, plain: str) -> None:
    assert in_plain_letters(Text(written, "user_input")).text.line == plain


@pytest.mark.parametrize("written", ["plain", "Café, naïve: “yes” …", "Всё хорошо", "η καρδιά", "😀 fine", "中文"])
def test_other_letters_stay(written: str) -> None:
    text = Text(written, "user_input")
    assert in_plain_letters(text).text is text


def test_a_place_is_the_one_in_which_it_was_written() -> None:
    line = "so k\u200bi\u200bll it"
    found = in_plain_letters(Text(line, "user_input"))
    start, end = found.origin((3, 7))
    assert (found.text.line[3:7], line[start:end]) == ("kill", "k\u200bi\u200bll")


@pytest.mark.parametrize("written", [written for written, _ in HIDDEN])
def test_hidden_danger_is_seen_and_shown_as_it_was_written(written: str) -> None:
    findings = v3_cue("in_danger")(Utterance(f"Um, {written}.", ""))
    assert findings and findings[0].quote in written and len(findings[0].quote) >= len("kill myself")
