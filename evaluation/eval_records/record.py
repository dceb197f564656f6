"""A result as an evaluation record: what docs/eval_record.schema.json describes, from what the journal holds."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cached_property

from evaluation.chat_flow.flow_run import FlowRun
from evaluation.errors import ParseError
from evaluation.identity import eval_id, exchange_id, trace_id
from evaluation.records import CallFailure, Exchange, Json, Reply, Result, Source, Turn
from evaluation.result_line import RunHeader
from evaluation.runspec import TextPin
from evaluation.suites.suite import Suite

SCHEMA_VERSION = 1
LEADING: tuple[Source, ...] = ("combined", "judge", "heuristic", "check")
"""A record's own scores are those of the first of these that gave any; the others stand beside them."""


@dataclass(frozen=True)
class RecordHeader:
    """What all records of a run share."""

    run: RunHeader
    suite: Suite
    rubric: TextPin
    judge: str | None
    trace_system: str | None
    """Where the run's traces are; None where they were sent nowhere."""
    rehearsal: bool = False
    """Whether an embedded stand-in answered."""

    @cached_property
    def pinned(self) -> Json:
        """The rubric as every record names it."""
        return asdict(self.rubric)


def eval_record(result: Result, head: RecordHeader) -> dict[str, Json] | None:
    """The record of one evaluated response; None for one that failed, of which there is nothing to review."""
    exchange = result.exchange
    if isinstance(exchange.outcome, CallFailure):
        return None
    cell, scenario = exchange.cell, head.run.scenarios[exchange.cell.scenario_id]
    trace = head.run.trace_ids.get(cell) or trace_id(head.run.run_id, scenario.id, cell.repeat)
    identity = exchange_id(trace, exchange.turn)
    return {
        "schema_version": SCHEMA_VERSION,
        "eval_id": eval_id(identity),
        "exchange_id": identity,
        "timestamp": moment(exchange.outcome.ended_at),
        "trace_id": trace,
        "trace_system": head.trace_system,
        "suite": head.suite.name,
        "run_id": head.run.run_id,
        "scenario_id": scenario.id,
        "situation": scenario.cluster,
        "category": scenario.category,
        "repeat": cell.repeat,
        "turn": exchange.turn,
        "turns": len(scenario.turns),
        "expected": scenario.note,
        **_said(exchange, exchange.outcome),
        **_scored(result, head),
        "rubric": head.pinned,
        "prompt": head.run.pinned,
        "model": head.run.model,
        "rehearsal": head.rehearsal,
    }


def moment(seconds: float) -> str:
    """Seconds since the epoch in ISO 8601, UTC, to the millisecond."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _said(exchange: Exchange, reply: Reply) -> dict[str, Json]:
    """Request and response: of a flow its parts, of anything else the text."""
    try:
        flow = FlowRun.from_text(reply.text)
    except ParseError:
        messages = (*exchange.context, Turn("user", exchange.user_input))
        return {"request": {"messages": _messages(messages)}, "response": {"text": reply.text}}
    said: dict[str, Json] = {
        "request": {"messages": _messages(flow.messages), "fridge_input": flow.fridge_input},
        "response": {"options": None if flow.options is None else list(flow.options), "selected": flow.selected},
        "calls": [asdict(call) for call in flow.calls],
        "fault": None if flow.fault is None else asdict(flow.fault),
        "case": dict(flow.case),
    }
    if flow.application_trace_id:
        said["application_trace_id"] = flow.application_trace_id
    return said


def _messages(turns: Sequence[Turn]) -> Json:
    return [{"role": turn.role, "content": turn.content} for turn in turns]


def _scored(result: Result, head: RecordHeader) -> dict[str, Json]:
    by_source = {source: result.values(source) for source in LEADING}
    source = next((source for source in LEADING if by_source[source]), head.suite.rules)
    low, high = head.suite.scale(source)
    verdict = result.verdict
    judged = source in ("judge", "combined")
    return {
        "source": source,
        "reviewer": head.judge if judged else None,
        "scale": {"low": low, "high": high},
        "scores": by_source.get(source, {}),
        "other_scores": {name: values for name, values in by_source.items() if values and name != source},
        "rationale": _rationale(result, source),
        "notes": verdict.reasoning if verdict is not None and judged else "",
    }


def _rationale(result: Result, source: Source) -> Mapping[str, str]:
    """Why, by metric: the judge's words where it gave them for each, else how the value came about."""
    if source in ("judge", "combined") and result.verdict is not None and result.verdict.rationale:
        return dict(result.verdict.rationale)
    told = {score.metric: score.explanation or score.reason for score in result.scores if score.source == source}
    return {metric: text for metric, text in told.items() if text}
