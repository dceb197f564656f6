"""The forms in which a judge may answer, best first, and the schema of a structured verdict."""

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias, get_args

from evaluation.judging.judge_rubric import JudgeRubric
from evaluation.records import Json

JudgeFormat: TypeAlias = Literal["schema", "json", "text"]
FORMATS: tuple[JudgeFormat, ...] = get_args(JudgeFormat)
"""schema: structured outputs under a JSON schema; json: JSON mode; text: the rubric's own line."""

REASONING = "reasoning"
"""The verdict's first key: what is written before a number can still change it."""
RATIONALE, SCORES = "rationale", "scores"
"""In its place where every score has a rationale of its own: the texts by dimension, then the numbers by dimension."""


def is_structured(form: str) -> bool:
    """Whether a verdict in this form scores every dimension."""
    return form in ("schema", "json")


def verdict_keys(rubric: JudgeRubric) -> tuple[str, ...]:
    """The numbers of a structured verdict, in order: the dimensions, then the overall."""
    return (*rubric.dimensions, rubric.overall)


def response_format(rubric: JudgeRubric, form: str) -> dict[str, Json]:
    """The request parameter that asks for this form, by its name; empty for the text format."""
    if form == "schema":
        described = {"name": "verdict", "strict": True, "schema": verdict_schema(rubric)}
        return {"response_format": {"type": "json_schema", "json_schema": described}}
    if form == "json":
        return {"response_format": {"type": "json_object"}}
    return {}


def verdict_schema(rubric: JudgeRubric) -> dict[str, Json]:
    """JSON schema of a verdict: the reasoning first, then a number within the scale per dimension, then the overall.

    With a rationale per score, the texts stand in one object and the dimensions' numbers in another.
    """
    titles: Mapping[str, str] = {guide.name: guide.title for guide in rubric.guides}
    numbers: dict[str, Json] = {
        name: {
            "type": "number",
            "minimum": rubric.low,
            "maximum": rubric.high,
            "description": titles.get(name, f"the {rubric.subject} as a whole"),
        }
        for name in verdict_keys(rubric)
    }
    if not rubric.rationales:
        return _closed({REASONING: {"type": "string"}, **numbers})
    overall = numbers.pop(rubric.overall)
    texts = {name: {"type": "string"} for name in rubric.dimensions}
    return _closed({RATIONALE: _closed(texts), SCORES: _closed(numbers), rubric.overall: overall})


def example(rubric: JudgeRubric) -> str:
    """The form of the answer, for the judge to see."""
    if not rubric.rationales:
        return f'{{"{REASONING}": "<text>", {_pairs(verdict_keys(rubric), "<number>")}}}'
    texts, numbers = _pairs(rubric.dimensions, '"<text>"'), _pairs(rubric.dimensions, "<number>")
    return f'{{"{RATIONALE}": {{{texts}}}, "{SCORES}": {{{numbers}}}, {_pairs((rubric.overall,), "<number>")}}}'


def _pairs(names: Iterable[str], value: str) -> str:
    return ", ".join(f'"{name}": {value}' for name in names)


def _closed(properties: dict[str, Json]) -> dict[str, Json]:
    """An object with all of these keys and no other."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
