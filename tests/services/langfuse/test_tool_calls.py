"""Calls of tools in a trace: messages of the protocol, with what answered them, masked as every text is."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.records import Reply, ToolCall, Turn
from tests.langfuse_double import LangfuseDouble
from tests.services.langfuse.stories import SINGLE, SPEC, deliver, evaluated_run, journaled, scored, settings_for

CALL = ToolCall("c1", "mail", '{"to": "ann@example.org"}', "sent to ann@example.org")
RAW = '{"reply": "Hello.", "mood": "calm"}'


@pytest.fixture
def generation(double: LangfuseDouble, tmp_path: Path) -> Iterator[dict[str, str]]:
    """The attributes of the one generation of a run whose response called a tool and is a field of its reply."""
    result = scored(SINGLE, 1, 1, text=RAW, tool_calls=(CALL,))
    assert isinstance(result.exchange.outcome, Reply)
    before = (Turn("user", "Hi"), Turn("assistant", "", (replace(CALL, id="c0"),)))
    exchange = replace(result.exchange, context=before, words="Hello.")
    run = evaluated_run(spec=replace(SPEC, repeats=1), scenarios=(SINGLE,))
    with journaled(tmp_path, run, [replace(result, exchange=exchange)]) as journal:
        assert deliver(journal, run, settings_for(double, tmp_path, mask=("email",))).complete
    (span,) = [span for span in double.spans() if span.name == "turn 1"]
    yield dict(span.attributes)


def test_a_trace_shows_the_reply_as_it_came_with_its_calls(generation: dict[str, str]) -> None:
    answer = json.loads(generation["langfuse.observation.output"])
    assert answer["content"] == RAW
    assert answer["tool_calls"][0]["function"] == {"name": "mail", "arguments": '{"to": "[email]"}'}
    assert answer["tool_results"] == {"c1": "sent to [email]"}


def test_a_trace_shows_the_calls_of_earlier_turns(generation: dict[str, str]) -> None:
    asked = json.loads(generation["langfuse.observation.input"])
    assert asked[1]["tool_calls"][0]["id"] == "c0"
    assert "ann@example.org" not in json.dumps(generation)
