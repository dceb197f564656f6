"""The flags of a moderation endpoint, as evidence of inappropriate content."""

from collections.abc import Sequence

import pytest

from evaluation.metrics.lookup import build_scorer
from evaluation.metrics.utterance import Utterance
from evaluation.records import Cell, Exchange, Reply, Usage
from tests.evaluation.metrics.shipped import companion_rubric, shipped_cue


def quotes(response: str, moderation: Sequence[str]) -> list[str]:
    cue = shipped_cue("appropriateness", "inappropriate_content")
    return [finding.quote for finding in cue(Utterance("Hello", response, (), moderation))]


@pytest.mark.parametrize(
    ("response", "moderation", "found"),
    [
        ("Hello there.", (), []),
        ("Hello there.", ("harassment",), ["moderation: harassment"]),
        ("Hello there.", ("hate", "violence"), ["moderation: hate", "moderation: violence"]),
        ("Shut up.", (), ["Shut up"]),
        ("Shut up.", ("harassment",), ["Shut up", "moderation: harassment"]),
    ],
)
def test_words_patterns_and_flags_are_all_evidence(response: str, moderation: Sequence[str], found: list[str]) -> None:
    assert quotes(response, moderation) == found


@pytest.mark.parametrize(
    ("moderation", "value", "explanation"),
    [
        ((), 1.0, "1.0 base"),
        (("harassment",), 0.5, "1.0 base, -0.5 inappropriate content (moderation: harassment)"),
        (("a", "b"), 0.5, "1.0 base, -0.5 inappropriate content (moderation: a, moderation: b)"),
        (('x"\x1b[31m',), 0.5, '1.0 base, -0.5 inappropriate content (moderation: x\\"\\x1b[31m)'),
    ],
)
def test_the_explanation_names_what_was_flagged(moderation: tuple[str, ...], value: float, explanation: str) -> None:
    reply = Reply("Nice to hear that.", "stop", "m", {}, Usage(), 0.0, 0.0)
    exchange = Exchange(Cell("s", 1), 1, (), "Hello", reply, moderation)
    [score] = [each for each in build_scorer(companion_rubric())(exchange) if each.metric == "appropriateness"]
    assert (score.value, score.explanation) == (value, explanation)
