"""Messages in the form of the chat completions API, which stored scenarios and prompts have as well."""

from collections.abc import Mapping

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
