"""Evaluation records against their published schema: what is wrong with one, in one line."""

import json
import math
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from evaluation.errors import UsageError
from evaluation.records import Json

SCHEMA = Path(__file__).resolve().parent.parent / "evaluation" / "eval_records" / "eval_record.schema.json"
"""The same text is published as docs/eval_record.schema.json."""
LONGEST = 200
"""Characters of a complaint."""

Problem: TypeAlias = Callable[[Json], str]
"""Says what is wrong with a record, field first; empty when it fits."""


@lru_cache(maxsize=4)
def record_problem(path: Path = SCHEMA) -> Problem:
    """The check, built once for many records. Raises UsageError when the schema cannot be read."""
    import jsonschema_rs

    try:
        schema = json.loads(path.read_text(encoding="utf-8"))
        validator = jsonschema_rs.Draft202012Validator(schema)
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read ({error}): install the tool again") from None

    def problem(record: Json) -> str:
        fault = next(iter(validator.iter_errors(record)), None)
        return _beyond_the_schema(record) if fault is None else _complaint(fault)

    return problem


def _complaint(fault: Any) -> str:
    """The deepest complaint that says something, with its place."""
    place = ".".join(str(part) for part in fault.instance_path)
    if "anyOf" in fault.schema_path:
        return f"{place or 'record'}: needs options and selected, or text"
    message = " ".join(str(fault.message).split())
    if len(message) > LONGEST:
        message = f"{message[: LONGEST // 2]} … {message[-LONGEST // 2 :]}"
    return f"{place}: {message}" if place else message


def _beyond_the_schema(record: Any) -> str:
    """Checks that no schema makes: real days, finite numbers, scores between the ends of the record's own scale."""
    for name in ("timestamp", "reviewed_at"):
        try:
            datetime.fromisoformat(record.get(name, "2000-01-01T00:00:00Z"))
        except ValueError:
            return f"{name}: {record[name]!r} is no day of the calendar"
    for metric, value in record["scores"].items():
        if value is not None and not math.isfinite(value):
            return f"scores.{metric}: {value!r} is no finite number"
    scale = record.get("scale")
    if scale is None:
        return ""
    low, high = scale["low"], scale["high"]
    if not low < high:
        return f"scale: low {low:g} is not below high {high:g}"
    outside = [
        (name, value) for name, value in record["scores"].items() if value is not None and not low <= value <= high
    ]
    return "".join(f"scores.{name}: {value:g} is outside {low:g} to {high:g}" for name, value in outside[:1])
