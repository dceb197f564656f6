"""A short rubric: what it leaves out is filled in, and what it must say is named."""

import pytest

from evaluation.errors import ParseError
from evaluation.rubrics.loader import parse_rubric
from evaluation.rubrics.rubric import Rubric
from evaluation.text.forms import SourceText
from tests.scripts.support_bot import RUBRIC


def read(text: str) -> Rubric:
    return parse_rubric(SourceText(text, "mine.yaml"), lambda *_: None)


def test_two_metrics_are_enough() -> None:
    rubric = read(RUBRIC)
    assert len(RUBRIC.splitlines()) <= 40
    assert (rubric.version, rubric.title, rubric.low, rubric.high) == ("1", "Support", 0.0, 1.0)
    assert {name: metric.kind for name, metric in rubric.metrics.items()} == {
        "resolution": "judged",
        "brevity": "adjustments",
        "overall": "weighted",
    }
    assert rubric.weights == {"resolution": 0.5, "brevity": 0.5}
    assert rubric.judge is not None
    assert (rubric.judge.dimensions, rubric.judge.fallback) == (("resolution", "brevity"), 0.5)
    assert "what the customer can do next" in rubric.judge.template


def test_a_rubric_whose_metrics_all_have_rules_has_a_judge_where_it_says_so() -> None:
    ruled = RUBRIC.replace("    base: 0.5\n", "    base: 0.4\n").split("  resolution:")[0] + (
        "  brevity:" + RUBRIC.split("  brevity:")[1]
    )
    assert read(ruled).judge is None
    assert read(f"{ruled}judge: {{}}\n").judge is not None


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("name: support\n", "", "mine.yaml:1: name: is missing"),
        (
            "    definition: Whether the answer is short enough to read at a glance.\n",
            "",
            "brevity.definition: is missing",
        ),
        ("    base: 0.5\n", "", "metrics.brevity: is of kind 'adjustments' and has no base"),
    ],
)
def test_what_is_missing_is_named(old: str, new: str, problem: str) -> None:
    with pytest.raises(ParseError) as caught:
        read(RUBRIC.replace(old, new))
    assert problem in str(caught.value)
