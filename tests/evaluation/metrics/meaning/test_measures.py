"""Measures of meaning on vectors made by hand: each value worked out on paper."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.metrics.formulas import FORMULAS
from evaluation.metrics.meaning.measures import MEASURES, NO_MODEL, measure
from evaluation.metrics.utterance import Utterance
from evaluation.records import Cell, Exchange, Meaning, Reply, Score, Usage
from evaluation.runspec import EmbeddingPin
from evaluation.suites import SUITES
from evaluation.suites.loaded import LoadedSuite, build_suite
from evaluation.suites.meaning import embedding_of, with_meaning
from evaluation.vectors import vector_of
from scripts.run.texts import read_rubric

EAST, NORTH, NORTHEAST, WEST = map(vector_of, ((1, 0), (0, 1), (1, 1), (-1, 0)))
ROOT_HALF = 0.707107
PIN = EmbeddingPin("vectors-1", "https://x/v1")
WHOLE = Meaning(
    by="vectors-1",
    sentences=(EAST, NORTH, EAST),
    response=NORTHEAST,
    messages=(NORTH, EAST),
    replies=(WEST, NORTHEAST, NORTH),
    points=(("say east", EAST), ("say west", WEST)),
    said=(("I go east.", EAST), ("Then north.", NORTH)),
)
EXPECTED = {
    "semantic_coherence": (0.0, "mean cosine of 2 pairs of neighbouring sentences, lowest 0.00 at 1"),
    # The others of each are north-east (twice) and east.
    "semantic_unity": (round(2 / 3 * math.sqrt(0.5), 6), "each of 3 sentences and all others, lowest 0.00 at 2"),
    "prompt_relevance": (ROOT_HALF, "cosine of message and response"),
    # The mean of both messages points north-east, as the response does.
    "conversation_drift": (0.0, "1 - cosine of the response and the mean of 2 messages of the user"),
    "near_repetition": (1.0, "highest cosine with 3 earlier replies: reply 2"),
    # East is said (1); of west the nearest is north (0).
    "key_point_coverage": (0.5, 'mean over 2 key points of the highest cosine with a sentence: 0.00 "say west" by'),
}
TOO_LITTLE: dict[str, tuple[dict[str, Any], str]] = {
    "semantic_coherence": ({"sentences": (EAST,)}, "1 sentence: needs at least 2"),
    "semantic_unity": ({"sentences": (EAST, NORTH)}, "2 sentences: needs at least 3"),
    "prompt_relevance": ({"messages": ()}, "no words in the message or in the response"),
    "conversation_drift": ({"messages": (EAST,)}, "1 message of the user: needs at least 2"),
    "near_repetition": ({"replies": ()}, "no earlier reply"),
    "key_point_coverage": ({"points": ()}, "no key points are due: data.key_points of the scenario, at its last turn"),
}
WEIGHTED = """
extends: text_quality
name: text_quality_meaning
version: "1.0"
history: [{version: "1.0", date: 2026-11-28, changes: [Relevance by vectors.]}]
metrics:
  coherence: {weight: 0.15}
  relevance:
    title: Relevance
    kind: formula
    formula: prompt_relevance
    constants: {worst: 0.1, best: 0.6}
    weight: 0.1
    definition: How near the response is to what was asked.
    criteria: [{from: 0, to: 1, label: nearness, text: From far to near.}]
"""


def exchange(meaning: Meaning | None = None) -> Exchange:
    text = "I go east, since the harbour lies there. However, the wind turns. Therefore I take the road."
    reply = Reply(text, "stop", "m", {}, Usage(), 0.0, 1.0)
    return Exchange(Cell("s", 1), 1, (), "Where do you go?", reply, meaning=meaning)


def test_each_measure_has_the_value_worked_out_by_hand_and_says_of_what() -> None:
    assert list(EXPECTED) == list(MEASURES) == list(TOO_LITTLE)
    for name, (value, said) in EXPECTED.items():
        found = MEASURES[name](WHOLE)
        assert found.value == pytest.approx(value, abs=1e-6), name
        assert said in found.explanation, name
        assert found.explanation.endswith(", by vectors-1"), name


def test_too_little_has_no_value_and_a_reason_and_is_never_0() -> None:
    for name, (lacking, reason) in TOO_LITTLE.items():
        assert measure(MEASURES[name], replace(WHOLE, **lacking))[::3] == (None, reason), name
        assert measure(MEASURES[name], None)[::3] == (None, NO_MODEL), name
        assert measure(MEASURES[name], Meaning("m", missing="why"))[::3] == (None, "why"), name


def test_opposite_directions_leave_the_scale_of_neither_measure() -> None:
    against = replace(WHOLE, response=WEST, messages=(EAST, EAST))
    assert MEASURES["prompt_relevance"](against).value == -1.0
    assert MEASURES["conversation_drift"](against).value == 2.0


def test_words_of_others_are_quoted_short_and_harmless() -> None:
    hostile = 'x" by "y\x1b[31m\u202e' + "z" * 500
    found = MEASURES["key_point_coverage"](replace(WHOLE, points=((hostile, EAST),)))
    assert "\x1b" not in found.explanation
    assert "\u202e" not in found.explanation
    assert len(found.explanation) < 300


def loaded(reference: str = "text_quality") -> LoadedSuite:
    return build_suite(SUITES["text_quality"], read_rubric(reference))


def values(scores: tuple[Score, ...], source: str = "heuristic") -> dict[str, float | None]:
    return {score.metric: score.value for score in scores if score.source == source}


def test_the_measures_stand_beside_scores_that_keep_their_digits() -> None:
    found = loaded()
    pin = embedding_of(found.suite, PIN)
    assert pin is not None
    assert not pin.weighed
    suite = with_meaning(found.suite, pin)
    assert suite.measures == (*found.suite.measures, *MEASURES)
    plain, measured = found.suite.score(exchange()), suite.score(exchange(WHOLE))
    assert measured[: len(plain)] == plain
    assert [score.metric for score in measured[len(plain) :]] == list(MEASURES)
    assert with_meaning(found.suite, None) is found.suite
    flows = build_suite(SUITES["chat_flow"], read_rubric("chat_flow"))
    assert embedding_of(flows.suite, PIN) is None, "the response of a flow is no text"


def test_a_rubric_may_weigh_a_measure_and_without_vectors_the_rest_counts_alone(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(WEIGHTED)
    found = loaded(str(own))
    pin = embedding_of(found.suite, PIN)
    assert pin is not None
    assert pin.weighed, "runs that differ in who made the vectors do not compare"
    plain = values(loaded().suite.score(exchange()))
    asked, unasked = (values(found.suite.score(exchange(meaning))) for meaning in (WHOLE, None))
    assert asked["relevance"] == 1.0, "0.707 lies beyond the best cosine"
    assert unasked["relevance"] is None
    weights = {name: metric.weight or 0 for name, metric in found.rubric.metrics.items()}
    of_plain = sum(weights[name] * (plain[name] or 0) for name in plain if name != "overall")
    assert asked["overall"] == pytest.approx(of_plain + 0.1)
    assert unasked["overall"] == pytest.approx(of_plain / 0.9)
    [relevance] = [score for score in found.suite.score(exchange(None)) if score.metric == "relevance"]
    assert relevance.reason == NO_MODEL
    [said] = [score for score in found.suite.score(exchange(WHOLE)) if score.metric == "relevance"]
    assert said.explanation.startswith("0.71 between 0.1 (0) and 0.6 (1): cosine of message and response")


def test_less_is_better_where_the_best_lies_below_the_worst() -> None:
    rule = FORMULAS["near_repetition"].prepare({"worst": 1.0, "best": 0.5})
    for nearest, expected in ((NORTHEAST, 0.0), (NORTH, 0.585786), (WEST, 1.0)):
        spoken = Utterance("", "x", (), (), replace(WHOLE, replies=(nearest,)))
        assert rule(spoken).value == pytest.approx(expected, abs=1e-6)
    with pytest.raises(ValueError, match="worst and best are the same"):
        FORMULAS["near_repetition"].prepare({"worst": 0.5, "best": 0.5})
