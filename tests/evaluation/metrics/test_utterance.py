"""Folding keeps every place in the text."""

import sys

from evaluation.metrics.cues.phrases import PhraseSettings, response_says
from evaluation.metrics.utterance import APOSTROPHES, WHITE_SPACE, Text, Utterance, bare_word, fold


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
