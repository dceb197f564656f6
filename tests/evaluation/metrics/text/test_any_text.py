"""Whatever the text, every value lies within 0 and 1, says why or why not, and nothing is raised."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evaluation.metrics.utterance import Utterance
from tests.evaluation.metrics.text.shipped import rules, under_profiles

PROMPT_AWARE = ("follow_prompt: false", "follow_prompt: true")
ANY = st.text(st.characters(codec=None), max_size=300)
PROSE = st.lists(
    st.sampled_from(
        [
            "Thus",
            "in conclusion",
            "finally,",
            "a",
            "b.",
            "c!",
            "\n\n",
            "\n",
            "1.",
            "- ",
            "# ",
            "```",
            ":",
            "\ud800",
            "e\u0301",
            "你好。",
            "👩‍👩‍👧",
            "\u202e",
            "\x00",
            "…",
            '"',
            "’s",
            "w" * 50,
            "Dr.",
            "3.50",
            "\r",
            "•",
            "İ",
        ]
    ),
    max_size=400,
).map(" ".join)
ASKED = st.sampled_from(
    ["in 50 words", "in one sentence", "list five tips", "in two paragraphs", "at least 9 words", ""]
)


@given(text=st.one_of(ANY, PROSE), asked=ASKED)
@example(text="\ud800", asked="")
@example(text="İ" * 50, asked="in 0 words")
@example(text="a" * 10_000, asked="in one sentence")
@settings(max_examples=300, deadline=None)
def test_the_six_and_their_overall_keep_within_their_scale(text: str, asked: str) -> None:
    for variant in (rules(), rules(PROMPT_AWARE)):
        for score in variant.scores(Utterance(asked, text)):
            if score.value is None:
                assert score.reason
                assert not score.applicable
            else:
                assert score.explanation.isprintable()
                assert score.source == "measure" or 0.0 <= score.value <= 1.0


@pytest.mark.slow
@given(text=st.one_of(ANY, PROSE), asked=ASKED)
@example(text="```\n{", asked="Return JSON.")
@example(text="|" * 50, asked="in a table")
@settings(max_examples=60, deadline=None)
def test_every_profile_keeps_within_the_scale(text: str, asked: str) -> None:
    for variant in under_profiles():
        utterance = Utterance(asked, text)
        for name, found in variant.explain(utterance).items():
            if found.value is None:
                assert found.missing, name
            else:
                assert found.explanation.isprintable()
                assert 0.0 <= found.value <= 1.0, name
                total = sum(term.amount for term in found.terms)
                assert abs(min(1.0, max(0.0, total)) - found.value) < 1e-9, name


@given(text=PROSE)
@settings(max_examples=100, deadline=None)
def test_the_terms_add_up_to_the_value(text: str) -> None:
    for name, found in rules().explain(Utterance("", text)).items():
        if found.value is not None:
            total = sum(term.amount for term in found.terms)
            assert abs(min(1.0, max(0.0, total)) - found.value) < 1e-9, name
