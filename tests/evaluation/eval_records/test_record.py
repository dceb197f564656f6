"""Results as evaluation records, and records as items: what was said is neither lost nor changed."""

from dataclasses import replace

import pytest

from evaluation.chat_flow.flow_run import Fault, FlowCall, FlowRun
from evaluation.eval_records.record import eval_record, read_item
from evaluation.records import (
    CallFailure,
    Cell,
    Exchange,
    Json,
    Reply,
    Result,
    Scenario,
    Score,
    ToolCall,
    Turn,
    Usage,
    Verdict,
)
from evaluation.result_line import LineHead, result_line
from evaluation.runspec import JudgePin
from scripts.run.load import load_suite
from services.record_files import record_problem
from tests.evaluation.made_runs import run
from tests.evaluation.review.made_records import RECIPE, minimum

SCENARIO = Scenario("case-1", "time", ("rice, 20 min",), situation="rice", note="Within 20 minutes.")
FLOW = FlowRun(
    messages=(Turn("user", "rice, 20 min"), Turn("assistant", "Here you are.")),
    fridge_input={"shelf": ["rice"]},
    options=(RECIPE, "no recipe", None),
    selected=RECIPE,
    calls=(FlowCall("/api/chat/turn", 200, 12.5), FlowCall("/api/recipes/choose", None, 3.0)),
    fault=Fault("timeout", "/api/recipes/choose", "no answer"),
    application_trace_id="abc",
    case={"time_budget_minutes": 20},
)


def record_of(result: Result, suite: str, judge: str | None = None) -> dict[str, Json] | None:
    """The record, of a run that Langfuse shows."""
    pin = None if judge is None else JudgePin(judge, "", "text")
    head = LineHead(run(SCENARIO, by=load_suite(suite).suite, judge=pin))
    return eval_record(result_line(result, head), result, head, "langfuse")


def result(text: str, *scores: Score, verdict: Verdict | None = None) -> Result:
    reply = Reply(text, "stop", "m", {}, Usage(), 1_763_647_321.0, 1_763_647_323.25)
    context = (Turn("assistant", "Hello."),)
    return Result(Exchange(Cell(SCENARIO.id, 1), 1, context, "rice, 20 min", reply), "scored", scores, verdict)


def test_a_flow_comes_back_whole() -> None:
    record = record_of(result(FLOW.to_text(), Score("overall", "check", 0.5)), "chat_flow")
    assert record is not None
    assert record_problem(record) == ""
    item = read_item(record)
    assert item.flow == FLOW
    assert item.text == FLOW.to_text()
    assert (item.cluster, item.expected, item.scores) == ("rice", "Within 20 minutes.", {"check": {"overall": 0.5}})
    assert record["timestamp"] == "2025-11-20T14:02:03.250Z"
    assert record["application_trace_id"] == "abc"


def test_the_judges_scores_lead_where_there_are_some() -> None:
    verdict = Verdict({"clarity": 4.0}, "Clear.", True, "raw", "judge-1", rationale={"clarity": "Short steps."})
    scores = (Score("overall", "check", 0.5, "1 of 2"), Score("clarity", "judge", 4.0))
    record = record_of(result(FLOW.to_text(), *scores, verdict=verdict), "chat_flow", "judge-1")
    assert record is not None
    assert (record["source"], record["reviewer"], record["scores"]) == ("judge", "judge-1", {"clarity": 4.0})
    assert (record["other_scores"], record["scale"]) == ({"check": {"overall": 0.5}}, {"low": 1.0, "high": 5.0})
    assert (record["rationale"], record["notes"]) == ({"clarity": "Short steps."}, "Clear.")


def test_a_text_with_its_context() -> None:
    scores = (
        Score("helpfulness", "heuristic", 0.6, "0.6 base"),
        Score("overall_quality", "heuristic", None, reason="-"),
    )
    record = record_of(result("That sounds hard.", *scores), "companion")
    assert record is not None
    assert record_problem(record) == ""
    item = read_item(record)
    assert item.messages == (Turn("assistant", "Hello."), Turn("user", "rice, 20 min"))
    assert (item.text, item.context) == ("That sounds hard.", (Turn("assistant", "Hello."),))
    assert item.scores == {"heuristic": {"helpfulness": 0.6}}


def test_ids_follow_from_what_is_evaluated() -> None:
    first, again = (record_of(result("x"), "companion") for _ in range(2))
    assert first == again
    assert first is not None
    assert len({first["eval_id"], first["exchange_id"], first["trace_id"]}) == 3


def test_what_a_check_cannot_tell_is_marked_for_people() -> None:
    doubt = Score("dietary", "check", None, reason="not known: zelko")
    record = record_of(
        result(FLOW.to_text(), Score("overall", "check", None, reason="not known: dietary"), doubt), "chat_flow"
    )
    assert record is not None and record_problem(record) == ""
    assert record["to_review"] == ["dietary: not known: zelko"] and read_item(record).is_marked
    sure = record_of(result(FLOW.to_text(), Score("dietary", "check", None, applicable=False, reason="-")), "chat_flow")
    assert sure is not None and "to_review" not in sure and not read_item(sure).is_marked


def test_a_failed_call_leaves_nothing_to_review() -> None:
    failure = CallFailure("timeout", "no answer", 3, 0.0, 1.0)
    failed = Result(Exchange(Cell(SCENARIO.id, 1), 1, (), "hi", failure), "failed", ())
    assert record_of(failed, "companion") is None


@pytest.mark.parametrize("changed", ["request", "response", "trace_id"])
def test_records_from_elsewhere_are_distinguished_by_what_they_hold(changed: str) -> None:
    other = {
        "request": {"messages": [{"role": "user", "content": "rice"}], "fridge_input": None},
        "response": {"options": [], "selected": None},
        "trace_id": "t-2",
    }
    assert read_item(minimum()).id == read_item(minimum(eval_id="other", notes="other")).id
    assert read_item(minimum()).id != read_item(minimum(**{changed: other[changed]})).id


def test_people_see_the_calls_of_tools_and_the_field_that_is_scored() -> None:
    call = ToolCall("c1", "weather", '{"city": "Bern"}', "rain")
    plain = result('{"reply": "Take a coat."}')
    assert isinstance(plain.exchange.outcome, Reply)
    context = (Turn("user", "Hi"), Turn("assistant", "Hello.", (replace(call, result=None),)))
    outcome = replace(plain.exchange.outcome, tool_calls=(call,))
    exchange = replace(plain.exchange, context=context, outcome=outcome, words="Take a coat.")
    record = record_of(replace(plain, exchange=exchange), "companion")
    assert record is not None
    assert record_problem(record) == ""
    assert record["response"]["as_it_came"] == '{"reply": "Take a coat."}'
    item = read_item(record)
    assert item.text == "Take a coat."
    assert item.shown_text == 'weather({"city": "Bern"}) -> rain\n\nTake a coat.'
    assert item.context[1].content == '(called weather({"city": "Bern"}) -> (no result))\nHello.'


@pytest.mark.parametrize(
    "calls", [[{"name": "weather"}], "weather", [{"id": "1", "name": "a", "arguments": {}, "result": ""}]]
)
def test_calls_of_another_form_are_named(calls: Json) -> None:
    record = record_of(result("Take a coat."), "companion")
    assert record is not None
    record["response"]["tool_calls"] = calls
    assert "response.tool_calls" in record_problem(record)
