"""A reply in the form that a schema asks for: its texts are what would have been said without one."""

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Fill: TypeAlias = Callable[[str, Mapping[str, Any], str], Any]
"""The value of a part by its type, its schema, and the key that it stands under."""
DEEPEST = 8
"""Levels that are filled: a schema may refer to itself for ever."""


def structured_reply(text: str, response_format: Mapping[str, Any]) -> str:
    """The text where no JSON is asked for; else an object around it, of the schema where there is one."""
    if response_format.get("type") == "json_object":
        return json.dumps({"reply": text})
    schema = schema_of(response_format)

    def fill(kind: str, part: Mapping[str, Any], _key: str) -> Any:
        if "const" in part:
            return part["const"]
        if part.get("enum"):
            return part["enum"][0]
        if kind in ("integer", "number"):
            return part.get("minimum", part.get("maximum", 0))
        return {"boolean": True, "null": None}.get(kind, text)

    return text if schema is None else json.dumps(fill_schema(schema, fill))


def schema_of(response_format: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The JSON schema that a response format holds; None where it holds none."""
    described = response_format.get("json_schema") if response_format.get("type") == "json_schema" else None
    schema = described.get("schema") if isinstance(described, Mapping) else None
    return schema if isinstance(schema, Mapping) else None


def fill_schema(schema: Any, fill: Fill, key: str = "", root: Any = None, levels: int = DEEPEST) -> Any:
    """A value of the schema's shape; what is no object and no list is what `fill` gives."""
    if not isinstance(schema, Mapping) or not levels:
        return None
    root = schema if root is None else root
    if "$ref" in schema:
        return fill_schema(_referred(root, str(schema["$ref"])), fill, key, root, levels - 1)
    if choices := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
        return fill_schema(choices[0], fill, key, root, levels - 1)
    named = schema.get("type", "object" if "properties" in schema else "")
    kind = next(iter(named), "") if isinstance(named, list) else named
    if kind == "object":
        parts = schema.get("properties") or {}
        return {name: fill_schema(part, fill, name, root, levels - 1) for name, part in parts.items()}
    if kind == "array":
        items = fill_schema(schema.get("items", {}), fill, key, root, levels - 1)
        return [items] * max(0, int(schema.get("minItems", 0)))
    return fill(kind, schema, key)


def _referred(root: Mapping[str, Any], address: str) -> Any:
    """The part of a schema at an address within it; None where there is none."""
    found: Any = root
    for part in filter(None, address.removeprefix("#").split("/")):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found
