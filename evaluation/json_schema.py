"""JSON that a model wrote, held against a schema. Nothing is fetched: a schema refers to parts of itself alone."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from evaluation.records import Json

LONGEST = 200
"""Characters of a complaint."""
NO_JSON = "the response is not JSON"


def schema_fault(schema: Json) -> str:
    """What is wrong with a schema, in one line; empty for one that values can be held against."""
    if not isinstance(schema, Mapping):
        return "it is no mapping"
    try:
        _validator(json.dumps(schema))
    except (ValueError, TypeError, RecursionError) as error:
        return _one_line(error)
    return ""


def first_fault(schema: Mapping[str, Json], value: Json) -> str:
    """Where a value breaks a schema and why, as `path: reason`; empty where it keeps to it.

    Raises ValueError for a schema that is none.
    """
    fault = next(iter(_validator(json.dumps(schema)).iter_errors(value)), None)
    if fault is None:
        return ""
    place = ".".join(map(str, fault.instance_path))
    return f"{place or 'the whole'}: {_one_line(fault.message)}"


def read_json(text: str) -> Json:
    """The value that a text is. Raises ValueError for a text that is no JSON, NaN and infinity among it."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{NO_JSON}: {_one_line(error)}") from None


def field_of(value: Json, path: str) -> Json:
    """The part of a value at a path of names and places: `reply`, `steps.0.title`. Raises KeyError where none is."""
    for part in path.split("."):
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            raise KeyError(part)
    return value


@lru_cache(maxsize=64)
def _validator(schema: str) -> Any:
    import jsonschema_rs  # for prompts with schemas; others start sooner

    return jsonschema_rs.validator_for(json.loads(schema), retriever=_retrieve)


def _retrieve(address: str) -> Json:
    raise ValueError(f"it refers to {address}: write that part into the schema")


def _refuse(name: str) -> Json:
    raise ValueError(f"{name} is no value of JSON")


def _one_line(error: object) -> str:
    text = " ".join(str(getattr(error, "message", error)).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"
