"""The phrases that a rubric rewards, as somebody says them."""

import pytest

from evaluation.metrics.rewarded import rewarded_phrases, write_out
from evaluation.rubrics.rubric import Adjustment, Rubric
from tests.evaluation.metrics.shipped import companion_rubric

LISTS = {"warm": ("take care", "sleep well"), "cold": ("never mind",)}


def rubric(*adjustments: Adjustment) -> Rubric:
    """The shipped rubric with one metric, which has these adjustments."""
    shipped = companion_rubric()
    metric = shipped.metrics["helpfulness"].model_copy(update={"lists": LISTS, "adjustments": adjustments})
    return shipped.model_copy(update={"metrics": {"helpfulness": metric}})


def says(name: str, add: float) -> Adjustment:
    return Adjustment.model_validate({"when": "response_says", "list": name, "add": add})


def test_only_lists_that_add_are_rewarded() -> None:
    question = Adjustment(when="asks_question", add=0.1)
    assert rewarded_phrases(rubric(says("warm", 0.2), says("cold", -0.2), question)) == (LISTS["warm"],)


def test_a_list_that_adds_to_two_metrics_is_said_once() -> None:
    assert rewarded_phrases(rubric(says("warm", 0.2), says("warm", 0.1))) == (LISTS["warm"],)


def test_a_rubric_without_such_lists_rewards_no_phrase() -> None:
    assert rewarded_phrases(rubric(says("cold", -0.2))) == ()


def test_the_phrases_of_the_shipped_rubric_are_those_that_it_finds() -> None:
    found = rewarded_phrases(companion_rubric())
    every = {phrase for own in found for phrase in own}
    assert {"understand", "as we discussed", "I suggest"} <= every


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("that|it sounds really? hard", "that sounds really hard"),
        ("i ... <see> why", "i hear why"),
        ("<unknown> thing", "<unknown> thing"),
        ("how are you?", "how are you"),
        ("must_be|is hard", "must be hard"),
    ],
)
def test_a_row_is_written_out_once(row: str, said: str) -> None:
    assert write_out(row, {"see": ["hear", "see"]}) == said
