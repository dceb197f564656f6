"""A run concluded: its summary, decision and gate, and what people must know beside them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from evaluation.decision.decide import Decision, decide
from evaluation.decision.gate import GateResult, Limits, coverage_below_floor, gate, limit_faults
from evaluation.judging.canaries import CanaryReport
from evaluation.outcome import RunOutcome
from evaluation.records import CallTotals, Result
from evaluation.request import GATES, EvaluationRequest, varied
from evaluation.run import Run
from evaluation.summary.columns import Columns, Fallback
from evaluation.summary.disagreement import Disagreements
from evaluation.summary.summarise import summarise
from evaluation.summary.summary import NO_TOKENS, Summary, Tokens

RUN_FILES = (
    *("report.html", "summary.md", "results.jsonl", "summary.json", "decision.json", "manifest.json"),
    *("junit.xml", "eval_records.jsonl"),
)
MAX_FAILURE_RATE, MAX_FALLBACK_RATE = 0.02, 0.05
"""The most that every gate bears where the request says nothing: as the no-regression gate's rules."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that the journal holds of a run."""

    results: Iterable[Result]
    """In the order of the plan; read once."""
    totals: Mapping[str, CallTotals]
    """By purpose."""
    spent_usd: float
    """Paid by this run; calls of unknown price count nothing."""
    canaries: CanaryReport | None
    """None where the judge was not checked."""


def conclude(
    run: Run,
    evidence: Evidence,
    request: EvaluationRequest,
    *,
    directory: str,
    wall_seconds: float | None = None,
    stop_reason: str = "",
) -> RunOutcome:
    """Concludes from the evidence, under the request's gate and limits. `directory` is where the run's files are."""
    differing = Disagreements(run.suite)
    fallback: Fallback = "include" if request.judge_fallback == "include" else "exclude"
    columns = Columns(run.suite, run.scenarios, run.spec.repeats, run.sources, fallback)
    summary = summarise(
        differing.watched(evidence.results),
        columns,
        run_id=run.run_id,
        prompt=run.spec.prompt,
        wall_seconds=wall_seconds,
    )
    summary = _with_all_calls(summary, evidence)
    decision = decide(summary, run.suite, strict=request.strict)
    incomplete = bool(summary.counts.failed or summary.counts.skipped)
    return RunOutcome(
        run=run,
        summary=summary,
        decision=decision,
        directory=directory,
        gate=gate_result(decision, summary, request, evidence.canaries),
        short_of_coverage=request.gate is not None and coverage_below_floor(decision, summary),
        incomplete=incomplete,
        canaries=evidence.canaries,
        disagreements=differing.largest(),
        files=(*RUN_FILES, *(("disagreements.jsonl",) if "combined" in run.sources else ())),
        notes=_notes(run, stop_reason if incomplete else "", evidence.canaries) + _address_notes(run, summary),
        next_command=_next_command(run, request, limited="cost limit" in stop_reason) if incomplete else "",
    )


def _with_all_calls(summary: Summary, evidence: Evidence) -> Summary:
    """The summary with the tokens that the checks of the judge and the moderation took.

    The cost includes them, and calls whose exchange came to no result.
    """
    totals = evidence.totals
    checks, moderation = (
        Tokens(found.paid, found.input_tokens, found.output_tokens, found.uncounted) if found else NO_TOKENS
        for found in (totals.get("canary"), totals.get("moderation"))
    )
    known = summary.cost_usd is not None and all(found.cost_usd is not None for found in totals.values())
    return replace(summary, checks=checks, moderation=moderation, cost_usd=evidence.spent_usd if known else None)


def gate_result(
    decision: Decision, summary: Summary, request: EvaluationRequest, canaries: CanaryReport | None = None
) -> GateResult | None:
    """The answer of the gate that was asked for, its limits included; None without one, or where it takes two runs."""
    if request.gate not in GATES:
        return None
    asked: Any = request.gate
    result = gate(decision, summary, gate=asked)
    limits = Limits(
        request.min_overall,
        MAX_FAILURE_RATE if request.max_failure_rate is None else request.max_failure_rate,
        MAX_FALLBACK_RATE if request.max_fallback_rate is None else request.max_fallback_rate,
    )
    faults = (*limit_faults(summary, limits), *(() if canaries is None else canaries.faults()))
    if not faults:
        return result
    return replace(result, passed=False, reasons=faults if result.passed else (*result.reasons, *faults))


def _next_command(run: Run, request: EvaluationRequest, *, limited: bool) -> str:
    """The command that continues the run; with a higher cost limit where the present one is used up."""
    if request.max_cost is not None and limited:
        return run.resume_command(f" --max-cost {2 * request.max_cost:g}")
    return run.resume_command()


def _notes(run: Run, stop_reason: str, canaries: CanaryReport | None) -> tuple[str, ...]:
    """Notes that a reader of the report needs beside the figures."""
    notes = []
    if stop_reason:
        notes.append(f"this run ended early: {stop_reason}")
    if run.request.sweep:
        setting = f": {varied(run.request)}" if varied(run.request) else ""
        notes.append(f"one setting of a sweep{setting}; beside the others in {run.group_id}/report.html")
    if canaries is not None and not canaries.passed:
        notes.append(canaries.note())
    judge = run.spec.judge
    if judge is None and run.of_application and run.request.judge:
        notes.append("no judge: set OPENAI_API_KEY (or OPENAI_BASE_URL) and EVAL_JUDGE_MODEL to have flows judged too")
    if judge is not None and judge.model == run.spec.model:
        notes.append("the model judges itself and prefers its own words: set EVAL_JUDGE_MODEL to another")
    return tuple(notes)


def _address_notes(run: Run, summary: Summary) -> tuple[str, ...]:
    """A hint where no flow got an answer that it could use: then address or mapping are wrong rather than recipes."""
    reasons = summary.finish_reasons.keys()
    if not run.of_application or not reasons or not reasons <= {"http_status", "invalid_json", "schema"}:
        return ()
    return (
        f"no answer had the form of the contract: is {run.spec.endpoint} the application's address, and does its API "
        "bear the contract's names, or those of the mapping file? docs/evals-and-feedback.md has both",
    )
