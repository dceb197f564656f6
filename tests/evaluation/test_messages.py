"""Messages as the chat completions API has them."""

import pytest

from evaluation.messages import turn_from_json, turn_to_json
from evaluation.records import Json, Scenario, ToolCall, Turn
from evaluation.run import scenarios_from_text, scenarios_to_text

CALL = {"id": "c1", "type": "function", "function": {"name": "clock", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("turn", "message"),
    [
        (Turn("user", "Hi"), {"role": "user", "content": "Hi"}),
        (
            Turn("assistant", "", (ToolCall("c1", "clock", "{}"),)),
            {"role": "assistant", "content": "", "tool_calls": [CALL]},
        ),
        (Turn("tool", "noon", tool_call_id="c1"), {"role": "tool", "content": "noon", "tool_call_id": "c1"}),
    ],
)
def test_a_message_holds_what_is_about_a_tool_only_where_there_is_any(turn: Turn, message: Json) -> None:
    assert turn_to_json(turn) == message
    assert turn_from_json(message) == turn


def test_a_stored_scenario_keeps_its_earlier_conversation() -> None:
    plain, with_tool = Turn("user", "Hi"), Turn("assistant", "", (ToolCall("c1", "clock", "{}"),))
    scenarios = (Scenario("s1", "c", ("Hello",), history=(plain, with_tool)),)
    text = scenarios_to_text(scenarios)
    assert scenarios_from_text(text) == scenarios
    assert '[{"role": "user", "content": "Hi"}, ' in text
