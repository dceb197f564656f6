"""Evaluation records, as docs/eval_record.schema.json describes them: made of results, and read as items to review."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from evaluation.chat_flow.flow_run import FAULT_KINDS, Fault, FlowCall, FlowRun, flow_of
from evaluation.eval_records.held import HeldItem, held_lines, read_held
from evaluation.expectations.human import content_digest
from evaluation.identity import eval_id, exchange_id
from evaluation.messages import call_text, calls_from_json, text_with_calls
from evaluation.moments import iso
from evaluation.records import CallFailure, Exchange, Json, Result, Scenario, Source, Turn
from evaluation.result_line import LineHead
from evaluation.run import Run
from evaluation.runspec import canonical_json
from evaluation.suites import DEFAULT_OF_APPLICATIONS, DEFAULT_SUITE

SCHEMA_VERSION = 1
LEADING: tuple[Source, ...] = ("combined", "judge", "heuristic", "check")
"""A record's own scores are those of the first of these that gave any; the others stand beside them."""


SHARED = ("suite", "run_id", "scenario_id", "situation", "category", "audience", "repeat", "turn")
"""Fields that a record has from its line, under the same names."""


def eval_record(
    line: Mapping[str, Any], result: Result, head: LineHead, trace_system: str | None
) -> dict[str, Json] | None:
    """The record of one evaluated response; None for one that failed, of which there is nothing to review.

    It shows the line of results.jsonl; the result has what the line leaves out: the moment, and the reasons of each
    source. `trace_system` is where the run's traces are, None where they were sent nowhere.
    """
    reply, run, scenario = result.exchange.outcome, head.run, head.scenarios[line["scenario_id"]]
    if isinstance(reply, CallFailure):
        return None
    met = head.given_reply(scenario.id)
    # One trace of production may hold several responses.
    identity = exchange_id(line["trace_id"] if met is None else f"{met.trace_id}|{met.observation_id}", line["turn"])
    return {
        "schema_version": SCHEMA_VERSION,
        "eval_id": eval_id(identity),
        "exchange_id": identity,
        "timestamp": moment(reply.ended_at),
        "trace_id": line["trace_id"],
        **({} if met is None else {"observation_id": met.observation_id}),
        "trace_system": trace_system or _system_of_application(result.exchange, line["trace_id"]),
        **{name: line[name] for name in SHARED},
        "turns": len(scenario.turns),
        "expected": scenario.note,
        **run.suite.describe(result.exchange),
        **_score_fields(line, result, run),
        **_held(line, scenario),
        **({"checks": line["checks"]} if "checks" in line else {}),
        **({"to_review": reasons} if (reasons := _to_review(line, result, run)) else {}),
        "rubric": asdict(run.spec.rubric),
        "prompt": line["prompt"],
        "model": line["model"],
        "rehearsal": run.spec.embedded,
    }


def _to_review(line: Mapping[str, Any], result: Result, run: Run) -> list[str]:
    """Why people should see the response before others: what its judge says of it, and what a check cannot tell."""
    judged = line["judge"]["review"] if line["judge"] else ()
    doubts = (
        f"{score.metric}: {score.reason}"
        for score in result.scores
        if score.source == "check" and score.value is None and score.applicable and score.metric != run.suite.overall
    )
    return [*judged, *doubts]


def _system_of_application(exchange: Exchange, sent: str) -> str | None:
    """Where the trace is that the calls carried on, when the application went on in it and its mapping says where."""
    flow = flow_of(exchange)
    calls = () if flow is None else flow.calls
    return next((call.trace_system for call in calls if call.trace_id == sent and call.trace_system), None)


def _held(line: Mapping[str, Any], scenario: Scenario) -> dict[str, Json]:
    """The expectations of the response; nothing where there are none."""
    held = held_lines(scenario, line["turn"], line["expectations"])
    return {"expectations": held} if held else {}


def moment(seconds: float) -> str:
    """Seconds since the epoch in ISO 8601, UTC, to the millisecond."""
    return iso(datetime.fromtimestamp(seconds, UTC))


def _score_fields(line: Mapping[str, Any], result: Result, run: Run) -> dict[str, Json]:
    by_source = {source: values for source in LEADING if (values := line["scores"].get(source))}
    source = next(iter(by_source), run.suite.rules)
    low, high = run.suite.scale(source)
    verdict = line["judge"] if source in ("judge", "combined") else None
    reasons = {score.metric: score.explanation or score.reason for score in result.scores if score.source == source}
    rationale = (verdict and verdict["rationale"]) or {metric: text for metric, text in reasons.items() if text}
    judge = None if run.spec.judge is None else run.spec.judge.model
    return {
        "source": source,
        "reviewer": judge if source in ("judge", "combined") else None,
        "scale": {"low": low, "high": high},
        "scores": by_source.get(source, {}),
        "other_scores": {name: values for name, values in by_source.items() if name != source},
        "rationale": rationale,
        "notes": verdict["reasoning"] if verdict else "",
    }


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
    """Run and repeat: they distinguish several answers to the same scenario."""
    turn: int
    messages: tuple[Turn, ...]
    flow: FlowRun | None
    """None for a text."""
    text: str
    """The response, where it is one; of a flow its record as text."""
    audience: str
    """Who is speaking, as the judge is shown it; empty where nothing is said of them, and for a flow."""
    expected: str
    scores: Mapping[str, Mapping[str, float]]
    """Source -> metric -> value, of those that are no person's."""
    record: Mapping[str, Json]
    """As it was read."""
    expectations: tuple[HeldItem, ...] = ()
    called: str = ""
    """The calls of tools that the response took, each with its result, line by line; empty without any."""

    @property
    def is_marked(self) -> bool:
        """True where people should see it before others."""
        return bool(self.record.get("to_review"))

    @property
    def shown_text(self) -> str:
        """The response as a person is shown it: behind the calls of tools that it took."""
        return f"{self.called}\n\n{self.text}" if self.called else self.text

    @property
    def content_sha256(self) -> str:
        """Of all that is shown of it: answers of people are bound to this."""
        return content_digest(self.record, str(self.record.get("audience") or ""))

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
    messages = tuple(
        Turn(each["role"], text_with_calls(Turn(each["role"], each["content"], calls_from_json(each))))
        for each in request["messages"]
    )
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
        called="\n".join(map(call_text, calls_from_json(response))),
        audience=str(record.get("audience") or "") if flow is None else "",
        expected=str(record.get("expected") or ""),
        scores=_scores(record),
        record=record,
        expectations=read_held(record),
    )


def _identity(record: Mapping[str, Any]) -> str:
    """The named one; else what a text's trace cannot distinguish, its words do."""
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
                traced = (str(each.get("trace_id") or ""), str(each.get("trace_system") or ""))
                yield FlowCall(path, status if isinstance(status, int) else None, float(latency_ms), *traced)


def _scores(record: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    by_source: dict[str, Mapping[str, float | None]] = dict(record.get("other_scores") or {})
    if record.get("source"):
        by_source[record["source"]] = record["scores"]
    return {
        source: {metric: float(value) for metric, value in values.items() if value is not None}
        for source, values in by_source.items()
        if source != "human"
    }
