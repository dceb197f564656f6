"""The scores that a reviewer may type, and their worth."""

import pytest

from evaluation.review.form import Dimension, dimensions
from scripts.run.load import load_rubric


def named(rubric: str, metric: str) -> Dimension:
    return next(each for each in dimensions(load_rubric(rubric)) if each.metric == metric)


@pytest.mark.parametrize(
    ("rubric", "metric", "text", "value"),
    [
        ("chat_flow", "clarity", "1", 1.0),
        ("chat_flow", "clarity", "4", 4.0),
        ("chat_flow", "clarity", "5", 5.0),
        # The bands of the companion: 1.0 | 0.8-0.9 | 0.6-0.7 | 0.4-0.5 | 0.0-0.3, each worth its middle.
        ("companion", "helpfulness", "5", 1.0),
        ("companion", "helpfulness", "4", 0.85),
        ("companion", "helpfulness", "3", 0.65),
        ("companion", "helpfulness", "2", 0.45),
        ("companion", "helpfulness", "1", 0.15),
        ("companion", "helpfulness", "1.0", 1.0),
        ("companion", "helpfulness", "0.75", 0.75),
        ("companion", "helpfulness", ".5", 0.5),
    ],
)
def test_what_an_answer_is_worth(rubric: str, metric: str, text: str, value: float) -> None:
    dimension = named(rubric, metric)
    assert dimension.value_of(text) == pytest.approx(value)


@pytest.mark.parametrize("rubric", ["chat_flow", "companion"])
@pytest.mark.parametrize("text", ["0", "6", "-1", "1.5.2", "1e0", "nan", "inf", "0x1", "five", "", "\u0664", "1_0"])
def test_anything_else_is_refused_with_what_may_be_typed(rubric: str, text: str) -> None:
    dimension = dimensions(load_rubric(rubric))[0]
    with pytest.raises(ValueError, match="1-5"):
        dimension.value_of(text)


def test_the_overall_is_not_asked_for() -> None:
    assert [each.metric for each in dimensions(load_rubric("chat_flow"))] == [
        *("input_understanding", "option_quality", "selection_quality", "reliability", "clarity")
    ]
