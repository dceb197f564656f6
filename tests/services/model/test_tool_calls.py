"""Calls of tools as different servers write them, and as they are sent back."""

import pytest

from evaluation.records import Cell, Json, Request, ToolCall, Turn
from services.model.call_forms import CHAT, read_completion
from services.retrying import TryAgain


def body(calls: Json, content: Json = None, finish: str = "tool_calls") -> Json:
    message = {"role": "assistant", "content": content, "tool_calls": calls}
    return {"choices": [{"finish_reason": finish, "message": message}], "model": "m"}


def asked(name: Json = "clock", **parts: Json) -> Json:
    return {"id": "c1", "type": "function", "function": {"name": name, **parts}}


@pytest.mark.parametrize(
    ("calls", "read"),
    [
        ([asked(arguments='{"zone": "CET"}')], [ToolCall("c1", "clock", '{"zone": "CET"}')]),
        ([asked(arguments={"zone": "CET"})], [ToolCall("c1", "clock", '{"zone":"CET"}')]),
        ([asked()], [ToolCall("c1", "clock", "{}")]),
        ([asked(arguments="")], [ToolCall("c1", "clock", "{}")]),
        ([asked(arguments="not JSON")], [ToolCall("c1", "clock", "not JSON")]),
        ([{**asked(), "id": ""}, {**asked(), "id": None}], [ToolCall(f"call_{n}", "clock", "{}") for n in (1, 2)]),
        (asked(), [ToolCall("c1", "clock", "{}")]),
        ([asked(arguments='{"a": "\ud83d"}')], [ToolCall("c1", "clock", '{"a": "\ufffd"}')]),
    ],
)
@pytest.mark.parametrize("content", [None, "", [], [{"type": "thinking", "thinking": "Hm."}]])
def test_calls_are_read_as_they_come(calls: Json, read: list[ToolCall], content: Json) -> None:
    found = read_completion(body(calls, content))
    assert (list(found.tool_calls), found.text, found.finish_reason) == (read, "", "tool_calls")


def test_words_beside_a_call_stay() -> None:
    found = read_completion(body([asked()], "Let me look.", finish="tool_use"))
    assert (found.text, len(found.tool_calls), found.finish_reason) == ("Let me look.", 1, "tool_calls")


@pytest.mark.parametrize("calls", [[{}], [asked(name="")], [asked(name=7)], ["clock"], [{"function": "clock"}]])
def test_a_call_of_nothing_is_malformed(calls: Json) -> None:
    with pytest.raises(TryAgain, match="without a name"):
        read_completion(body(calls))


def test_a_message_of_calls_alone_is_sent_without_content() -> None:
    call = ToolCall("c1", "clock", "{}", "12:40")
    said = (Turn("assistant", "", (call,)), Turn("assistant", "Hm.", (call,)), Turn("assistant", ""))
    sent = CHAT.body(Request("generation", "m", said, {}, Cell("s", 1), 1), {})["messages"]
    assert [message["content"] for message in sent] == [None, "Hm.", ""]
    assert "12:40" not in str(sent), "a result is a message of its own"
