"""The end of a run: its summary, decision and gate, and the files that hold them."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.decision import Decision, decide
from evaluation.gate import GateResult, coverage_below_floor, decision_document, gate
from evaluation.lines import RunHeader, result_line
from evaluation.records import Source
from evaluation.reports.markdown import summary_markdown
from evaluation.reports.run_info import RunInfo
from evaluation.summary import Summary, summarise
from scripts.arguments import EvaluationRequest
from scripts.planning import PlannedRun
from services.journal import Journal
from services.run_folder import point_latest, run_folder, write_json, write_jsonl, write_text
from services.settings import Settings


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What became of one run."""

    run: PlannedRun
    folder: Path
    summary: Summary
    decision: Decision
    gate: GateResult | None
    short_of_coverage: bool
    """Whether missing data alone keep the gate shut."""
    incomplete: bool
    """Whether an exchange failed after its retries or was never played."""
    info: RunInfo


def finish_run(
    run: PlannedRun,
    journal: Journal,
    settings: Settings,
    request: EvaluationRequest,
    *,
    wall_seconds: float,
    stop_reason: str = "",
) -> RunOutcome:
    """Concludes a run and writes its files. May be repeated: the files are replaced."""
    outcome = conclude(run, journal, settings, request, wall_seconds=wall_seconds, stop_reason=stop_reason)
    summary, decision = outcome.summary, outcome.decision
    head = header(run)
    lines = (result_line(result, head) for result in journal.results(run.run_id, run.scenario_ids))
    write_jsonl(outcome.folder / "results.jsonl", lines)
    write_json(outcome.folder / "summary.json", summary.to_json(decision=decision.in_summary()))
    write_json(outcome.folder / "decision.json", decision_document(decision, summary, outcome.gate))
    write_text(outcome.folder / "summary.md", summary_markdown(summary, decision, outcome.info))
    journal.finish_run(run.run_id, "incomplete" if outcome.incomplete else "finished", time.time())
    point_latest(settings.runs_dir, run.run_id)
    return outcome


def conclude(
    run: PlannedRun,
    journal: Journal,
    settings: Settings,
    request: EvaluationRequest,
    *,
    wall_seconds: float | None = None,
    stop_reason: str = "",
) -> RunOutcome:
    """What the journal says of a run: summary, decision and gate. Writes nothing."""
    summary = summarise(
        journal.results(run.run_id, run.scenario_ids),
        suite=run.suite,
        scenarios=run.scenarios,
        repeats=run.spec.repeats,
        run_id=run.run_id,
        prompt=run.spec.prompt,
        sources=planned_sources(run),
        judge_fallback="include" if request.judge_fallback == "include" else "exclude",
        wall_seconds=wall_seconds,
    )
    decision = decide(summary, run.suite, strict=request.strict)
    asked: Any = request.gate
    incomplete = bool(summary.counts.failed or summary.counts.skipped)
    folder = run_folder(settings.runs_dir, run.run_id)
    return RunOutcome(
        run=run,
        folder=folder,
        summary=summary,
        decision=decision,
        gate=gate(decision, summary, gate=asked) if asked else None,
        short_of_coverage=bool(asked) and coverage_below_floor(decision, summary),
        incomplete=incomplete,
        info=run_info(
            run,
            folder,
            notes=run_notes(run, stop_reason if incomplete else ""),
            next_command=resume_command(run.run_id) if incomplete else "",
        ),
    )


def planned_sources(run: PlannedRun) -> tuple[Source, ...]:
    """Which sources of scores the run planned for."""
    judged = run.spec.judge is not None and run.suite.judge is not None
    return ("heuristic", "judge", "combined") if judged else ("heuristic",)


def run_notes(run: PlannedRun, stop_reason: str) -> tuple[str, ...]:
    """What a reader of the report must know beside the figures."""
    notes = []
    if stop_reason:
        notes.append(f"this run ended early: {stop_reason}")
    judge = run.spec.judge
    if judge is not None and judge.model == run.spec.model:
        notes.append("the model judges itself and prefers its own words: set EVAL_JUDGE_MODEL to another")
    return tuple(notes)


def resume_command(run_id: str) -> str:
    """What to type to go on with a run."""
    return f'make eval ARGS="--resume {run_id}"'


def header(run: PlannedRun) -> RunHeader:
    """What all lines of results.jsonl share."""
    spec = run.spec
    return RunHeader(
        run_id=run.run_id,
        suite=spec.suite,
        prompt=spec.prompt,
        model=spec.model,
        parameters=spec.parameters,
        scenarios={scenario.id: scenario for scenario in run.scenarios},
    )


def run_info(run: PlannedRun, folder: Path, notes: tuple[str, ...] = (), next_command: str = "") -> RunInfo:
    """What the reports say of a run besides its figures."""
    spec = run.spec
    prompt = spec.prompt
    version = "" if prompt is None else f" v{prompt.version}" if prompt.version is not None else f" {prompt.sha256[:8]}"
    return RunInfo(
        prompt="" if prompt is None else prompt.name + version,
        prompt_source="" if prompt is None else prompt.source,
        model=spec.model,
        judge_model=None if spec.judge is None else spec.judge.model,
        directory=str(folder),
        files=("summary.md", "results.jsonl", "summary.json", "decision.json", "manifest.json"),
        scenarios=len(run.scenarios),
        repeats=spec.repeats,
        rehearsal=run.rehearsal,
        notes=notes,
        next_command=next_command,
    )
