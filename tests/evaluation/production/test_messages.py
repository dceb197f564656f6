"""What is read out of inputs and outputs that other code wrote."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.production.messages import NoChat, read_input, read_output
from evaluation.records import Turn

HI = (Turn("user", "Hi"),)
TALK = (Turn("system", "Be kind."), Turn("user", "Hi"), Turn("assistant", "Hello!"), Turn("user", "How are you?"))
OPENAI = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello!"},
    {"role": "user", "content": "How are you?"},
]


def lc(kind: str, content: str) -> dict[str, Any]:
    return {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", kind],
        "kwargs": {"content": content},
    }


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Hi", HI),
        ("[not JSON", (Turn("user", "[not JSON"),)),
        ("42", (Turn("user", "42"),)),
        ('"Hi"', HI),
        (OPENAI, TALK),
        ({"messages": OPENAI, "tools": [{"type": "function"}]}, TALK),
        ({"model": "m", "input": OPENAI}, TALK),
        ([{"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "image_url"}]}], HI),
        ([{"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}], HI),
        ([{"type": "text", "text": "Hi"}], HI),
        ([{"type": "human", "content": "Hi"}], HI),
        ([[{"type": "human", "content": "Hi"}]], HI),
        ([{"type": "HumanMessage", "content": "Hi"}], HI),
        ([{"type": "human", "data": {"content": "Hi"}}], HI),
        ([lc("SystemMessage", "Be kind."), lc("HumanMessage", "Hi")], (Turn("system", "Be kind."), *HI)),
        ([["human", "Hi"]], HI),
        (
            {"input": "How are you?", "chat_history": [["human", "Hi"], ["ai", "Hello!"]]},
            TALK[1:],
        ),
        ({"system": "Be kind.", "messages": OPENAI[1:]}, TALK),
        ({"system": "Be kind.", "prompt": "Hi"}, (Turn("system", "Be kind."), *HI)),
        ({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}, HI),
        ({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": [{"text": "Yes"}]}]},
         (*HI, Turn("assistant", "Yes"))),
        ({"args": ["Hi"], "kwargs": {}}, HI),
        ({"args": [], "kwargs": {"messages": OPENAI}}, TALK),
        ({"args": ["gpt-x"], "kwargs": {"question": "Hi"}}, HI),
        ({"args": ["Hi", None, 3], "kwargs": {"temperature": 0.3}}, HI),
        ({"args": [TALK[-1].content, OPENAI[:-1]], "kwargs": {}}, TALK),
        ({"args": [TALK[-1].content], "kwargs": {"before": OPENAI[:-1]}}, TALK),
    ],
)  # fmt: skip
def test_inputs(written: Any, read: tuple[Turn, ...]) -> None:
    assert read_input(written if isinstance(written, str) else json.dumps(written)) == read
    assert read_input(written) == read


@pytest.mark.parametrize(
    "written",
    [
        "Hello!",
        '"Hello!"',
        {"role": "assistant", "content": "Hello!"},
        {"role": "assistant", "content": "Hello!", "tool_calls": [{"id": "1"}]},
        {"content": "Hello!"},
        {"role": "assistant", "content": [{"type": "text", "text": "Hello!"}, {"type": "tool_use", "name": "f"}]},
        {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello!"}}]},
        {"generations": [[{"text": "Hello!", "message": lc("AIMessage", "Hello!")}]]},
        {"generations": [[{"message": lc("AIMessage", "Hello!")}]]},
        {"generations": [{"text": "Hello!"}]},
        lc("AIMessage", "Hello!"),
        {"type": "ai", "content": "Hello!"},
        {"text": "Hello!", "toolCalls": []},
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hello!"}]}}]},
        [{"type": "text", "text": "Hello!"}],
        [
            {"type": "reasoning", "summary": []},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello!"}]},
        ],
        {"output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello!"}]}]},
        {"messages": [], "output": "Hello!"},
    ],
)
def test_outputs(written: Any) -> None:
    assert read_output(written if isinstance(written, str) else json.dumps(written)) == "Hello!"
    assert read_output(written) == "Hello!"


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        (None, "has no output"),
        ("", "has no output"),
        ("  ", "has no output"),
        ("[]", "has no output"),
        ({"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}, "calls tools and says nothing"),
        ([{"type": "function_call", "name": "f", "arguments": "{}"}], "calls tools and says nothing"),
        ({"text": "", "toolCalls": [{"toolName": "f"}]}, "calls tools and says nothing"),
        ({"label": "spam", "score": 0.3}, "has an output of an unknown form"),
        ([0.1, 0.2, 0.3], "has an output of an unknown form"),
        (7, "has an output of an unknown form"),
    ],
)
def test_what_is_no_answer_says_why(written: Any, reason: str) -> None:
    with pytest.raises(NoChat, match=reason):
        read_output(written)


@pytest.mark.parametrize(
    "written", [None, "", {}, [], 7, {"vector": [1]}, [1, 2], {"args": [1, 2]}, {"args": ["a", "b"]}]
)
def test_what_is_no_question_says_so(written: Any) -> None:
    with pytest.raises(NoChat, match="input"):
        read_input(written)


def nested(levels: int) -> Any:
    value: Any = "Hi"
    for _ in range(levels):
        value = {"input": [[value]], "output": {"message": value}}
    return value


@pytest.mark.parametrize("written", [nested(300), "[" * 100_000, '{"input":' * 50_000, "\ud800", '{"role": "user"']
)  # fmt: skip
def test_hostile_texts_are_read_or_refused_in_one_way(written: Any) -> None:
    for read in (read_input, read_output):
        try:
            read(written)
        except NoChat as reason:
            assert str(reason).startswith("has ")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "role",
                    "type",
                    "content",
                    "messages",
                    "id",
                    "kwargs",
                    "text",
                    "output",
                    "generations",
                    "parts",
                    "data",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(values)
def test_no_shape_breaks_the_reading(value: Any) -> None:
    for read in (read_input, read_output):
        try:
            found = read(value)
        except NoChat:
            continue
        assert isinstance(found, str) or all(isinstance(turn.content, str) for turn in found)
