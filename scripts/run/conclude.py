"""A run concluded from the journal: its summary, decision and gate, and what people must know beside them."""

from dataclasses import replace
from typing import Any

from evaluation.decision.decide import Decision, decide
from evaluation.decision.gate import GateResult, coverage_below_floor, gate
from evaluation.decision.limits import Limits, limit_faults
from evaluation.judging.canaries import CanaryReport
from evaluation.outcome import RunOutcome
from evaluation.records import Source
from evaluation.run import Run
from evaluation.summary.disagreement import Disagreements
from evaluation.summary.summarise import Summary, summarise
from evaluation.summary.tally import NO_TOKENS, Tokens
from scripts.arguments import GATES as RUN_GATES
from scripts.arguments import EvaluationRequest, varied
from scripts.run.canaries import canary_report
from scripts.run.eval_records import FILE as EVAL_RECORDS
from scripts.run.resume import resume_command
from scripts.run.stored import stored_request
from services.journal import Journal
from services.run_folder import run_folder
from services.settings import Settings

RUN_FILES = (
    *("report.html", "summary.md", "results.jsonl", "summary.json", "decision.json", "manifest.json"),
    *("junit.xml", EVAL_RECORDS),
)
MAX_FAILURE_RATE, MAX_FALLBACK_RATE = 0.02, 0.05
"""What every gate bears at most, unless told otherwise: as the no-regression gate's rules."""


def conclude(
    run: Run,
    journal: Journal,
    settings: Settings,
    request: EvaluationRequest,
    *,
    wall_seconds: float | None = None,
    stop_reason: str = "",
) -> RunOutcome:
    """What the journal says of a run: summary, decision and gate. Writes nothing."""
    differing = Disagreements(run.suite)
    summary = summarise(
        differing.watched(journal.results(run.run_id, run.scenario_ids)),
        suite=run.suite,
        scenarios=run.scenarios,
        repeats=run.spec.repeats,
        run_id=run.run_id,
        prompt=run.spec.prompt,
        sources=planned_sources(run),
        judge_fallback="include" if request.judge_fallback == "include" else "exclude",
        wall_seconds=wall_seconds,
    )
    summary = with_journaled_calls(summary, run.run_id, journal)
    decision = decide(summary, run.suite, strict=request.strict)
    canaries = canary_report(run, journal)
    incomplete = bool(summary.counts.failed or summary.counts.skipped)
    return RunOutcome(
        run=run,
        summary=summary,
        decision=decision,
        directory=str(run_folder(settings.runs_dir, run.run_id)),
        gate=gate_result(decision, summary, request, canaries),
        short_of_coverage=request.gate is not None and coverage_below_floor(decision, summary),
        incomplete=incomplete,
        canaries=canaries,
        disagreements=differing.largest(),
        files=(*RUN_FILES, *(("disagreements.jsonl",) if "combined" in planned_sources(run) else ())),
        notes=run_notes(run, stop_reason if incomplete else "", canaries) + address_notes(run, summary),
        next_command=next_command(run, request, limited="cost limit" in stop_reason) if incomplete else "",
    )


def with_journaled_calls(summary: Summary, run_id: str, journal: Journal) -> Summary:
    """The summary with what only the journal knows: what the checks of the judge and the moderation took.

    The cost includes them, and calls whose exchange came to no result.
    """
    totals = journal.call_totals(run_id)
    checks, moderation = (
        Tokens(found.paid, found.input_tokens, found.output_tokens, found.uncounted) if found else NO_TOKENS
        for found in (totals.get("canary"), totals.get("moderation"))
    )
    known = summary.cost_usd is not None and all(found.cost_usd is not None for found in totals.values())
    cost = journal.spent(run_id) if known else None
    return replace(summary, checks=checks, moderation=moderation, cost_usd=cost)


def gate_result(
    decision: Decision, summary: Summary, request: EvaluationRequest, canaries: CanaryReport | None = None
) -> GateResult | None:
    """The answer of the gate that was asked for, its limits included; None without one, or where it takes two runs."""
    if request.gate not in RUN_GATES:
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


def next_command(run: Run, request: EvaluationRequest, *, limited: bool) -> str:
    """How to go on; with a higher cost limit where the present one is used up."""
    if request.max_cost is not None and limited:
        return resume_command(run, f" --max-cost {2 * request.max_cost:g}")
    return resume_command(run)


def planned_sources(run: Run) -> tuple[Source, ...]:
    """Which sources of scores the run planned for."""
    return run.suite.sources(judged=run.spec.judge is not None and run.suite.judge is not None)


def run_notes(run: Run, stop_reason: str, canaries: CanaryReport | None = None) -> tuple[str, ...]:
    """What a reader of the report must know beside the figures."""
    notes = []
    if stop_reason:
        notes.append(f"this run ended early: {stop_reason}")
    request = stored_request(run)
    if request.sweep:
        setting = f": {varied(request)}" if varied(request) else ""
        notes.append(f"one setting of a sweep{setting}; beside the others in {run.group_id}/report.html")
    if canaries is not None and not canaries.passed:
        notes.append(canaries.note())
    judge = run.spec.judge
    if judge is None and run.of_application and stored_request(run).judge:
        notes.append("no judge: set OPENAI_API_KEY (or OPENAI_BASE_URL) and EVAL_JUDGE_MODEL to have flows judged too")
    if judge is not None and judge.model == run.spec.model:
        notes.append("the model judges itself and prefers its own words: set EVAL_JUDGE_MODEL to another")
    return tuple(notes)


def address_notes(run: Run, summary: Summary) -> tuple[str, ...]:
    """A hint where no flow got an answer that it could use: then address or mapping are wrong rather than recipes."""
    reasons = summary.finish_reasons.keys()
    if not run.of_application or not reasons or not reasons <= {"http_status", "invalid_json", "schema"}:
        return ()
    return (
        f"no answer had the form of the contract: is {run.spec.endpoint} the application's address, and does its API "
        "bear the contract's names, or those of the mapping file? docs/evals-and-feedback.md has both",
    )
