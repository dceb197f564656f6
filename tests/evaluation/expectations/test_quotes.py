"""Quotes: found whatever their case, spaces, quotation marks and ellipses, and never where they were not said."""

import unicodedata

import pytest

from evaluation.expectations.quotes import Quote, Spoken, find_quote, nearest_sentence

REPLY = "I\u2019m an AI \u2013 so I can\u2019t be your  therapist\u2026 But I\u2019m here now."


@pytest.mark.parametrize(
    ("quoted", "text"),
    [
        ("I can't be your therapist", "I can\u2019t be your  therapist"),
        ("SO I CAN'T BE YOUR THERAPIST... but", "so I can\u2019t be your  therapist\u2026 But"),
        ('"I\'m an AI - so"', "I\u2019m an AI \u2013 so"),
        ("...be your therapist...", "be your  therapist"),
        ("be your therapist ... but I'm", "be your  therapist\u2026 But I\u2019m"),
        ("be your therapist...but I'm", "be your  therapist\u2026 But I\u2019m"),
    ],
)
def test_a_quote_is_found_as_it_was_said(quoted: str, text: str) -> None:
    assert find_quote(quoted, [Spoken(1, REPLY)]) == Quote(1, text)


@pytest.mark.parametrize(
    "quoted",
    [
        "",
        "...",
        "an AI",  # too short to show anything
        "I can be your therapist",
        "your therapist I can't",
        "can't be your thera",  # ends within a word
        "I can't be your therapist. I will be here for ever",
    ],
)
def test_what_was_not_said_is_no_quote(quoted: str) -> None:
    assert find_quote(quoted, [Spoken(1, REPLY)]) is None


def test_a_short_quote_counts_where_it_is_the_whole_response() -> None:
    assert find_quote("good night!", [Spoken(2, " Good night! ")]) == Quote(2, "Good night!")
    assert find_quote("good", [Spoken(2, "Good night!")]) is None


def test_the_latest_response_that_holds_it_is_named() -> None:
    said = [Spoken(1, "I am an AI, you know."), Spoken(2, "No."), Spoken(3, "As I said, I am an AI.")]
    assert find_quote("i am an ai", said) == Quote(3, "I am an AI")
    assert find_quote("an ai, you know", said) == Quote(1, "an AI, you know")


def test_scripts_without_spaces_count_by_their_letters() -> None:
    reply = "\u4f60\u597d\uff0c\u6211\u662f\u4eba\u5de5\u667a\u80fd\u3002"
    assert find_quote("\u6211\u662f\u4eba\u5de5", [Spoken(1, reply)]) is not None


def test_hidden_characters_are_quoted_as_the_judge_was_shown_them() -> None:
    assert find_quote("call[U+200B] 988 right now", [Spoken(1, "Please call\u200b 988 right now.")]) is not None


def test_the_nearest_sentence_shares_the_most_words_with_the_question() -> None:
    said = [Spoken(1, "Nice weather today. I am no therapist, sadly. What else?")]
    assert nearest_sentence("Does it say that it cannot be a therapist?", said) == "I am no therapist, sadly."
    assert nearest_sentence("Does it name a dose?", said) == ""


def test_marks_of_emphasis_do_not_count() -> None:
    assert find_quote("be there for ever", [Spoken(1, "I will be **there** for _ever_.")]) == Quote(
        1, "be **there** for _ever"
    )


WIDE = "\uff29 \uff41\uff4d \uff41\uff4e \uff21\uff29"
JAMO = "\u1112\u1161\u11ab\u1100\u116e\u11a8"
CAFE = "Let\u2019s meet at the cafe\u0301 in Malmo\u0308 soon."


@pytest.mark.parametrize(
    ("quoted", "said", "text"),
    [
        ("at the caf\u00e9 in Malm\u00f6", CAFE, "at the cafe\u0301 in Malmo\u0308"),
        ("at the cafe\u0301 in Malmo\u0308", unicodedata.normalize("NFC", CAFE), "at the caf\u00e9 in Malm\u00f6"),
        ("ho\u0302\u0323 the one", "Ho\u0323\u0302 the one", "Ho\u0323\u0302 the one"),  # accents in another order
        ("I am an AI", f"{WIDE}!", WIDE),
        ("call 988 right now", "Please call\u200b 9\u200d88 right\ufeff now.", "call\u200b 9\u200d88 right\ufeff now"),
        ("pl\u00adease call\u200b 988", "Please call 988 now.", "Please call 988"),
        ("the final office", "The \ufb01nal of\ufb01ce.", "The \ufb01nal of\ufb01ce"),
        ("\u0130stanbul is far away", "I\u0307stanbul is far away.", "I\u0307stanbul is far away"),
        ("\ud55c\uad6d \ub9d0 \ud574", f"{JAMO} \ub9d0 \ud574.", f"{JAMO} \ub9d0 \ud574"),
    ],
)
def test_the_form_of_a_letter_hides_no_honest_quote(quoted: str, said: str, text: str) -> None:
    assert find_quote(quoted, [Spoken(1, said)]) == Quote(1, text)


@pytest.mark.parametrize(
    ("quoted", "said"),
    [
        ("at the cafe in", CAFE),  # the accent was said
        ("at the cafe", CAFE),  # and is no end of a word
        ("meet at the caf", CAFE),
        ("\u00e9t\u00e9 l\u00e0", "C'est l'\u00e9t\u00e9 l\u00e0-bas, non."),  # two words
        ("two to the 102 power", "Two to the 10\u00b2 power."),
        ("you are the rapist", "You are the\u200brapist."),
        ("I am here", "I am\u202e here"),  # shown in another order
    ],
)
def test_no_form_of_a_letter_makes_a_quote_of_what_was_not_said(quoted: str, said: str) -> None:
    assert find_quote(quoted, [Spoken(1, said)]) is None


def test_a_quote_of_letters_with_accents_apart_counts_its_words_once() -> None:
    two = unicodedata.normalize("NFD", "\u00e9t\u00e9 l\u00e0")
    assert find_quote(two, [Spoken(1, f"Oui, {two} aussi.")]) is None
