"""A reply in the form that a schema asks for: its texts are what would have been said without one."""

import json
from collections.abc import Mapping
from typing import Any

DEEPEST = 8
"""Levels that are filled: a schema may refer to itself for ever."""


def structured_reply(text: str, response_format: Mapping[str, Any]) -> str:
    """The text where no JSON is asked for; else an object around it, of the schema where there is one."""
    kind = response_format.get("type")
    if kind == "json_object":
        return json.dumps({"reply": text})
    described = response_format.get("json_schema")
    schema = described.get("schema") if kind == "json_schema" and isinstance(described, Mapping) else None
    return json.dumps(_filled(schema, schema, text, DEEPEST)) if isinstance(schema, Mapping) else text


def _filled(schema: Any, root: Mapping[str, Any], text: str, levels: int) -> Any:
    """A value that keeps to the usual parts of a schema: types, properties, choices, least lengths and values."""
    if not isinstance(schema, Mapping) or not levels:
        return None
    if "$ref" in schema:
        return _filled(_referred(root, str(schema["$ref"])), root, text, levels - 1)
    if "const" in schema:
        return schema["const"]
    for choices in ("enum", "anyOf", "oneOf", "allOf"):
        if given := schema.get(choices):
            return given[0] if choices == "enum" else _filled(given[0], root, text, levels - 1)
    named = schema.get("type", "object" if "properties" in schema else "string")
    kind = named[0] if isinstance(named, list) and named else named
    if kind == "object":
        parts = schema.get("properties") or {}
        return {name: _filled(part, root, text, levels - 1) for name, part in parts.items()}
    if kind == "array":
        return [_filled(schema.get("items", {}), root, text, levels - 1)] * max(0, int(schema.get("minItems", 0)))
    if kind in ("integer", "number"):
        return schema.get("minimum", schema.get("maximum", 0))
    return {"boolean": True, "null": None}.get(kind, text)


def _referred(root: Mapping[str, Any], address: str) -> Any:
    """The part of a schema at an address within it; None where there is none."""
    found: Any = root
    for part in address.removeprefix("#").strip("/").split("/"):
        found = found.get(part) if isinstance(found, Mapping) and part else found if not part else None
    return found
