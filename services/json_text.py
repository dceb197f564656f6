"""JSON as text and back, through pydantic's core: a third of the standard library's time, which adds up over a run.

What the core refuses (lone surrogates) goes to the standard library.
"""

import json
from typing import Any

import pydantic_core

from evaluation.records import Json

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=dict).encode


def to_json(value: Json) -> str:
    """Without white space, for `from_json` alone to read: NaN and infinities stay. Any mapping is an object."""
    try:
        return pydantic_core.to_json(value, fallback=dict).decode()
    except pydantic_core.PydanticSerializationError:
        return _encode(value)


def to_line(value: Json) -> str:
    """Without line breaks, for everybody: what is no number in JSON is null."""
    try:
        return pydantic_core.to_json(value, fallback=dict, inf_nan_mode="null").decode()
    except pydantic_core.PydanticSerializationError:
        return _encode(json.loads(_encode(value), parse_constant=_null))


def from_json(text: str | bytes) -> Any:
    """Raises ValueError for what is no JSON."""
    try:
        return pydantic_core.from_json(text)
    except (ValueError, TypeError):
        return _decoded(text)


def _decoded(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("JSON is nested too deeply") from None


def _null(_constant: str) -> None:
    return None
