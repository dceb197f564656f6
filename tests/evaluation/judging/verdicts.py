"""Verdicts as judges write them, and the rubric that they are read by."""

import json
from typing import Any

from evaluation.judging.asking import JudgeRubric, NumberQuestion
from evaluation.judging.reading import ReadVerdict, read_verdict
from evaluation.records import Cell, Exchange, Reply, Turn, Usage
from tests.evaluation.metrics.shipped import companion_rubric

DIMENSIONS = (
    "appropriateness",
    "conversational_quality",
    "helpfulness",
    "emotional_intelligence",
    "personalization_continuity",
    "trust_boundaries",
)


def judge_rubric() -> JudgeRubric:
    rubric = JudgeRubric.of(companion_rubric())
    assert rubric is not None
    return rubric


def overall_judge(overall: str, fallback: float, low: float, high: float) -> JudgeRubric:
    """A judge of the overall alone, by whatever template."""
    return JudgeRubric.model_construct(
        template="", dimensions=(), overall=overall, fallback=fallback, low=low, high=high
    )


def verdict(value: Any = 0.3, reasoning: Any = "It passes over the feeling.", **changed: Any) -> str:
    """A structured verdict with one value throughout, but for what is changed; None leaves a key out."""
    keys = {"reasoning": reasoning, **dict.fromkeys(DIMENSIONS, value), "overall_quality": value, **changed}
    return json.dumps({name: found for name, found in keys.items() if found is not None})


def reply(text: str, **changed: Any) -> Reply:
    return Reply(**{**_PLAIN, "text": text, **changed})


_PLAIN: dict[str, Any] = {
    "finish_reason": "stop",
    "model": "judge-1",
    "parameters": {},
    "usage": Usage(10, 5),
    "started_at": 0.0,
    "ended_at": 1.0,
    "cost_usd": 0.5,
}


def exchange(user_input: str, response: str, *context: Turn) -> Exchange:
    return Exchange(Cell("s", 1), 1, context, user_input, reply(response))


def read_as(
    raw: str, rubric: JudgeRubric, kind: str, judged: str | tuple[str, ...] = "", *, cut_off: bool = False
) -> ReadVerdict:
    """An answer read in one format, under the form `reasoned`."""
    question = NumberQuestion(rubric, kind)
    return read_verdict(
        raw, question.shape, judged, structured=question.structured, overall=rubric.overall, cut_off=cut_off
    )
