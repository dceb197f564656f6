"""An evaluation record as a reviewer or a report needs it: read once, whatever tool wrote it."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.chat_flow.flow_run import FAULT_KINDS, Fault, FlowCall, FlowRun
from evaluation.records import Json, Turn
from evaluation.runspec import canonical_json
from evaluation.suites import DEFAULT_OF_APPLICATIONS, DEFAULT_SUITE


@dataclass(frozen=True, slots=True)
class Item:
    """One response to be reviewed, and what is known of it."""

    id: str
    """The exchange's: shared by every evaluation of the same response."""
    suite: str
    scenario_id: str
    cluster: str
    category: str
    repeat: str
    """Run and repeat: they tell several answers to the same scenario apart."""
    turn: int
    messages: tuple[Turn, ...]
    flow: FlowRun | None
    """None for a text."""
    text: str
    """The response, where it is one; of a flow its record as text."""
    expected: str
    scores: Mapping[str, Mapping[str, float]]
    """Source -> metric -> value, of those that are no person's."""
    record: Mapping[str, Json]
    """As it was read."""

    @property
    def asked(self) -> Turn:
        """The message that is answered; empty where there is none."""
        return self.messages[-1] if self.messages else Turn("user", "")

    @property
    def context(self) -> tuple[Turn, ...]:
        """The messages before it."""
        return self.messages[:-1]


def read_item(record: Mapping[str, Any]) -> Item:
    """The item in a record that fits the schema."""
    request, response = record["request"], record["response"]
    messages = tuple(Turn(each["role"], each["content"]) for each in request["messages"])
    flow = _flow(record, messages) if "options" in response else None
    identity = _identity(record)
    scenario = str(record.get("scenario_id") or identity)
    return Item(
        id=identity,
        suite=str(record.get("suite") or (DEFAULT_SUITE if flow is None else DEFAULT_OF_APPLICATIONS)),
        scenario_id=scenario,
        cluster=str(record.get("situation") or scenario),
        category=str(record.get("category") or ""),
        repeat=f"{record.get('run_id') or ''} {record.get('repeat') or 1}",
        turn=int(record.get("turn") or 1),
        messages=messages,
        flow=flow,
        text=response["text"] if flow is None else flow.to_text(),
        expected=str(record.get("expected") or ""),
        scores=_scores(record),
        record=record,
    )


def _identity(record: Mapping[str, Any]) -> str:
    """The named one; else what a text's trace cannot tell apart, its words do."""
    if record.get("exchange_id"):
        return str(record["exchange_id"])
    known = [record.get("trace_id"), record["request"], record["response"]]
    return hashlib.sha256(canonical_json(known).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _flow(record: Mapping[str, Any], messages: tuple[Turn, ...]) -> FlowRun:
    fault, options, case = record.get("fault"), record["response"]["options"], record.get("case")
    return FlowRun(
        messages=messages,
        fridge_input=record["request"].get("fridge_input"),
        options=None if options is None else tuple(options),
        selected=record["response"]["selected"],
        calls=tuple(_calls(record.get("calls"))),
        fault=Fault(fault["kind"], str(fault["where"]), str(fault["message"]))
        if isinstance(fault, dict) and fault["kind"] in FAULT_KINDS
        else None,
        application_trace_id=str(record.get("application_trace_id") or ""),
        case=case if isinstance(case, dict) else {},
    )


def _calls(value: Json) -> Iterator[FlowCall]:
    """Those that are calls; they are for information."""
    for each in value if isinstance(value, list) else ():
        match each:
            case {"path": str(path), "latency_ms": int() | float() as latency_ms}:
                status = each.get("status")
                yield FlowCall(path, status if isinstance(status, int) else None, float(latency_ms))


def _scores(record: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    by_source: dict[str, Mapping[str, float | None]] = dict(record.get("other_scores") or {})
    if record.get("source"):
        by_source[record["source"]] = record["scores"]
    return {
        source: {metric: float(value) for metric, value in values.items() if value is not None}
        for source, values in by_source.items()
        if source != "human"
    }
