"""An explanation says enough, and its numbers add up to the score for any text."""

import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.metrics.utterance import Utterance
from tests.evaluation.metrics.shipped import companion_rules

SHORT_RESPONSE = "It is so good to hear that from you today, and I would love to know: how are you?"
ANY_TEXT = st.text(st.characters(categories=None), max_size=200)
FRAGMENTS = st.lists(
    st.sampled_from(
        ["sad", "I'm", "can’t", "I guarantee", "*x*", "`", "**", "\n", "\n- a", "?", "you", "how", "kill yourself",
         "#tag", "  ", "\x1b[31m", "\u202e", "\ud800", "İ", "مرحبا؟", "😀", "fuck", "as we\t discussed",
         '"', "\\", "thus", "ok"]
    ),
    max_size=60,
).map(" ".join)  # fmt: skip


def explanation(metric: str, user_input: str, response: str) -> str:
    return companion_rules().explain(Utterance(user_input, response))[metric].explanation


def test_an_explanation_reads_as_the_arithmetic() -> None:
    cases: list[tuple[str, str, str, str]] = [
        (
            "conversational_quality",
            "Hello",
            "Nice to hear, and how are **you** today? It has been ages since that last long talk here.",
            '0.6 base, +0.2 18 words, +0.2 asks a question ("Nice to hear, and how are **you** today?"), '
            '+0.1 personal pronoun ("you"), -0.3 formatting: **you**',
        ),
        ("conversational_quality", "Hello", "word " * 51, "0.6 base, -0.2 too long for voice: 51 words"),
        (
            "conversational_quality",
            "Hello",
            "one two three four five six seven eight nine you?",
            '0.6 base, +0.2 10 words, +0.2 asks a question ("one two three four five six seven eight nine you?"), '
            '+0.1 personal pronoun ("you"), -0.1 clamped to 1.0',
        ),
        (
            "trust_boundaries",
            "Hello",
            "I guarantee: I'm better than you.",
            '0.7 base, -0.5 encourages dependency ("I\'m better than"), -0.3 promises too much ("I guarantee"), '
            "+0.1 clamped to 0.0",
        ),
        (
            "helpfulness",
            "Stress",
            "so  SORRY",
            '0.5 base, +0.2 empathy where a feeling was named ("SORRY", user: "Stress")',
        ),
        ("appropriateness", "Hello", "hi", "1.0 base"),
        (
            "overall_quality",
            "Hello",
            "The train leaves at noon.",
            "0.15 x 1.0 appropriateness + 0.2 x 0.6 conversational_quality + 0.2 x 0.5 helpfulness + "
            "0.25 x 0.5 emotional_intelligence + 0.1 x 0.4 personalization_continuity + 0.1 x 0.7 trust_boundaries",
        ),
    ]
    for metric, user_input, response, expected in cases:
        assert explanation(metric, user_input, response) == expected, (metric, user_input, response, expected)


def test_quotes_are_short_single_lined_and_escaped() -> None:
    text = explanation("conversational_quality", "Hello", 'x\x1b[31m \u202e "hi" ' + "how " * 200 + "?")
    assert text.isprintable()
    assert len(text) < 300
    shown = explanation("trust_boundaries", "Hello", "I\n\x0bguarantee")
    assert shown == '0.7 base, -0.3 promises too much ("I\\n\\x0bguarantee")'


def assert_sound(user_input: str, response: str) -> None:
    utterance = Utterance(user_input, response)
    for name, explained in companion_rules().explain(utterance).items():
        assert explained.value is not None
        assert 0.0 <= explained.value <= 1.0
        assert explained.explanation.isprintable()
        assert sum(Fraction(repr(term.amount)) for term in explained.terms) == Fraction(repr(explained.value))
        assert numbers_of(name, explained.explanation) == Fraction(repr(explained.value))
        for finding in (finding for term in explained.terms for finding in term.findings):
            if finding.end:
                text = response if finding.where == "response" else user_input
                assert finding.quote == text[finding.start : finding.end] != ""


def numbers_of(metric: str, explanation: str) -> Fraction:
    """The sum as a reader works it out: the number that begins each term, quotes left out."""
    if metric == "overall_quality":
        pairs = re.findall(r"([\d.]+) x ([\d.]+) ", explanation)
        return sum((Fraction(weight) * Fraction(value) for weight, value in pairs), Fraction())
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "", explanation)
    bare = re.sub(r"formatting: [^,]*", "", bare)
    return sum((Fraction(term) for term in re.findall(r"(?:^|, )([+-]?\d+\.\d+) ", bare)), Fraction())


def test_evidence_that_could_pass_for_terms_is_quoted() -> None:
    explained = companion_rules().explain(Utterance("I'm", "Well:\n- a, +0.9 b\n- c, +0.9 d"))
    assert explained["conversational_quality"].explanation.endswith(', -0.3 formatting: "- c, +0.9 d"')


@settings(max_examples=300, deadline=None)
@given(user_input=ANY_TEXT, response=ANY_TEXT)
def test_any_text_scores_within_the_scale_and_adds_up(user_input: str, response: str) -> None:
    assert_sound(user_input, response)


@settings(max_examples=400, deadline=None)
@given(user_input=FRAGMENTS, response=FRAGMENTS)
@pytest.mark.slow
def test_texts_full_of_cues_score_within_the_scale_and_add_up(user_input: str, response: str) -> None:
    assert_sound(user_input, response)


def test_a_quarter_of_a_megabyte_of_anything_is_scored() -> None:
    cases: list[str] = [
        "a",
        " ",
        "\n",
        "?",
        "? a",
        "*a",
        "* a",
        "_a",
        "`",
        "#",
        "[",
        "<b ",
        "- a\n",
        "| a\n",
        "asad ",
        "unfeel ",
        "İ  ",
        "kill your ",
        "you are so ",
        "’",
        "\ud800",
        "١",
        "ab\u0301valid",
        "how ",
        '"',
        "a. ",
        "www?q",
        "shall ",
        "> a\n",
        *("**a\n", "a**\n", "**a** b", "__a\n", "*a\n\n", ": a) ", ":(1) a ", "(a) b\n", "— a\n", "① ", "1\u20e3 "),
        *(
            "😀",
            "😀 ",
            "\U0001f468\u200d",
            "\U0001f1e6",
            "\U000e0061",
            "\ufe0f",
            "http://",
            "https://a",
            "www.",
            "www.a",
            "!”",
        ),
    ]
    for unit in cases:
        text = (unit * (250_000 // len(unit) + 1))[:250_000]
        assert_sound("I feel sad", text)
