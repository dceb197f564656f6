"""From a rubric's YAML text to the frozen rubric, or one error with file, place and reason."""

from collections.abc import Callable
from typing import TypeAlias

from pydantic import ValidationError

from evaluation.errors import ParseError
from evaluation.records import Json
from evaluation.rubrics.checks import check_rubric
from evaluation.rubrics.rubric import Rubric, keys_beside
from evaluation.rubrics.source import SourceText
from evaluation.runspec import digest
from evaluation.text.complaint import complaint
from evaluation.text.yaml_text import load_yaml

LONGEST = 1_000_000
"""Characters of a rubric file."""

CheckRules: TypeAlias = Callable[[Rubric, SourceText], None]
"""Holds what a rubric says of code against the code there is. Raises ParseError."""


def parse_rubric(text: str, place: str, check_rules: CheckRules) -> Rubric:
    """Reads a rubric; `place` names the file in errors. Its `sha256` is of the text.

    Raises ParseError for text that is not plain YAML, for unknown, missing, doubled or mistyped keys, weights that do
    not add up to 1, unknown cues, metrics or formulas, bad settings of a cue, a metric without definition, criteria or
    indicators, levels out of order or with a gap, thresholds out of order, a judge template
    that lacks a field or has an unknown one, and a version that is not the last of the history.
    """
    if len(text) > LONGEST:
        raise ParseError(place, f"holds {len(text):,} characters; a rubric has at most {LONGEST:,}")
    value, source = load_yaml(text, place), SourceText(text, place)
    if not isinstance(value, dict):
        raise ParseError(place, f"holds {_kind(value)}, not a mapping: begin with 'name:', 'version:', 'title:'")
    try:
        rubric = Rubric.model_validate(value)
    except ValidationError as error:
        raise source.error(*complaint(error, keys_beside)) from error
    check_rubric(rubric, source)
    check_rules(rubric, source)
    rubric._sha256 = digest(text)
    return rubric


def _kind(value: Json) -> str:
    return "nothing" if value is None else "a list" if isinstance(value, list) else "a single value"
