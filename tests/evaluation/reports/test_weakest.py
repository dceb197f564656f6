"""A report names metrics under a weak response: what was lost first, and no bare base beside it."""

import pytest

from evaluation.records import Result, Score
from evaluation.reports.weakest import MOST_METRICS, telling_metrics
from tests.evaluation.made_runs import OVERALL, exchange

WEIGHTS = "0.2 x 0.5 trust + 0.1 x 0.5 helpfulness + 0.3 x 0.5 personalization + 0.15 x 0.5 tone"


def metrics(explained: dict[str, tuple[float, str]], overall: str = WEIGHTS) -> list[str]:
    scores = [Score(name, "heuristic", value, text) for name, (value, text) in explained.items()]
    scores.append(Score(OVERALL, "heuristic", 0.4, overall))
    return [low.metric for low in telling_metrics(Result(exchange("s"), "scored", tuple(scores)), OVERALL)]


@pytest.mark.parametrize(
    ("explained", "shown"),
    [
        # What was lost stands before a lower value that merely lacks a bonus.
        (
            {"helpfulness": (0.5, "0.5 base"), "trust": (0.6, '0.7 base, -0.3 promises ("always"), +0.2 open')},
            ["trust"],
        ),
        # 0.2 x 0.3 is more than 0.1 x 0.5, whatever the values are.
        ({"helpfulness": (0.1, "0.6 base, -0.5 off"), "trust": (0.7, "1.0 base, -0.3 off")}, ["trust", "helpfulness"]),
        # Without losses: 0.3 x 0.4 lacks more than 0.2 x 0.5.
        (
            {"trust": (0.5, "0.4 base, +0.1 a"), "personalization": (0.6, "0.5 base, +0.1 b")},
            ["personalization", "trust"],
        ),
        # Several losses of one metric add up: 0.1 x 0.7 against 0.15 x 0.4.
        (
            {"tone": (0.6, "1.0 base, -0.4 a"), "helpfulness": (0.3, "1.0 base, -0.4 a, -0.3 b")},
            ["helpfulness", "tone"],
        ),
        # Neither a clamp nor arithmetic in the evidence is a loss.
        (
            {"tone": (1.0, "1.0 base, +0.2 a, -0.2 clamped to 1.0"), "trust": (0.9, "1.0 base, -0.1 a")},
            ["trust", "tone"],
        ),
        (
            {"tone": (0.9, '0.8 base, +0.1 a ("x, -9 \\", -9 y")'), "trust": (0.9, "1.0 base, -0.1 a")},
            ["trust", "tone"],
        ),
        # Where nothing else is known, the bare bases stand.
        ({"trust": (0.5, "0.5 base"), "personalization": (0.5, "0.5 base")}, ["personalization", "trust"]),
    ],
)
def test_what_is_named_first(explained: dict[str, tuple[float, str]], shown: list[str]) -> None:
    assert metrics(explained) == shown


def test_no_more_than_fit() -> None:
    lost = dict.fromkeys(("a", "b", "c", "d"), (0.5, "1.0 base, -0.5 a"))
    assert metrics(lost, overall="mean of all") == ["a", "b", "c"]
    assert len(lost) > MOST_METRICS


def test_the_judge_stands_in_where_no_rule_scored() -> None:
    result = Result(
        exchange("s"), "scored", (Score("trust", "judge", 0.2, "cold"), Score("tone", "judge", 0.1, "hard"))
    )
    assert [low.metric for low in telling_metrics(result, OVERALL)] == ["tone", "trust"]


def test_what_does_not_apply_or_has_no_value_is_not_named() -> None:
    scores = (
        Score("trust", "heuristic", 0.1, "1.0 base, -0.9 a", applicable=False),
        Score("tone", "heuristic", None, reason="no answer"),
        Score("helpfulness", "heuristic", 0.4, "0.5 base, -0.1 a"),
    )
    assert [low.metric for low in telling_metrics(Result(exchange("s"), "scored", scores), OVERALL)] == ["helpfulness"]


def test_a_huge_explanation_is_read_up_to_a_limit() -> None:
    assert metrics({"trust": (0.5, '"' * 1_000_000), "tone": (0.5, "1.0 base, -0.5 a")}) == ["tone", "trust"]
