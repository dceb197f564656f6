"""A line of results.jsonl: one evaluated exchange, or one conversation as a whole, with all that is known of it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property

from evaluation.given import GivenReplies, GivenReply
from evaluation.identity import session_id, trace_id
from evaluation.messages import calls_to_json, said_to_json
from evaluation.records import (
    CallFailure,
    Cell,
    Exchange,
    ItemAnswer,
    Json,
    Result,
    Scenario,
    Score,
    Source,
    Usage,
    Verdict,
)
from evaluation.run import Run
from evaluation.suites.suite import Suite
from evaluation.summary.summary import SCHEMA_VERSION

ALWAYS: tuple[Source, ...] = ("heuristic", "judge", "combined")
"""Sources that every line shows, empty where the run has none."""
EXPLAINING: tuple[Source, ...] = ("heuristic", "check", "judge", "human", "combined", "measure")
"""A metric's explanation is that of the first of these that gives one."""


@dataclass(frozen=True)
class LineHead:
    """The head that all lines of a run share, worked out once."""

    run: Run
    trace_ids: Mapping[Cell, str] = field(default_factory=dict)
    """Cells whose trace is not the one that their run, scenario and repeat give: shown again after a failure."""

    @cached_property
    def scenarios(self) -> Mapping[str, Scenario]:
        """Scenario id -> scenario, of the whole plan."""
        return {scenario.id: scenario for scenario in self.run.scenarios}

    def trace_of(self, cell: Cell) -> str:
        """The trace that shows a cell."""
        met = self.given_reply(cell.scenario_id)
        if met is not None:
            return met.trace_id
        return self.trace_ids.get(cell) or trace_id(self.run.run_id, cell.scenario_id, cell.repeat)

    @cached_property
    def given(self) -> GivenReplies | None:
        """The responses of production that the run scores, which have traces of their own."""
        return self.run.given

    def given_reply(self, scenario_id: str) -> GivenReply | None:
        """The response of production of a scenario; None of any other run."""
        return None if self.given is None else self.given.replies.get(scenario_id)

    @cached_property
    def prompt(self) -> Json:
        """The prompt as every line names it."""
        return None if self.run.spec.prompt is None else asdict(self.run.spec.prompt)


def result_line(result: Result, head: LineHead) -> dict[str, Json]:
    """The line as a JSON object. Raises KeyError for a scenario that the header does not hold."""
    exchange, cell = result.exchange, result.exchange.cell
    run, scenario = head.run, head.scenarios[cell.scenario_id]
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": run.run_id,
        "suite": run.spec.suite,
        "scenario_id": scenario.id,
        "situation": scenario.cluster,
        "category": scenario.category,
        "audience": scenario.audience,
        "tags": list(scenario.tags),
        "repeat": cell.repeat,
        "turn": exchange.turn,
        "scope": result.scope,
        "state": result.state,
        "prompt": head.prompt,
        "model": run.spec.answerer,
        "parameters": dict(run.spec.parameters),
        "language": language_json(result, run.suite),
        "input": exchange.user_input,
        "context": list(map(said_to_json, exchange.context)),
        **_outcome(exchange),
        "scores": _values(result.scores),
        "explanations": _explanations(result.scores),
        **checks_json(result.scores, run.suite.check_rules),
        "moderation": list(exchange.moderation),
        "not_applicable": sorted({score.metric for score in result.scores if not score.applicable}),
        "judge": None if result.verdict is None else _judge(result.verdict),
        "expectations": _expectations(result, scenario),
        "trace_id": head.trace_of(cell),
        "session_id": session_id(run.run_id, scenario, cell.repeat),
        "error": None if result.error is None else _error(result, result.error),
    }


def language_json(result: Result, suite: Suite) -> Json:
    """The languages of a response; null for a conversation, a call without an answer, and where rules read no words."""
    if result.scope != "response" or isinstance(result.exchange.outcome, CallFailure):
        return None
    found = suite.spoken_in(result.exchange)
    return None if found is None else found.to_json()


def _outcome(exchange: Exchange) -> dict[str, Json]:
    """The answer that came back; of a failed call only how long it took and how often it was tried.

    `tool_calls` stands there where it called any, `raw_response` where the response is one field of it.
    """
    outcome = exchange.outcome
    latency_ms = (outcome.ended_at - outcome.started_at) * 1000
    if isinstance(outcome, CallFailure):
        return {
            "response": None,
            "finish_reason": None,
            "usage": _usage(Usage()),
            "cost_usd": None,
            "latency_ms": latency_ms,
            "attempts": outcome.attempts,
            "cached": False,
        }
    return {
        "response": exchange.response,
        **({} if exchange.words is None else {"raw_response": outcome.text}),
        **calls_to_json(outcome.tool_calls),
        "finish_reason": outcome.finish_reason,
        "usage": _usage(outcome.usage),
        "cost_usd": _paid(outcome.cost_usd, outcome.cached),
        "latency_ms": latency_ms,
        "attempts": outcome.attempts,
        "cached": outcome.cached,
    }


def _usage(usage: Usage) -> Json:
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_input_tokens": usage.cached_input_tokens,
    }


def _paid(cost_usd: float | None, cached: bool) -> float | None:
    """The amount that this run paid: a cached answer was paid for by another."""
    return 0.0 if cached else cost_usd


def _values(scores: tuple[Score, ...]) -> dict[str, dict[str, float | None]]:
    values: dict[str, dict[str, float | None]] = {source: {} for source in ALWAYS}
    for score in scores:
        values.setdefault(score.source, {})[score.metric] = score.value
    return values


def _explanations(scores: tuple[Score, ...]) -> dict[str, str]:
    """Metric -> explanation, or the reason why there is no value."""
    found: dict[str, str] = {}
    for score in sorted(scores, key=lambda score: EXPLAINING.index(score.source)):
        text = score.explanation or score.reason
        if text:
            found.setdefault(score.metric, text)
    return found


def checks_json(scores: tuple[Score, ...], rules: Mapping[str, str]) -> dict[str, Json]:
    """`checks`: each check's score beside what was found and when it passes; nothing where nothing is checked."""
    found = {
        score.metric: {
            "score": score.value,
            "evidence": score.explanation or score.reason,
            "rationale": rules.get(score.metric, ""),
        }
        for score in scores
        if score.source == "check"
    }
    return {"checks": found} if found else {}


def _judge(verdict: Verdict) -> dict[str, Json]:
    """The verdict in full; `fallback` is the rubric's stand-in for one that could not be read."""
    return {
        "model": verdict.model,
        "reasoning": verdict.reasoning,
        "rationale": dict(verdict.rationale),
        "parsed": verdict.parsed,
        "raw": verdict.raw,
        "samples": list(verdict.samples),
        "injection_suspected": verdict.injection_suspected,
        "scores": dict(verdict.scores),
        "given_overall": verdict.given_overall,
        "spread": dict(verdict.spread),
        "bounds": {name: list(bounds) for name, bounds in verdict.bounds.items()},
        "review": list(verdict.review),
        "members": {model: dict(values) for model, values in verdict.members.items()},
        "escalated": verdict.escalated,
        "problem": verdict.problem or None,
        "fallback": verdict.fallback,
        "usage": _usage(verdict.usage),
        "cost_usd": _paid(verdict.cost_usd, verdict.cached),
        "latency_ms": verdict.latency_ms,
        "cached": verdict.cached,
    }


def _expectations(result: Result, scenario: Scenario) -> list[Json]:
    """The answers that are due at this turn, each with what was asked."""
    items = {(item.id, item.turn): item for item in scenario.expect}
    lines: list[Json] = []
    for answer in result.expectations:
        item = items.get((answer.id, result.exchange.turn)) or items[(answer.id, 0)]
        said = {each.name: getattr(answer, each.name) for each in fields(ItemAnswer)}
        members = {model: list(outcomes) for model, outcomes in answer.members.items()}
        lines.append({**said, "answers": list(answer.answers), "members": members, **item.asked()})
    return lines


def failed_stage(result: Result, error: CallFailure) -> str:
    """Where it failed: generation, moderation, embedding, scoring, expectations or judge."""
    if isinstance(result.exchange.outcome, CallFailure):
        return "generation"
    return "scoring" if error.kind == "scoring" else error.purpose or "judge"


def _error(result: Result, error: CallFailure) -> dict[str, Json]:
    return {
        "stage": failed_stage(result, error),
        "kind": error.kind,
        "message": error.message,
        "attempts": error.attempts,
    }
