"""JSON lines from anywhere: read one at a time, none longer than memory allows, each an object or why it is none."""

import json
from collections.abc import Iterator
from typing import IO, Any

LONGEST_LINE = 32 * 1024 * 1024
"""Bytes; a longer line is named and passed over, so that memory stays bounded."""


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
    if not isinstance(found, dict):
        raise ValueError(f"not a JSON object but {type(found).__name__}")
    return found


def _no_constant(name: str) -> float:
    raise ValueError(f"not JSON: {name} is no number")
