"""The forms in which a judge may answer, best first, and the schema of a structured verdict."""

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

from evaluation.records import Json
from evaluation.rubrics.rubric import JudgeRubric

JudgeFormat: TypeAlias = Literal["schema", "json", "text"]
FORMATS: tuple[JudgeFormat, ...] = get_args(JudgeFormat)
"""schema: structured outputs under a JSON schema; json: JSON mode; text: the rubric's own line."""

REASONING = "reasoning"
"""The verdict's first key: what is written before a number can still change it."""


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
    """JSON schema of a verdict: the reasoning first, then a number within the scale per dimension, then the overall."""
    titles: Mapping[str, str] = {guide.name: guide.title for guide in rubric.guides}
    properties: dict[str, Json] = {REASONING: {"type": "string"}}
    for name in verdict_keys(rubric):
        properties[name] = {
            "type": "number",
            "minimum": rubric.low,
            "maximum": rubric.high,
            "description": titles.get(name, "the response as a whole"),
        }
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
