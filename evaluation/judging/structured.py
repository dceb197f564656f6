"""Reading a structured verdict: one JSON object as a whole, every value where the form asks for it."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from evaluation.judging.answer_form import RATIONALE, REASONING, SCORES, verdict_keys
from evaluation.judging.judge_rubric import JudgeRubric
from evaluation.judging.thoughts import without_thoughts
from evaluation.records import Json

FENCE = re.compile(r"\A```(?:json)?[ \t]*\r?\n(?P<body>.*)\r?\n?[ \t]*```\Z", re.IGNORECASE | re.DOTALL)
SHOWN = 60
"""Characters of a wrong value that a problem quotes."""


@dataclass(frozen=True, slots=True)
class StructuredVerdict:
    """What was read: a value per dimension and the overall as given, or nothing and the problem."""

    values: Mapping[str, float] = field(default_factory=dict)
    """Empty when the verdict was not read."""
    reasoning: str = ""
    problem: str = ""
    rationale: Mapping[str, str] = field(default_factory=dict)
    """Dimension -> why, where the form asks for it."""


class _Malformed(ValueError):
    """JSON that two readers could read in two ways, or a number that is none."""


def parse_structured_verdict(raw: str, rubric: JudgeRubric) -> StructuredVerdict:
    """Reads an answer that is one JSON object, bare or in one code fence around the whole of it, after any thoughts.

    JSON inside prose does not count: it may be quoted. A dimension that is missing, is no number, or lies outside the
    scale, a key twice, NaN, and a further number under an unknown key make the verdict unread; an unknown key with a
    text is a remark. Never raises.
    """
    body = without_thoughts(raw).strip()
    fenced = FENCE.match(body)
    if fenced is not None:
        body = fenced["body"].strip()
    if not body.startswith("{"):
        return StructuredVerdict(problem="the answer is not one JSON object" if body else "the answer is empty")
    try:
        value = json.loads(body, object_pairs_hook=_unique, parse_constant=_constant, strict=False)
    except _Malformed as error:
        return StructuredVerdict(problem=str(error))
    except (ValueError, RecursionError):
        return StructuredVerdict(problem="the answer is not one JSON object as a whole")
    return _with_rationales(value, rubric) if rubric.rationales else _checked(value, rubric)


def _with_rationales(value: Mapping[str, Json], rubric: JudgeRubric) -> StructuredVerdict:
    """A verdict whose texts and numbers stand by dimension, read as one whose keys stand side by side."""
    texts, scores = value.get(RATIONALE), value.get(SCORES)
    for name, part in ((RATIONALE, texts), (SCORES, scores)):
        if not isinstance(part, dict):
            return StructuredVerdict(problem=f"{name} is {'missing' if part is None else 'no object'}")
    assert isinstance(texts, dict) and isinstance(scores, dict)
    why = {name: text.strip() for name, text in texts.items() if name in rubric.dimensions and isinstance(text, str)}
    silent = next((name for name in rubric.dimensions if not why.get(name)), None)
    if silent is not None:
        return StructuredVerdict(problem=f"{RATIONALE} says nothing on {silent}")
    rest = {name: found for name, found in value.items() if name not in (RATIONALE, SCORES)}
    doubled = next((name for name in scores if name in rest or name not in rubric.dimensions), None)
    if doubled is not None:
        return StructuredVerdict(problem=f"{SCORES} has the key {doubled[:SHOWN]!r}, which does not belong there")
    reasoning = " ".join(f"{name}: {why[name]}" for name in rubric.dimensions)
    return replace(_checked({REASONING: reasoning, **scores, **rest}, rubric), rationale=why)


def _checked(value: Mapping[str, Json], rubric: JudgeRubric) -> StructuredVerdict:
    reasoning = value.get(REASONING)
    if not isinstance(reasoning, str):
        return StructuredVerdict(problem=f"{REASONING} is missing" if reasoning is None else f"{REASONING} is no text")
    keys = verdict_keys(rubric)
    for name, found in value.items():
        if name not in keys and not isinstance(found, str):
            return StructuredVerdict(reasoning=reasoning, problem=f"the key {name[:SHOWN]!r} was not asked for")
    values: dict[str, float] = {}
    for name in keys:
        if name not in value:
            return StructuredVerdict(reasoning=reasoning, problem=f"{name} is missing")
        number = _number(value[name], rubric)
        if number is None:
            problem = f"{name} is {_quoted(value[name])}, not a number from {rubric.low:g} to {rubric.high:g}"
            return StructuredVerdict(reasoning=reasoning, problem=problem)
        values[name] = number
    return StructuredVerdict(values, reasoning)


def _quoted(value: Json) -> str:
    """A wrong value for a message; Python refuses to print whole numbers of thousands of digits."""
    if isinstance(value, int) and abs(value) > 10**SHOWN:
        return "a number of many digits"
    return repr(value)[:SHOWN]


def _number(value: Json, rubric: JudgeRubric) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # A whole number may be too large for a float: it is compared as it is.
    if not rubric.low <= value <= rubric.high or not math.isfinite(value):
        return None
    return round(float(value), 10)


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Malformed("a key stands twice in the verdict")
    return found


def _constant(name: str) -> Json:
    raise _Malformed(f"{name} is not a number")
