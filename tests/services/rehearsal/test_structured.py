"""Replies of the rehearsal model in the form that a schema asks for."""

import json

import pytest

from evaluation.json_schema import first_fault
from evaluation.records import Json
from services.rehearsal.structured import structured_reply

SCHEMAS: list[Json] = [
    {"type": "object", "properties": {"reply": {"type": "string"}, "n": {"type": "integer", "minimum": 3}}},
    {"type": "object", "properties": {"mood": {"enum": ["calm"]}, "sure": {"type": "boolean"}}, "required": ["mood"]},
    {"type": "array", "items": {"type": "string"}, "minItems": 2},
    {"$ref": "#/$defs/step", "$defs": {"step": {"type": "object", "properties": {"title": {"type": "string"}}}}},
    {"anyOf": [{"type": "null"}, {"type": "string"}]},
    {"type": ["string", "null"]},
    {"properties": {"kind": {"const": "answer"}, "score": {"type": "number", "maximum": -1}}},
]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_it_keeps_to_the_schema(schema: Json) -> None:
    form: Json = {"type": "json_schema", "json_schema": {"name": "a", "schema": schema}}
    assert first_fault(schema, json.loads(structured_reply("Hello.", form))) == ""


def test_a_schema_without_end_ends() -> None:
    tree: Json = {"type": "object", "properties": {"next": {"$ref": "#"}, "said": {"type": "string"}}}
    form: Json = {"type": "json_schema", "json_schema": {"name": "a", "schema": tree}}
    assert json.loads(structured_reply("Hello.", form))["said"] == "Hello."


def test_a_list_of_no_types_gets_a_text() -> None:
    form: Json = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": []}}}
    assert json.loads(structured_reply("Hello.", form)) == "Hello."


def test_a_text_is_a_text_and_an_object_holds_it() -> None:
    assert structured_reply("Hello.", {}) == "Hello."
    assert json.loads(structured_reply("Hello.", {"type": "json_object"})) == {"reply": "Hello."}
