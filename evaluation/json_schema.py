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


def equal_json(one: Json, other: Json) -> bool:
    """Equal as JSON: 1 is 1.0, and true is no number."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal_json(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal_json, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def holds_values(given: Mapping[str, Json], wanted: Mapping[str, Json]) -> bool:
    """True where a mapping has all of these names with these values; others may stand beside them."""
    return all(name in given and equal_json(given[name], value) for name, value in wanted.items())


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
