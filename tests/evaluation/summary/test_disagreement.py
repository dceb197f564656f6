"""The responses on which rules and judge differ most."""

import json

from evaluation.records import CallFailure, Result, Score, Verdict
from evaluation.suites import SUITES
from evaluation.summary.disagreement import Disagreements
from tests.evaluation.judging.verdicts import exchange
from tests.evaluation.metrics.shipped import companion_rubric

SUITE = SUITES["companion"].of(companion_rubric())
OVERALL = "overall_quality"


def result(name: str, rules: float | None, judge: float | None) -> Result:
    values = (("heuristic", rules), ("judge", judge))
    scores = tuple(
        Score(OVERALL, source, value, "why", reason="" if value is not None else "none")  # type: ignore[arg-type]
        for source, value in values
    )
    return Result(exchange(name, "Hello!"), "scored", scores, Verdict({}, "warm", True, "", "j", review=("look",)))


def test_the_largest_gaps_come_first_and_equal_ones_in_order() -> None:
    given = [
        result("a", 0.5, 0.6),
        result("b", 0.9, 0.2),
        result("c", 0.2, 0.9),
        result("d", 0.5, None),
        result("e", None, 0.5),
        Result(exchange("f", "x"), "failed", (), error=CallFailure("timeout", "m", 1, 0.0, 0.0)),
        result("g", 0.1, 0.5),
    ]
    found = Disagreements(SUITE, most=3)
    assert list(found.watch(iter(given))) == given
    assert [(each.result.exchange.user_input, round(each.gap, 9)) for each in found.largest()] == [
        ("b", 0.7), ("c", 0.7), ("g", 0.4)
    ]  # fmt: skip


def test_a_line_says_what_a_reviewer_needs() -> None:
    found = Disagreements(SUITE)
    list(found.watch([result("Hi", 0.9, 0.2)]))
    line = json.loads(json.dumps(found.largest()[0].to_json()))
    assert (line["input"], line["response"], line["reasoning"]) == ("Hi", "Hello!", "warm")
    assert (line["gap"], line["review"], line["explanations"]) == (0.7, ["look"], {OVERALL: "why"})
