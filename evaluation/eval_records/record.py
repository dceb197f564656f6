"""A result as an evaluation record: what docs/eval_record.schema.json describes, from what the journal holds."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from evaluation.identity import eval_id, exchange_id
from evaluation.records import CallFailure, Json, Result, Source
from evaluation.result_line import LineHead
from evaluation.run import Run

SCHEMA_VERSION = 1
LEADING: tuple[Source, ...] = ("combined", "judge", "heuristic", "check")
"""A record's own scores are those of the first of these that gave any; the others stand beside them."""


SHARED = ("suite", "run_id", "scenario_id", "situation", "category", "repeat", "turn")
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
    identity = exchange_id(line["trace_id"], line["turn"])
    return {
        "schema_version": SCHEMA_VERSION,
        "eval_id": eval_id(identity),
        "exchange_id": identity,
        "timestamp": moment(reply.ended_at),
        "trace_id": line["trace_id"],
        "trace_system": trace_system,
        **{name: line[name] for name in SHARED},
        "turns": len(scenario.turns),
        "expected": scenario.note,
        **run.suite.describe(result.exchange),
        **_scored(line, result, run),
        "rubric": asdict(run.spec.rubric),
        "prompt": line["prompt"],
        "model": line["model"],
        "rehearsal": run.spec.embedded,
    }


def moment(seconds: float) -> str:
    """Seconds since the epoch in ISO 8601, UTC, to the millisecond."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _scored(line: Mapping[str, Any], result: Result, run: Run) -> dict[str, Json]:
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
