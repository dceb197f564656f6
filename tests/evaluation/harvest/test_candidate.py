"""Messages as samples, files and datasets have them."""

from typing import Any

import pytest

from evaluation.harvest.candidate import read_candidate
from evaluation.production.messages import NoChat
from evaluation.records import Turn

SAMPLE = {
    "id": "o",
    "trace_id": "t",
    "state": "scored",
    "weight": 12.5,
    "user_input": "Hello",
    "response": "Hi",
    "scores": {"heuristic": {"overall_quality": 0.5, "trust": None}, "judge": {"overall_quality": 0.25}},
}


def test_a_line_of_a_sample() -> None:
    found = read_candidate(SAMPLE, "f:1")
    assert (found.key, found.message, found.response, found.weight, found.context) == ("t|o", "Hello", "Hi", 12.5, ())
    assert found.scores == {"heuristic": {"overall_quality": 0.5}, "judge": {"overall_quality": 0.25}}
    assert (found.trace_id, found.observation_id) == ("t", "o")


def test_the_context_of_a_line_ends_with_the_assistant() -> None:
    said = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]
    assert read_candidate({**SAMPLE, "context": said}, "").context == (Turn("user", "a"), Turn("assistant", "b"))


def test_critical_items_that_failed() -> None:
    items = [
        {"id": "x", "critical": True, "outcome": "fails"},
        {"id": "y", "critical": True, "outcome": "holds"},
        {"id": "z", "outcome": "fails"},
    ]
    assert read_candidate({**SAMPLE, "expectations": items}, "").failed == ("x",)
    judged = {"state": "scored", "expectations": {"x": "fails", "y": "fails", "z": "holds"}}
    assert read_candidate({**SAMPLE, "judged": judged}, "", ("y", "z")).failed == ("y",)
    assert read_candidate({**SAMPLE, "judged": None}, "", ("y",)).failed == ()


def test_an_item_of_a_dataset() -> None:
    item = {
        "id": "i",
        "input": {"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "Hello"}]},
        "expectedOutput": "Greet back.",
        "sourceTraceId": "t",
        "sourceObservationId": "o",
    }
    found = read_candidate(item, "")
    assert (found.key, found.message, found.ideal, found.trace_id) == ("t|o", "Hello", "Greet back.", "t")
    assert read_candidate({"id": "i", "input": "Hello"}, "").key == "i"
    assert read_candidate({"question": "Hello"}, "f:7").key == "f:7"


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"user_input": "  "},
        {"input": 5},
        {"state": "skipped", "reason": "is no chat", "user_input": "Hello"},
        {"input": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]},
    ],
)
def test_what_is_no_message_of_a_user(record: dict[str, Any]) -> None:
    with pytest.raises(NoChat):
        read_candidate(record, "f:1")


@pytest.mark.parametrize(
    "strange", [{"scores": 5}, {"scores": {"judge": 1}}, {"weight": "x"}, {"weight": -1}, {"context": 3}]
)
def test_strange_fields_are_left_out(strange: dict[str, Any]) -> None:
    found = read_candidate({"user_input": "Hello", **strange}, "f:1")
    assert (found.message, found.scores, found.weight, found.context) == ("Hello", {}, 1.0, ())
