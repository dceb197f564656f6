"""JSON as text and back, through pydantic's core: a third of the standard library's time, which adds up over a run.

What the core refuses (lone surrogates) goes to the standard library.
"""

import json
from collections.abc import Iterator
from typing import IO, Any

import pydantic_core

from evaluation.records import Json

LONGEST_LINE = 32 * 1024 * 1024
"""Bytes; a longer line is named and passed over, so that memory stays bounded."""
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
        return _encode(json.loads(_encode(value), parse_constant=lambda _constant: None))


def from_json(text: str | bytes) -> Any:
    """Raises ValueError for what is no JSON."""
    try:
        return pydantic_core.from_json(text)
    except (ValueError, TypeError):
        return _decode(text)


def _decode(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("JSON is nested too deeply") from None


# --- lines from anywhere: none longer than memory allows, each an object or why it is none ----------------------------


def bounded_lines(file: IO[bytes]) -> Iterator[bytes]:
    """Every line in order; of one that is too long its beginning."""
    while line := file.readline(LONGEST_LINE):
        yield line
        while len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            line = file.readline(LONGEST_LINE)


def json_object(line: bytes, *, constants: bool = False) -> dict[str, Any]:
    """The object in one line. `constants` lets NaN and Infinity pass, which Python writes and JSON does not have.

    Raises ValueError with the reason.
    """
    if len(line) >= LONGEST_LINE:
        raise ValueError(f"longer than {LONGEST_LINE} bytes")
    try:
        found = json.loads(line.decode("utf-8-sig"), parse_constant=None if constants else _no_constant)
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("nested too deep") from None
    except ValueError as error:
        raise ValueError("a number has too many digits" if "digits" in str(error) else str(error)) from None
    if not isinstance(found, dict):
        raise ValueError(f"not a JSON object but {'null' if found is None else type(found).__name__}")
    return found


def _no_constant(name: str) -> float:
    raise ValueError(f"not JSON: {name} is no number")
