"""The messages in an observation's input and output, in the forms in which SDKs and frameworks write them.

The forms: a plain text; OpenAI's list of {role, content}, alone or below "messages", and its message, choices or
"output" of responses; content in parts of text; LangChain's messages by type or as serialised objects, its
"generations", and input beside "chat_history"; the parts of the Vercel AI SDK and of Gemini; and the arguments of a
function that Langfuse's decorator watched.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.records import Turn

DEEPEST = 6
"""Levels of wrapping that are looked through."""
ROLES = {
    **dict.fromkeys(("user", "human", "humanmessage", "humanmessagechunk"), "user"),
    **dict.fromkeys(("assistant", "ai", "model", "bot", "aimessage", "aimessagechunk"), "assistant"),
    **dict.fromkeys(("system", "developer", "systemmessage"), "system"),
    **dict.fromkeys(("tool", "function", "toolmessage", "functionmessage"), "tool"),
}
_LISTS = ("messages", "contents")
_QUESTIONS = ("input", "prompt", "question", "query", "user_input", "message", "text", "content")
_ANSWERS = ("content", "text", "output_text", "response", "answer", "completion", "message", "output")
_CALLS = ("tool_calls", "toolCalls", "function_call")
_CALL_PARTS = ("tool_use", "tool-call", "function_call", "tool_call")
CALLS_ALONE = "calls tools and says nothing"


class NoChat(ValueError):
    """An observation is no turn of a chat; the message is the reason by which it is counted."""


def read_input(raw: object) -> tuple[Turn, ...]:
    """The messages that were asked with, oldest first. Raises NoChat."""
    value = _decoded(raw)
    if value is None or value in ("", [], {}):
        raise NoChat("has no input")
    return _messages(value, 0)


def read_output(raw: object) -> str:
    """The words that were answered. Raises NoChat."""
    value = _decoded(raw)
    if value is None or value in ("", [], {}):
        raise NoChat("has no output")
    text, calls = _answer(value, 0)
    if text is None:
        raise NoChat(CALLS_ALONE if calls else "has an output of an unknown form")
    if not text.strip():
        raise NoChat(CALLS_ALONE if calls else "has no output")
    return text


def _decoded(raw: object) -> Any:
    """The API gives texts; one that is JSON of an object, a list or a text is read as that."""
    if not isinstance(raw, str):
        return raw
    text = raw.strip()
    if text[:1] not in ("{", "[", '"'):
        return raw
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return raw


def _messages(value: Any, depth: int) -> tuple[Turn, ...]:
    if depth > DEEPEST:
        raise NoChat("has an input of an unknown form")
    if isinstance(value, str):
        return (Turn("user", value),)
    if isinstance(value, list):
        return _of_list(value, depth)
    if isinstance(value, dict):
        return _of_object(value, depth)
    raise NoChat("has an input of an unknown form")


def _of_list(value: Sequence[Any], depth: int) -> tuple[Turn, ...]:
    found = [_message(each, depth + 1) for each in value]
    if any(each is not None for each in found):
        return tuple(each for each in found if each is not None)
    if len(value) == 1 and isinstance(value[0], list):
        return _messages(value[0], depth + 1)  # LangChain asks in batches
    words = _words(value)
    if words is None:
        raise NoChat("has an input of an unknown form")
    return (Turn("user", words),)


def _of_object(value: Mapping[str, Any], depth: int) -> tuple[Turn, ...]:
    single = _message(value, depth + 1)
    if single is not None:
        return (single,)
    system = value.get("system")
    first = (Turn("system", system),) if isinstance(system, str) and system else ()
    for name in _LISTS:
        if isinstance(value.get(name), list) and value[name]:
            return (*first, *_messages(value[name], depth + 1))
    if isinstance(value.get("args"), list) or isinstance(value.get("kwargs"), dict):
        return _of_arguments(value.get("args") or [], value.get("kwargs") or {}, depth)
    history = value.get("chat_history") or value.get("history")
    before = _messages(history, depth + 1) if isinstance(history, list) and history else ()
    for name in _QUESTIONS:
        if value.get(name):
            return (*first, *before, *_messages(_decoded(value[name]), depth + 1))
    raise NoChat("has an input of an unknown form")


def _of_arguments(args: Sequence[Any], kwargs: Mapping[str, Any], depth: int) -> tuple[Turn, ...]:
    """Of a function's arguments: the only one, those with names that say so, or one text beside earlier messages."""
    if len(args) == 1 and not kwargs:
        return _messages(args[0], depth + 1)
    if not args or any(kwargs.get(name) for name in (*_LISTS, *_QUESTIONS)):
        return _messages(kwargs, depth + 1)
    texts = [each for each in args if isinstance(each, str)]
    lists = [each for each in (*args, *kwargs.values()) if isinstance(each, list) and each]
    if len(texts) != 1 or len(lists) > 1:
        raise NoChat("has an input of an unknown form")
    before = _messages(lists[0], depth + 1) if lists else ()
    return (*before, Turn("user", texts[0]))


def _message(value: Any, depth: int) -> Turn | None:
    """One message with its role; None for what is none."""
    if isinstance(value, list):
        pair = len(value) == 2 and all(isinstance(each, str) for each in value) and ROLES.get(value[0].lower())
        return Turn(pair, value[1]) if pair else None
    if not isinstance(value, dict) or depth > DEEPEST:
        return None
    kwargs = value.get("kwargs")
    kind = value.get("id")
    if isinstance(kwargs, dict) and isinstance(kind, list) and kind and isinstance(kind[-1], str):
        return _message({**kwargs, "type": kind[-1]}, depth + 1)
    data = value.get("data")
    if isinstance(data, dict) and "content" in data:
        return _message({**data, "type": value.get("type")}, depth + 1)
    role = next((ROLES[str(name).lower()] for name in _names(value) if str(name).lower() in ROLES), None)
    if role is None:
        return None
    content = next((value[name] for name in ("content", "parts", "text") if value.get(name) is not None), None)
    return Turn(role, _words(content) or "")


def _names(value: Mapping[str, Any]) -> list[str]:
    return [name for name in (value.get("role"), value.get("type")) if isinstance(name, str)]


def _words(content: Any) -> str | None:
    """The text of a message's content, which may come in parts; None where there is none of it."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        parts = content.get("parts")
        return _words(parts) if isinstance(parts, list) else _part(content)
    if isinstance(content, list):
        found = [each if isinstance(each, str) else _part(each) for each in content]
        texts = [each for each in found if each is not None]
        return "\n".join(texts) if texts else None
    return None


def _part(part: Any) -> str | None:
    if not isinstance(part, dict) or part.get("type") in (*_CALL_PARTS, "reasoning", "thinking"):
        return None
    return next((part[name] for name in ("text", "content") if isinstance(part.get(name), str)), None)


def _answer(value: Any, depth: int) -> tuple[str | None, bool]:
    """(the words, None where there are none; whether a tool is called)."""
    if isinstance(value, str):
        return value, False
    if depth > DEEPEST or not isinstance(value, list | dict):
        return None, False
    return _answer_of_list(value, depth) if isinstance(value, list) else _answer_of_object(value, depth)


def _answer_of_object(value: Mapping[str, Any], depth: int) -> tuple[str | None, bool]:
    for name in ("generations", "choices", "candidates"):
        if isinstance(value.get(name), list) and value[name]:
            return _answer(value[name][0], depth + 1)
    calls = _calls(value)
    message = _message(value, depth)
    if message is not None:
        return message.content, calls
    for name in _ANSWERS:
        if value.get(name) not in (None, "", [], {}):
            text, called = _answer(value[name], depth + 1)
            return text, calls or called
    return _words(value), calls


def _calls(value: Mapping[str, Any]) -> bool:
    """True where a message calls a tool: beside its words, among their parts, or in LangChain's serialised form."""
    kwargs, content = value.get("kwargs"), value.get("content")
    beside = [each for each in (value, kwargs) if isinstance(each, dict)]
    parts = content if isinstance(content, list) else []
    return (
        any(each.get(name) for each in beside for name in _CALLS)
        or value.get("type") in _CALL_PARTS
        or any(isinstance(part, dict) and part.get("type") in _CALL_PARTS for part in parts)
    )


def _answer_of_list(value: Sequence[Any], depth: int) -> tuple[str | None, bool]:
    """Parts of one answer, or messages of which the last one of the assistant is it."""
    calls = any(isinstance(each, dict) and each.get("type") in _CALL_PARTS for each in value)
    answers = [each for each in value if isinstance(each, dict) and _is_of_assistant(each, depth)]
    if answers:
        text, called = _answer(answers[-1], depth + 1)
        return text, calls or called
    words = _words(value)
    if words is not None:
        return words, calls
    if len(value) == 1 and isinstance(value[0], dict | list):
        text, called = _answer(value[0], depth + 1)
        return text, calls or called
    return None, calls


def _is_of_assistant(value: Mapping[str, Any], depth: int) -> bool:
    message = _message(value, depth + 1)
    return message is not None and message.role == "assistant"
