"""Messages in the form of the chat completions API, which stored scenarios and prompts have too, and for readers."""

import json
from collections.abc import Mapping, Sequence

from evaluation.records import Json, ToolCall, Turn


def turn_to_json(turn: Turn) -> dict[str, Json]:
    """Role and content, and what is about a tool only where there is any."""
    message: dict[str, Json] = {"role": turn.role, "content": turn.content}
    if turn.tool_calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in turn.tool_calls
        ]
    if turn.tool_call_id:
        message["tool_call_id"] = turn.tool_call_id
    return message


def turn_from_json(message: Mapping[str, Json]) -> Turn:
    """The inverse of `turn_to_json`."""
    calls = tuple(
        ToolCall(each["id"], each["function"]["name"], each["function"]["arguments"])
        for each in message.get("tool_calls", ())
    )
    return Turn(message["role"], message["content"], calls, message.get("tool_call_id", ""))


def said_to_json(turn: Turn) -> dict[str, Json]:
    """A message of a conversation that was played: role, content, and its calls of tools with what answered them."""
    return {"role": turn.role, "content": turn.content, **calls_to_json(turn.tool_calls)}


def calls_to_json(calls: Sequence[ToolCall]) -> dict[str, Json]:
    """{"tool_calls": [{id, name, arguments, result}, ...]}; empty without calls."""
    listed = [{"id": call.id, "name": call.name, "arguments": call.arguments, "result": call.result} for call in calls]
    return {"tool_calls": listed} if listed else {}


def calls_from_json(message: Mapping[str, Json]) -> tuple[ToolCall, ...]:
    """The inverse of `calls_to_json`."""
    listed = message.get("tool_calls", ())
    return tuple(ToolCall(each["id"], each["name"], each["arguments"], each["result"]) for each in listed)


def call_text(call: ToolCall, *, with_result: bool = True) -> str:
    """One call with its result, for readers; both may be hostile."""
    answered = "(no result)" if call.result is None else call.result
    return f"{call.name}({call.arguments}){f' -> {answered}' if with_result else ''}"


def arguments_of(call: ToolCall) -> Mapping[str, Json] | None:
    """The arguments of a call by name; None where they are no JSON object."""
    try:
        given = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return None
    return given if isinstance(given, dict) else None


def text_with_calls(turn: Turn) -> str:
    """The words of a message, behind the calls of tools that it took."""
    return "\n".join([*(f"(called {call_text(call)})" for call in turn.tool_calls), turn.content])
