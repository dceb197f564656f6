"""Checks of structured outputs: does a reply keep to its schema, and what does one field of it say?

They read the reply as it came, and each reply by itself.
"""

import math
import re
from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import Field, model_validator

from evaluation.expectations.bounded_pattern import check_bounded
from evaluation.expectations.call_checks import Schema
from evaluation.expectations.check import Checked, OutputCheck, shown_value
from evaluation.json_schema import equal_json, field_of, first_fault, read_json
from evaluation.records import Json, Reply

REFUSAL = "refusal"
"""The finish reason of a reply that is a refusal's own words."""
MOST_READ = 20_000
"""Characters of a field in which a pattern is looked for."""


def response_schema(parameters: Mapping[str, Json]) -> Mapping[str, Json] | None:
    """The JSON schema that the parameters of a call ask for; None where they ask for none."""
    asked = parameters.get("response_format")
    described = asked.get("json_schema") if isinstance(asked, Mapping) else None
    schema = described.get("schema") if isinstance(described, Mapping) else None
    return schema if isinstance(schema, Mapping) else None


class KeepsToSchema(OutputCheck):
    """The reply is JSON that keeps to a schema: its own, or that of the prompt's `response_format`."""

    json_schema: Schema | None = None

    def question(self) -> str:
        return "Is it JSON that keeps to its schema?"

    def look(self, reply: Reply) -> Checked:
        schema = self.json_schema if self.json_schema is not None else response_schema(reply.parameters)
        if schema is None:
            return Checked(False, reason="there is no schema: give json_schema, or response_format in the config")
        if reply.tool_calls and not reply.text:
            return Checked(True, reason="it calls a tool, and says nothing yet")
        if reply.finish_reason == REFUSAL:
            return Checked(True, reason="the model refuses, which its server says beside the schema")
        try:
            fault = first_fault(schema, read_json(reply.text))
        except ValueError as error:
            return Checked(False, reason=str(error))
        return Checked(not fault, reason=fault or "it does")


class FieldSays(OutputCheck):
    """A field of the reply has a value: any, one of some, within bounds, or a text with a match of a pattern."""

    path: Annotated[str, Field(min_length=1, max_length=200)]
    """Names and places from the top, with dots between: `steps.0.title`."""
    equals: Json = None
    any: Annotated[tuple[Json, ...], Field(strict=False)] = ()
    at_least: float | None = None
    at_most: float | None = None
    pattern: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    absent: bool = False
    """True where there must be no such field."""

    @model_validator(mode="after")
    def _can_be_kept(self) -> Self:
        if self.pattern is not None:
            check_bounded(self.pattern)
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError(f"at_least {self.at_least:g} is above at_most {self.at_most:g}: swap the two")
        if self.absent and self._wanted():
            raise ValueError(f"is absent and {', '.join(self._wanted())}: leave one out")
        return self

    def question(self) -> str:
        if self.absent:
            return f"Does it leave out the field {self.path}?"
        return f"Does its field {self.path} hold {' and '.join(self._wanted()) or 'a value'}?"

    def _wanted(self) -> list[str]:
        """What the value must be, clause by clause."""
        given = self.model_fields_set
        return [
            *([shown_value(self.equals)] if "equals" in given else []),
            *([f"one of {', '.join(map(shown_value, self.any))}"] if self.any else []),
            *([f"at least {self.at_least:g}"] if self.at_least is not None else []),
            *([f"at most {self.at_most:g}"] if self.at_most is not None else []),
            *([f"what the pattern {self.pattern} describes"] if self.pattern is not None else []),
        ]

    def look(self, reply: Reply) -> Checked:
        try:
            value = field_of(read_json(reply.text), self.path)
        except KeyError:
            return Checked(self.absent, reason=f"has no field {self.path}")
        except ValueError as error:
            return Checked(False, reason=str(error))
        return Checked(not self.absent and self._fits(value), reason=f"{self.path} is {shown_value(value)}")

    def _fits(self, value: Json) -> bool:
        if "equals" in self.model_fields_set and not equal_json(value, self.equals):
            return False
        if self.any and not any(equal_json(value, each) for each in self.any):
            return False
        if self.pattern is not None and not (
            isinstance(value, str) and re.search(self.pattern, value[:MOST_READ], re.IGNORECASE)
        ):
            return False
        if self.at_least is None and self.at_most is None:
            return True
        least = -math.inf if self.at_least is None else self.at_least
        most = math.inf if self.at_most is None else self.at_most
        return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most
