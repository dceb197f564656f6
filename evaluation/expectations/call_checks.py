"""Checks of calls of tools: which were called, with which arguments, and in which order.

They read the calls of all rounds of a turn and, about a conversation, of all its turns; what an application says that
it called counts alike.
"""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from evaluation.expectations.check import CallCheck, Checked, shown_call, shown_value
from evaluation.json_schema import first_fault, holds_values, schema_fault
from evaluation.messages import arguments_of
from evaluation.records import Json, ToolCall


def _schema(value: dict[str, Any]) -> dict[str, Any]:
    if why := schema_fault(value):
        raise ValueError(f"is no JSON schema: {why}")
    return value


ToolName = Annotated[str, Field(min_length=1, max_length=64)]
ToolNames = Annotated[tuple[ToolName, ...], Field(min_length=1, strict=False)]
Schema = Annotated[dict[str, Json], AfterValidator(_schema)]


class _OneTool(CallCheck):
    tool: ToolName
    arguments: dict[str, Json] = Field(default_factory=dict)
    """The call's arguments hold these values."""
    arguments_schema: Schema | None = None
    """They keep to this JSON schema."""

    def described(self) -> str:
        """The call that is looked for."""
        given = f" with {shown_value(self.arguments)}" if self.arguments else ""
        return f"{self.tool}{given}{' with arguments of its schema' if self.arguments_schema is not None else ''}"

    def fault(self, call: ToolCall) -> str:
        """Why a call is not the one that is looked for; empty where it is."""
        if call.name != self.tool:
            return f"it is {call.name}"
        given = arguments_of(call)
        if given is None and (self.arguments or self.arguments_schema is not None):
            return "its arguments are no JSON object"
        if self.arguments and not holds_values(given or {}, self.arguments):
            return f"its arguments do not hold {shown_value(self.arguments)}"
        return first_fault(self.arguments_schema, given) if self.arguments_schema is not None else ""


class Called(_OneTool):
    """The tool is called, with arguments that fit."""

    def question(self) -> str:
        return f"Does it call the tool {self.described()}?"

    def look(self, calls: Sequence[ToolCall]) -> Checked:
        faults = {call: self.fault(call) for call in calls}
        found = next((call for call, why in faults.items() if not why), None)
        if found is not None:
            return Checked(True, reason=f"calls {shown_call(found)}")
        near = next(((call, why) for call, why in faults.items() if call.name == self.tool), None)
        if near is not None:
            return Checked(False, reason=f"calls {shown_call(near[0])}: {near[1]}")
        return Checked(False, reason=_called(calls))


class NotCalled(_OneTool):
    """The tool is not called, or not with such arguments."""

    every = True

    def question(self) -> str:
        return f"Does it leave the tool {self.described()} uncalled?"

    def look(self, calls: Sequence[ToolCall]) -> Checked:
        found = next((call for call in calls if not self.fault(call)), None)
        return Checked(False, reason=f"calls {shown_call(found)}") if found else Checked(True, reason=_called(calls))


class CalledInOrder(CallCheck):
    """The tools are called one after another; other calls may stand between."""

    tools: ToolNames

    def question(self) -> str:
        return f"Does it call {', then '.join(self.tools)}?"

    def look(self, calls: Sequence[ToolCall]) -> Checked:
        left = list(self.tools)
        for call in calls:
            if left and call.name == left[0]:
                del left[0]
        return Checked(not left, reason=_called(calls) + (f"; {left[0]} is missing in its place" if left else ""))


class CalledAll(CallCheck):
    """Each of the tools is called, in any order; one that is named twice at least twice."""

    tools: ToolNames

    def question(self) -> str:
        return f"Does it call {' and '.join(self.tools)}, in any order?"

    def look(self, calls: Sequence[ToolCall]) -> Checked:
        left = [call.name for call in calls]
        missing = []
        for tool in self.tools:
            if tool in left:
                left.remove(tool)
            else:
                missing.append(tool)
        return Checked(not missing, reason=_called(calls) + (f"; {', '.join(missing)} is missing" if missing else ""))


def _called(calls: Sequence[ToolCall]) -> str:
    return f"calls {', '.join(call.name for call in calls)}" if calls else "calls no tool"
