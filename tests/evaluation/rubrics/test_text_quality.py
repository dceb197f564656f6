"""The text quality rubric: the shipped one says what the source says, and a mistake is reported in a line."""

import pytest

from evaluation.errors import ParseError
from evaluation.metrics.formulas import FORMULAS, INDICES
from evaluation.metrics.meaning.measures import MEASURES
from evaluation.metrics.scoring import check_rules
from evaluation.rubrics.loader import parse_rubric
from evaluation.text.forms import SourceText
from tests.evaluation.metrics.text.shipped import TEXT, explained


def test_the_shipped_weights_and_the_erratum() -> None:
    rubric = parse_rubric(SourceText(TEXT, "text_quality.yaml"), check_rules)
    assert {name: metric.weight for name, metric in rubric.metrics.items()} == {
        "coherence": 0.25, "lexical_diversity": 0.15, "completeness": 0.25, "structure": 0.15, "readability": 0.10,
        "length_appropriateness": 0.10, "overall": None,
    }  # fmt: skip
    of_profiles = {"finished", "layout", "not_applicable"}
    assert {metric.formula for metric in rubric.metrics.values()} == {*FORMULAS, ""} - of_profiles - {*MEASURES}
    assert {measure.formula for measure in rubric.measures.values()} == {*INDICES} - {*MEASURES}
    errata = [change for entry in rubric.history for change in entry.changes if change.startswith("Erratum")]
    assert len(errata) == 1
    assert "full stop" in errata[0]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("weight: 0.10", "weight: 0.20", "weights add up to 1.2, not to 1"),
        ("formula: coherence", "formula: coherense", "unknown formula 'coherense'; did you mean 'coherence'?"),
        ("formula: mtld", "formula: mtdl", "unknown formula 'mtdl'; known are flesch_reading_ease"),
        ("most_penalty: 0.5", "most_penaltys: 0.5", "unknown key 'most_penaltys'; did you mean 'most_penalty'?"),
        ("penalty_per_repeat: 0.1", "penalty_per_repeat: 1.5", "less than or equal to 1"),
        ("transition_weight: 0.6", "transition_weight: 0.7", "must add up to 1"),
        ("transitions: {pack: transitions}", 'transitions: ["!?"]', "phrase '!?' has no letter or digit"),
        ("moving_above: 100", "moving_above: 40", "window 50 is longer than moving_above 40"),
        ("open_marks: {pack: open_marks}", 'open_marks: [".", ","]', "'.' is both an end mark and an open mark"),
        ("- {at_least: 3, add: 0.3}\n        - {at_least: 2, add: 0.2}\n      conclusions",
         "- {at_least: 2, add: 0.2}\n        - {at_least: 3, add: 0.3}\n      conclusions", "begin with the highest"),
        ("{above: 5, add: 0.2}", "{above: 5, at_least: 5, add: 0.2}", "needs either at_least or above"),
        ("{words: 25, score: 0.4}", "{words: 60, score: 0.4}", "rising order of words"),
        ("{words: 25, score: 0.4}", "{words: 25, score: 1.4}", "less than or equal to 1"),
        ("at_least: 0.0, name: very difficult", "at_least: 0.1, name: very difficult", "end with one from 0"),
        ("sentence_words: 17.5", "sentence_words: 0", "greater than 0"),
        ("window: 50}\n\nhistory", "window: 1}\n\nhistory", "greater than or equal to 2"),
        ("  mattr:\n", "  overall:\n", "is a metric too"),
        ("follow_prompt: false", "follow_prompt: sometimes", "bool"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_with_its_place(old: str, new: str, problem: str) -> None:
    assert old in TEXT
    with pytest.raises(ParseError) as caught:
        parse_rubric(SourceText(TEXT.replace(old, new), "mine.yaml"), check_rules)
    message = str(caught.value)
    assert problem in message
    assert message.startswith("mine.yaml")
    assert "\n" not in message


def test_a_team_may_change_weights_lists_and_ranges() -> None:
    text = "We ran. Zudem we won."
    own = ("transitions: {pack: transitions}", "transitions: [zudem, however]")
    assert explained("coherence", text).value == pytest.approx(0.4)
    assert explained("coherence", text, "", own).value == pytest.approx(0.7)
    short = (("{words: 75, score: 1.0}", "{words: 55, score: 1.0}"), ("{words: 300,", "{words: 60,"))
    assert explained("length_appropriateness", "word " * 58, "", *short).value == 1.0
    assert "best from 55 to 60" in explained("length_appropriateness", "word", "", *short).explanation
    heavier = (("weight: 0.25", "weight: 0.20"), ("weight: 0.10", "weight: 0.15"))
    assert explained("overall", text, "", *heavier).explanation.startswith("0.2 x 0.4 coherence")
