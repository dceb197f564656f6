"""What responses do more or less often, as the explanations of the rules' scores have it."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from evaluation.comparison.compare import Comparison, compare
from evaluation.comparison.cues import CueFigures, MovedCue, carry, find_moved, read_terms
from evaluation.comparison.document import comparison_document
from evaluation.comparison.runs import RunScores
from evaluation.metrics.scoring import rubric_rules
from evaluation.metrics.utterance import Utterance
from evaluation.records import Result
from evaluation.reports.comparison import headline
from evaluation.reports.how_sure import statistics
from tests.evaluation.comparison.examples import SUITE, Answers, answered_run
from tests.evaluation.metrics.shipped import companion_rubric

COMPANION = companion_rubric()
SAID = (
    ("I feel sad about my dog.", "I'm sorry, that sounds hard. What was your dog like?"),
    ("Hi", "**Hello!**\n\n- one\n- two\n- three\n\n" + "Words without an end follow here. " * 20),
    ("How do I cook rice?", 'It is advisable to inquire accordingly, +0.5 points ("I am"), -0.3 for me.'),
    ("Are you human?", "I'm an AI, so I can't be with you all day, but I'm here now. How are you?"),
    ("bye", ""),
)


@pytest.mark.parametrize(("message", "response"), SAID)
def test_the_terms_add_up_to_the_value(message: str, response: str) -> None:
    for name, explained in rubric_rules(COMPANION).explain(Utterance(message, response)).items():
        metric = COMPANION.metrics[name]
        terms = list(read_terms(explained.explanation))
        if metric.kind == "adjustments":
            assert math.isclose(metric.base + sum(amount for _, amount in terms), explained.value or 0.0, abs_tol=1e-9)
        else:
            assert terms == []


def test_a_term_is_named_without_its_evidence() -> None:
    text = (
        '0.6 base, +0.2 27 words, +0.2 asks a question ("+0.9 you, -0.3 me?"), -0.3 formatting: **you**, '
        '-0.2 too formal beside the user\'s message ("hence"), +0.1 clamped to 0.0'
    )
    assert [name for name, _ in read_terms(text)] == [
        "number of words",
        "asks a question",
        "formatting",
        "too formal beside the user's message",
    ]
    high = dict(read_terms("0.8 base, +0.3 warm, +0.1 kind, -0.2 clamped to 1.0"))
    assert high == pytest.approx({"warm": 0.15, "kind": 0.05})
    assert list(read_terms("0.15 x 1.0 appropriateness + 0.2 x 0.5 helpfulness")) == []
    assert list(read_terms("0.6 base")) == []


BASE = {"asks a question": CueFigures(0.2, 0.04), "formatting": CueFigures(0.5, -0.1), "kind": CueFigures(0.5, 0.05)}
NOW = {
    "asks a question": CueFigures(0.9, 0.18),
    "formatting": CueFigures(0.0, 0.0),
    "kind": CueFigures(0.55, 0.05),
}


def rounded(moved: Sequence[MovedCue]) -> list[MovedCue]:
    return [replace(each, moved=round(each.moved, 9)) for each in moved]


def test_what_stands_out_is_ordered_by_what_it_moved() -> None:
    moved = find_moved(BASE, NOW, "heuristic")
    assert rounded(moved) == [MovedCue("asks a question", 0.2, 0.9, 0.14), MovedCue("formatting", 0.5, 0.0, 0.1)]
    assert [round(each.moved, 9) for each in find_moved(BASE, NOW, "combined")] == [0.07, 0.05]
    assert find_moved(BASE, NOW, "judge") == find_moved({}, NOW, "heuristic") == ()


def test_what_makes_up_less_than_half_carries_nothing() -> None:
    moved = find_moved(BASE, NOW, "heuristic")
    assert carry(moved[:1], 0.27) and not carry(moved[:1], 0.29)
    assert not carry(moved, -0.2) and not carry(moved, 0.0)


class Explaining(Answers):
    """Answers whose scores say how they came to be."""

    def results(self):  # type: ignore[no-untyped-def]
        for number, result in enumerate(super().results()):
            asks = number % 10 < (9 if self.values[number] > 0.5 else 1)
            text = '0.2 base, +0.5 asks a question ("you?")' if asks else "0.2 base"
            yield replace(result, scores=tuple(_explained(result, text)))


def _explained(result: Result, text: str):  # type: ignore[no-untyped-def]
    return (score._replace(explanation="" if score.metric == "overall" else text) for score in result.scores)


def explaining(*, judged: bool = False) -> Comparison:
    def run(value: float, version: int) -> RunScores:
        values = [value + 0.001 * (place % 5) for place in range(40)]
        return answered_run(Explaining(values, judged=judged), version=version)

    return compare(run(0.3, 2), run(0.7, 3), suite=SUITE)


def test_a_cue_that_makes_up_most_of_a_difference_is_its_reason() -> None:
    found = explaining()
    # In 9 of 10 responses and not 1: 0.5 * 0.8 = 0.4 of 0.4.
    assert rounded(found.cues) == [MovedCue("asks a question", 0.1, 0.9, 0.4)]
    assert headline(found) == (
        "v3 is better than v2: higher in all 40 scenarios, mostly because it asks a question more often"
    )
    assert statistics(found)[-2:] == [
        "asks a question: in 10% of the responses of v2 and 90% of those of v3, +0.400 of the heuristic overall",
        "what responses do, as the rules saw it: described, not tested",
    ]
    written = comparison_document(found)
    assert isinstance(written, dict)
    assert written["cues"] == [{"cue": "asks a question", "base": 0.1, "candidate": 0.9, "moved": pytest.approx(0.4)}]


def test_a_cue_against_the_verdict_and_one_without_a_verdict_are_no_reason() -> None:
    found = explaining()
    against = replace(found, cues=(MovedCue("formatting", 0.1, 0.9, -0.1),))
    assert headline(against).endswith("scenarios, above all in warmth and clarity")
    undecided = replace(found, verdict="inconclusive")
    assert headline(undecided).startswith("v3 cannot be distinguished from v2: higher in all 40 scenarios; better on")
    part = replace(found, cues=(MovedCue("formatting", 0.9, 0.1, 0.1), MovedCue("number of words", 0.1, 0.6, 0.05)))
    assert headline(part).endswith('; "formatting" is found less often and its number of words counts more often')


def test_other_scenarios_give_no_reason() -> None:
    found = explaining()
    fewer = answered_run(Explaining([0.7] * 39), version=3)
    assert compare(found.base, fewer, suite=SUITE).cues == ()
