"""What a flow costs the user: all calls together, and the number of turns."""

import pytest

from evaluation.chat_flow.flow_run import Fault, FlowCall, FlowRun
from evaluation.records import Json
from tests.evaluation.chat_flow.made import flow, outcomes

TURN, CHOOSE = "/api/chat/turn", "/api/recipes/choose"


def calls(*latencies: float, **fields: object) -> FlowRun:
    return flow(calls=tuple(FlowCall(TURN, 200, each) for each in latencies), **fields)


def test_many_calls_that_are_fast_enough_alone_can_be_too_slow_together() -> None:
    found = outcomes(calls(8000, 9000, 7000, 6500))
    assert (found["flow_time"].ending, found["latency"].ending) == ("failed", "passed")
    assert found["flow_time"].evidence == "4 calls took 30500 ms together; at most 30000 ms"
    assert outcomes(calls(8000, 9000))["flow_time"].ending == "passed"
    assert outcomes(calls(80, 90, case={"max_flow_ms": 100}))["flow_time"].ending == "failed"


def test_one_slow_call_is_reported_by_latency_alone() -> None:
    found = outcomes(calls(35000))
    assert (found["flow_time"].ending, found["latency"].ending) == ("not_applicable", "failed")


@pytest.mark.parametrize(
    ("turns", "case", "ending"), [(6, {}, "passed"), (7, {}, "failed"), (3, {"max_turns": 2}, "failed")]
)
def test_turns_are_counted(turns: int, case: dict[str, Json], ending: str) -> None:
    whole = calls(*([10.0] * turns), case=case)
    found = outcomes(whole)["turn_count"]
    assert found.ending == ending
    assert found.evidence.startswith(f"{turns} turns until the end of the conversation; at most ")


@pytest.mark.parametrize("kind", ["loop", "too_many_turns"])
def test_a_conversation_without_end_is_reported_by_no_fault_alone(kind: str) -> None:
    fault = Fault(kind, TURN, "on and on")  # type: ignore[arg-type]
    found = outcomes(calls(*([10.0] * 12), fault=fault, options=None, selected=None))
    assert (found["turn_count"].ending, found["no_fault"].ending) == ("not_applicable", "failed")
