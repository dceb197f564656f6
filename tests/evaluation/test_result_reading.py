"""A line read back is the result that it was made of: written once more it is the same line."""

import json
from dataclasses import replace

import pytest

from evaluation.records import CallFailure, Exchange, ItemAnswer, Reply, Result, Scenario, Score, ToolCall, Turn
from evaluation.result_line import LineHead, result_line
from evaluation.result_reading import read_result
from tests.evaluation.made_runs import exchange, failed, failure, reply, run, scored, unparsed
from tests.evaluation.test_result_line import HEADER

CALL = ToolCall("1", "weather", "{}", "rain")
OF_MODERATION = replace(failure("timeout"), purpose="moderation")


def with_tools() -> Exchange:
    answered = reply()
    assert isinstance(answered, Reply)
    said = (Turn("user", "before"), Turn("assistant", "", (CALL,)))
    return replace(exchange("a|b", outcome=replace(answered, tool_calls=(CALL,))), context=said)


@pytest.mark.parametrize(
    "result",
    [
        scored("c", 0.6, 2, 2, judge=0.8),
        failed("a|b"),
        unparsed("a|b", 0.6),
        Result(exchange("a|b"), "failed", (), error=failure("timeout")),
        Result(exchange("a|b"), "failed", (), error=failure("scoring")),
        Result(exchange("a|b"), "failed", (), error=OF_MODERATION),
        Result(exchange("a|b", outcome=reply(cached=True)), "scored", ()),
        Result(with_tools(), "scored", ()),
        Result(replace(exchange("a|b"), words="one field", moderation=("violence",)), "scored", ()),
        Result(
            exchange("a|b"),
            "scored",
            (
                Score("warmth", "heuristic", 0.4, "0.4 base", applicable=False),
                Score("no_nuts", "check", None, reason="no options came"),
            ),
        ),
    ],
    ids=lambda result: f"{result.state} {type(result.exchange.outcome).__name__}",
)
def test_a_line_read_and_written_is_the_same_line(result: Result) -> None:
    line = json.loads(json.dumps(result_line(result, HEADER)))
    assert json.loads(json.dumps(result_line(read_result(line), HEADER))) == line


def test_answers_to_expectations_come_back_whole() -> None:
    answer = ItemAnswer("greets", "holds", "judge", "Hello", "said so", 1, ("holds", "fails"), {"a": ("holds",)})
    scenario = Scenario("a|b", "small_talk", ("hi",))
    line = result_line(Result(exchange("a|b"), "scored", ()), LineHead(run(scenario)))
    line["expectations"] = [{**line_of(answer), "kind": "ask", "question": "Does it greet?"}]
    assert read_result(json.loads(json.dumps(line))).expectations == (answer,)


def line_of(answer: ItemAnswer) -> dict[str, object]:
    return {name: getattr(answer, name) for name in answer.__dataclass_fields__}


@pytest.mark.parametrize("lost", ["scores", "state", "judge", "input", "error", "scope"])
def test_a_line_that_lacks_a_field_is_refused(lost: str) -> None:
    line = result_line(scored("c", 0.6, 2, 2, judge=0.8), HEADER)
    del line[lost]
    with pytest.raises(KeyError):
        read_result(line)


def test_a_failed_generation_has_no_answer() -> None:
    read = read_result(json.loads(json.dumps(result_line(failed("a|b"), HEADER))))
    assert isinstance(read.exchange.outcome, CallFailure) and read.exchange.outcome.attempts == 3
