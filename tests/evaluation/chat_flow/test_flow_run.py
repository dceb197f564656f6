"""The record of a flow: to text and back, whatever an application sent."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.chat_flow.flow_run import MAX_DEPTH, Fault, FlowCall, FlowRun
from evaluation.errors import ParseError
from evaluation.records import Json, Turn
from tests.evaluation.chat_flow.made import flow

WHOLE = flow(
    fridge_input={"ingredients": ["rice"]},
    fault=Fault("http_status", "/api/recipes/choose", "HTTP 500"),
    calls=(FlowCall("/api/chat/turn", None, 3.5),),
    application_trace_id="abc",
)


def test_to_text_and_back() -> None:
    for run in [WHOLE, flow(), FlowRun(messages=())]:
        assert FlowRun.from_text(run.to_text()) == run, run


def test_the_text_is_canonical() -> None:
    first = FlowRun((Turn("user", "é"),), {"b": 1, "a": [True, None]})
    assert first.to_text() == FlowRun((Turn("user", "é"),), {"a": [True, None], "b": 1}).to_text()
    assert '"fridge_input":{"a":[true,null],"b":1}' in first.to_text() and "é" in first.to_text()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(st.lists(json_values), json_values, st.text())
def test_json_comes_back_as_it_was(options: list[Json], selected: Json, said: str) -> None:
    run = FlowRun((Turn("user", said),), None, tuple(options), selected)
    assert FlowRun.from_text(run.to_text()) == run


def test_what_is_no_clean_json_is_kept_storable() -> None:
    cases: list[tuple[Any, Any]] = [
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        ("half \ud800 a pair", "half \ud800 a pair"),
        ("\x00\x1b[2J\u202e", "\x00\x1b[2J\u202e"),
        (2**200, 2**200),
    ]
    for sent, kept in cases:
        text = FlowRun((), None, ({"a": sent},), sent).to_text()
        json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
        text.encode()
        again = FlowRun.from_text(text)
        assert (again.selected, again.options) == (kept, ({"a": kept},)), (sent, kept)
        assert again.to_text() == text, (sent, kept)


def test_deep_nesting_is_cut_off() -> None:
    deep: Json = "bottom"
    for _ in range(5_000):
        deep = [deep]
    text = FlowRun((), None, None, deep).to_text()
    assert "bottom" not in text and f"more than {MAX_DEPTH} levels" in text
    assert FlowRun.from_text(text).to_text() == text


def test_what_is_empty_may_be_left_out_but_for_messages_options_and_selection() -> None:
    needed = {"messages": [{"role": "user", "content": "Soup?"}], "options": None, "selected": None}
    assert FlowRun.from_text(json.dumps(needed)) == FlowRun((Turn("user", "Soup?"),))
    for name in needed:
        with pytest.raises(ParseError):
            FlowRun.from_text(json.dumps({key: value for key, value in needed.items() if key != name}))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soup",
        "null",
        "[]",
        "{}",
        "[" * 100_000,
        '{"messages": 3}',
        WHOLE.to_text().replace("http_status", "mood"),
        WHOLE.to_text().replace('"path"', '"way"'),
        WHOLE.to_text()[:-1],
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ParseError, match="is no record of a flow"):
        FlowRun.from_text(text)
