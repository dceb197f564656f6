"""Values of the six formulas worked out by hand, at and around every breakpoint."""

import pytest

from tests.evaluation.metrics.text.shipped import explained, value, words


def near(expected: float) -> object:
    return pytest.approx(expected, abs=1e-9)


def sentence(count: int, mark: str = ".") -> str:
    """One sentence of so many words."""
    return words(count).capitalize() + mark


# --- length -----------------------------------------------------------------------------------------------------------

LENGTHS = {
    0: 0.1,
    1: 0.1,  # 1 / 25 x 0.4 = 0.016, raised to 0.1
    6: 0.1,  # 0.096, raised
    7: 0.112,  # 7 / 25 x 0.4
    24: 0.384,  # 24 / 25 x 0.4
    25: 0.4,
    26: 0.412,  # 0.4 + 1 / 25 x 0.3
    49: 0.688,  # 0.4 + 24 / 25 x 0.3
    50: 0.7,
    51: 0.712,
    74: 0.988,  # 0.7 + 24 / 25 x 0.3
    75: 1.0,
    76: 1.0,
    299: 1.0,
    300: 1.0,
    301: 0.9985,  # 1 - 1 / 200 x 0.3
    499: 0.7015,  # 1 - 199 / 200 x 0.3
    500: 0.7,
    501: 0.699,  # 0.7 - 1 / 500 x 0.5
    800: 0.4,  # 0.7 - 300 / 500 x 0.5
    999: 0.201,
    1000: 0.2,
    1001: 0.2,
    5000: 0.2,
}


def test_length() -> None:
    for count, expected in LENGTHS.items():
        assert value("length_appropriateness", words(count)) == near(expected), (count, expected)


# --- lexical diversity ------------------------------------------------------------------------------------------------


def test_lexical_diversity() -> None:
    cases: list[tuple[str, float]] = [
        ("one", 1.0),
        ("One one", 0.5),  # case does not matter
        ("a b a", 2 / 3),
        ("don't don\u2019t", 0.5),  # nor the kind of apostrophe
        (words(100), 1.0),
        (" ".join(["a"] * 100), 0.01),  # 100 words: the plain ratio, 1 / 100
        (" ".join(["a"] * 101), 0.02),  # 101 words: windows of 50, 1 / 50 in each
        (f"{words(50)} {' '.join(['a'] * 51)}", (50 + 26 + 1) / 150),  # windows at 0, 25 and 50
        (f"{words(125)} {' '.join(['a'] * 25)}", 1.0),  # 150 words: windows at 0, 25, 50, 75; none reaches the end
        (f"{words(125)} {' '.join(['a'] * 26)}", (4 * 50 + 26) / 250),  # 151: a fifth, at 100, 25 + 1 different
    ]
    for text, expected in cases:
        assert value("lexical_diversity", text) == near(round(expected, 10)), (text, expected)


# --- coherence --------------------------------------------------------------------------------------------------------


def test_coherence() -> None:
    cases: list[tuple[str, float]] = [
        ("Alone.", 0.4),  # no transition, too short for a trigram
        ("We ran. We won.", 0.4),
        ("We ran. However, they won.", 0.6 * 1 / 2 + 0.4),
        ("However, we ran. Thus they won.", 1.0),
        ("However, thus, hence it ended.", 1.0),  # three in one sentence are no more than one in each
        ("It was, HOWEVER, over.", 1.0),  # anywhere, in any case
        ("An enthusiast of henceforth.", 0.4),  # not within words
        ("a b c. a b c.", 0.4 * 0.9),  # the trigram "a b c" twice: 0.1 off
        ("a b c. a b c. a b c.", 0.4 * 0.8),
        ("a b c d. a b c e. a b c f. a b c g. a b c h.", 0.4 * 0.6),  # 5 times
        (" ".join(f"a b c {name}." for name in "defghi"), 0.4 * 0.5),  # 6 times: 0.5 off
        (" ".join(f"a b c {name}." for name in "defghij"), 0.4 * 0.5),  # 7 times: no more than 0.5
    ]
    for text, expected in cases:
        assert value("coherence", text) == near(expected), (text, expected)


# --- completeness -----------------------------------------------------------------------------------------------------


def test_completeness() -> None:
    cases: list[tuple[str, float]] = [
        ("No end", 0.0),
        ("An end.", 0.4),
        ("An end!", 0.4),
        ("An end?", 0.4),
        ('He said "end"', 0.4),
        ("An end. \n", 0.4),  # white space at the end does not matter
        ("She said: “Stop!”", 0.4),
        ("He said “end”", 0.4),  # as with straight ones
        ("She said: ‘Stop!’", 0.4),
        ("She said: »Stop!«", 0.4),
        ("She said: «Stop!»", 0.4),
        ("She said: ›Stop.‹", 0.4),
        ("She said: „Stop!“", 0.4),
        ("She said: 「Stop!」", 0.4),
        ("‘She said “Stop!”’", 0.4),
        ("the dogs’", 0.0),  # an apostrophe
        ("She said: “", 0.0),  # one that opens
        ("An end. “", 0.0),
        ("«Stop»", 0.0),
        ("(All of it.)", 0.0),
        ("An open end,", 0.0),  # -0.1, raised to 0
        ("An end. An open end,", 0.1),  # 0.2 for two sentences - 0.1
        ("An end. An open end;", 0.1),
        ("An end. An open end:", 0.1),
        ("An end. No end", 0.2),
        ("One. Two.", 0.6),
        ("One. Two. Three.", 0.7),
        ("One. Two. Three. Four.", 0.7),
        ("Finally done.", 0.6),
        ("In \n conclusion done.", 0.6),  # any white space between
        ("In summary, and to summarize.", 0.6),  # once, however many
        ("A semifinally.", 0.4),  # not within a word
        (sentence(9), 0.4),
        (sentence(10), 0.5),
        (f"{sentence(9)} {sentence(11)}", 0.7),  # 10 on average
        (f"{sentence(9)} {sentence(10)}", 0.6),  # 9.5
        (f"{sentence(12)} {sentence(12)} Finally, {sentence(12)}", 1.0),
    ]
    for text, expected in cases:
        assert value("completeness", text) == near(expected), (text, expected)


# --- structure --------------------------------------------------------------------------------------------------------


def test_structure() -> None:
    cases: list[tuple[str, float]] = [
        ("One block.", 0.0),
        ("One block.\nA line of it.", 0.0),
        ("One.\n\nTwo.", 0.2),
        ("One.\n \t\nTwo.", 0.2),  # a line of white space is blank
        ("One.\r\n\r\nTwo.", 0.2),
        ("One.\n\n\n\nTwo.", 0.2),  # several blank lines part no more
        ("One.\n\nTwo.\n\nThree.", 0.3),
        ("One.\n\nTwo.\n\nThree.\n\nFour.", 0.3),
        ("1. One", 0.3),
        ("  2) Two", 0.3),
        ("- One", 0.3),
        ("* One", 0.3),
        ("•One", 0.3),
        ("3.50 is the price.", 0.0),
        ("**Bold** it is.", 0.0),
        ("-5 degrees.", 0.0),
        ("# Title", 0.2),
        ("###### Title", 0.2),
        ("#hashtag", 0.0),
        ("The benefits:", 0.2),
        ("the benefits:", 0.0),
        ("Stop. The benefits:", 0.0),
        (f"{sentence(1)} {sentence(7)}", 0.0),  # deviation 3
        (f"{sentence(1)} {sentence(8)}", 0.1),  # 3.5
        (f"{sentence(1)} {sentence(11)}", 0.1),  # 5
        (f"{sentence(1)} {sentence(12)}", 0.2),  # 5.5
        (f"# Title\n\n- {sentence(1)}\n\n{sentence(20)}", 1.0),
    ]
    for text, expected in cases:
        assert value("structure", text) == near(expected), (text, expected)


# --- readability ------------------------------------------------------------------------------------------------------


def text_of(word: str, *lengths: int) -> str:
    return " ".join(" ".join([word] * length) + "." for length in lengths)


def test_readability() -> None:
    cases: list[tuple[str, float]] = [
        (text_of("abcde", 17, 18), 1.0),  # 17.5 words, 5 characters
        (text_of("abcde", 1), 0.6 * (1 - 16.5 / 17.5) + 0.4),
        (text_of("abcde", 14), 0.6 * 0.8 + 0.4),
        (text_of("abcde", 15), 0.6 * (1 - 2.5 / 17.5) + 0.4),
        (text_of("abcde", 20), 0.6 * (1 - 2.5 / 17.5) + 0.4),
        (text_of("abcde", 21), 0.6 * 0.8 + 0.4),
        (text_of("abcde", 35), 0.4),  # twice the best length: 0 from there
        (text_of("abcde", 40), 0.4),
        (text_of("ab", 17, 18), 0.6 + 0.4 * 0.4),
        (text_of("abcd", 17, 18), 0.6 + 0.4 * 0.8),
        (text_of("abcdef", 17, 18), 0.6 + 0.4 * 0.8),
        (text_of("abcdefghi", 17, 18), 0.6 + 0.4 * 0.2),
        (text_of("abcdefghij", 17, 18), 0.6),
        (text_of("abcdefghijk", 17, 18), 0.6),
        (text_of("abcdefghijk", 40), 0.0),
    ]
    for text, expected in cases:
        assert value("readability", text) == near(round(expected, 10)), (text, expected)


# --- overall ----------------------------------------------------------------------------------------------------------


def test_the_overall_is_the_weighted_sum() -> None:
    # coherence 0.4, diversity 1, completeness 0, structure 0, readability 0.6 x 1/17.5 + 0.4 x 0.2, length 0.1
    readable = 0.6 / 17.5 + 0.08
    assert value("overall", "a") == near(round(0.25 * 0.4 + 0.15 + 0.1 * readable + 0.1 * 0.1, 10))


NOTHING = ("coherence", "lexical_diversity", "completeness", "structure", "readability")


def test_without_a_word_only_the_length_is_measured() -> None:
    for text in ["", " \n", "...", "?!", "😀", "---\n\n***"]:
        for metric in NOTHING:
            found = explained(metric, text)
            assert (found.value, found.missing) == (None, "no word to measure"), text
        overall = explained("overall", text)
        assert overall.value == near(0.1), text
        assert overall.explanation.startswith(
            "0.1 x 0.1 length_appropriateness, re-weighted over 0.1 of 1: no value for "
        ), text


def test_only_code_has_no_value_at_all() -> None:
    cases: list[str] = ["```python\nprint('Hello.')\n```", "~~~\nx\n~~~\n", "```\nnever closed"]
    for text in cases:
        for metric in (*NOTHING, "length_appropriateness"):
            found = explained(metric, text)
            assert (found.value, found.missing) == (None, "nothing but code"), text
        assert explained("overall", text).value is None, text


def test_code_between_prose_is_left_out() -> None:
    with_code = "See this.\n\n```python\n# no title\n- 1. x = however\n```\n\nThat is all."
    assert value("structure", with_code) == value("structure", "See this.\n\nThat is all.")
    assert value("length_appropriateness", with_code) == near(0.1)
    assert explained("lexical_diversity", with_code).explanation == "5 different of 5 words"


def test_code_does_not_change_where_other_lines_end() -> None:
    for separator in ["\u2028", "\x0b", "\x85"]:
        text = f"One{separator}- two three.\n\nFour."
        assert value("structure", f"{text}\n\n```\ncode\n```") == value("structure", text) == near(0.2), separator
