"""From one answer of the judge to its values: in the form that was asked for, and held against the judged text."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.judging.answer_form import is_structured
from evaluation.judging.echo import line_stands_in, object_stands_in
from evaluation.judging.judge_rubric import JudgeRubric
from evaluation.judging.structured import parse_structured_verdict
from evaluation.judging.verdict import parse_text_verdict
from evaluation.records import Exchange

CUT_OFF = "the answer was cut off at the token limit"
ECHO = "the verdict stands word for word in the judged text"


@dataclass(frozen=True, slots=True)
class ReadVerdict:
    """One answer as read: a value per judged metric, or none and the problem."""

    scores: Mapping[str, float]
    """The overall among them: recomputed from the dimensions where there are any. Empty when not read."""
    reasoning: str
    problem: str = ""
    given_overall: float | None = None
    """As the judge wrote it."""
    rationale: Mapping[str, str] = field(default_factory=dict)
    """Dimension -> why, where the rubric asks for it."""


def judged_text(exchange: Exchange) -> str:
    """Everything in which a verdict may have been planted."""
    return "\n".join([exchange.response, exchange.user_input, *(turn.content for turn in exchange.context)])


def read_verdict(raw: str, rubric: JudgeRubric, form: str, judged: str, *, cut_off: bool = False) -> ReadVerdict:
    """Reads an answer in the form asked for; one that stands in the `judged` text already is not read.

    `cut_off` says that it ended at the token limit: of a line nobody knows whether "0." was to be 0.9; a JSON object
    is whole or it is not read.
    """
    if is_structured(form):
        return _structured(raw, rubric, judged)
    if cut_off:
        return ReadVerdict({}, raw.strip(), CUT_OFF)
    read = parse_text_verdict(raw, rubric.low, rubric.high)
    if read.value is None:
        return ReadVerdict({}, read.reasoning, read.problem)
    if line_stands_in(read.line, judged):
        return ReadVerdict({}, read.reasoning, ECHO)
    return ReadVerdict({rubric.overall: read.value}, read.reasoning, given_overall=read.value)


def _structured(raw: str, rubric: JudgeRubric, judged: str) -> ReadVerdict:
    read = parse_structured_verdict(raw, rubric)
    if read.problem:
        return ReadVerdict({}, read.reasoning or raw.strip(), read.problem)
    if object_stands_in(raw, read.values, judged):
        return ReadVerdict({}, read.reasoning, ECHO)
    given = read.values[rubric.overall]
    values = {**read.values, rubric.overall: weighted(read.values, rubric)}
    return ReadVerdict(values, read.reasoning, "", given, read.rationale)


def weighted(values: Mapping[str, float], rubric: JudgeRubric) -> float:
    """The overall from the dimensions, by the rubric's weights; the given one where the rubric has none."""
    total = math.fsum(guide.weight or 0.0 for guide in rubric.guides)
    if total <= 0:
        return values[rubric.overall]
    return round(math.fsum((guide.weight or 0.0) * values[guide.name] for guide in rubric.guides) / total, 10)
