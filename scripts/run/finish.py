"""The end of a run: its summary, decision and gate, and the files that hold them."""

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.decision.decide import Decision, decide
from evaluation.decision.gate import GateResult, coverage_below_floor, decision_document, gate
from evaluation.decision.limits import Limits, limit_faults
from evaluation.judging.canaries import CanaryReport
from evaluation.judging.disagreement import Disagreement, Disagreements
from evaluation.records import Source
from evaluation.reports.run.info import RunInfo
from evaluation.reports.run.junit import ScenarioCases, gate_cases, junit_xml
from evaluation.reports.run.markdown import summary_markdown
from evaluation.result_line import RunHeader, result_line
from evaluation.run import Run
from evaluation.runspec import REHEARSAL
from evaluation.summary.summarise import Summary, summarise
from evaluation.summary.tally import NO_TOKENS, Tokens
from scripts.arguments import GATES as RUN_GATES
from scripts.arguments import EvaluationRequest, varied
from scripts.run.canaries import canary_report
from scripts.run.deliver import run_figures
from scripts.run.eval_records import FILE as EVAL_RECORDS
from scripts.run.eval_records import FILE as RECORDS_FILE
from scripts.run.eval_records import checked_record
from scripts.run.interruption import Stop
from scripts.run.resume import resume_command
from scripts.run.stored import stored_request
from scripts.run.wiring import Wiring
from scripts.shell import note
from services.journal import Journal, RunState
from services.langfuse.report import LangfuseReport
from services.langfuse.session import LangfuseSession
from services.run_folder import jsonl_file, point_latest, run_folder, write_json, write_jsonl, write_text
from services.settings import Settings

if TYPE_CHECKING:
    from evaluation.reports.html.gathering import Gathering

RUN_FILES = (
    *("report.html", "summary.md", "results.jsonl", "summary.json", "decision.json", "manifest.json"),
    *("junit.xml", EVAL_RECORDS),
)
MAX_FAILURE_RATE, MAX_FALLBACK_RATE = 0.02, 0.05
"""What every gate bears at most, unless told otherwise: as the no-regression gate's rules."""
DRAIN_INTERRUPTED_S = 10.0
"""Longest wait for Langfuse when the run was interrupted."""


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What became of one run."""

    run: Run
    folder: Path
    summary: Summary
    decision: Decision
    gate: GateResult | None
    short_of_coverage: bool
    """Whether missing data alone keep the gate shut."""
    incomplete: bool
    """Whether an exchange failed after its retries, was never played, or Langfuse has not confirmed everything."""
    info: RunInfo
    canaries: CanaryReport | None = None
    """How the judge did on exchanges of known quality; None where it was not asked."""
    langfuse: LangfuseReport | None = None
    stored: bool = False
    """True for an earlier run that was taken instead of a new one."""


@dataclass(frozen=True, slots=True)
class End:
    """How some runs came to their end."""

    stop: Stop
    wall_seconds: float


async def finish_run(run: Run, wiring: Wiring, session: LangfuseSession | None, end: End) -> RunOutcome:
    """Concludes a run, delivers the rest of it, and writes its files. May be repeated: the files are replaced."""
    outcome = conclude(
        run,
        wiring.journal,
        wiring.settings,
        wiring.request,
        wall_seconds=end.wall_seconds,
        stop_reason=end.stop.reason,
    )
    if session is not None:
        outcome = await deliver(outcome, wiring, session, end)
    write_files(outcome, wiring.journal, wiring.settings, session)
    wiring.journal.finish_run(run.run_id, run_state(outcome), time.time())
    point_latest(wiring.settings.runs_dir, run.run_id)
    return outcome


def run_state(outcome: RunOutcome) -> RunState:
    """Finished when every planned exchange was answered; what Langfuse lacks is the outbox's business."""
    counts = outcome.summary.counts
    return "incomplete" if counts.failed or counts.skipped else "finished"


def write_files(
    outcome: RunOutcome, journal: Journal, settings: Settings, session: LangfuseSession | None = None
) -> None:
    """The files of one run, all but the manifest, which stands since the start."""
    from scripts.run.pages import page_gathering  # a page is thought of when a run has ended, not before

    run, summary, decision = outcome.run, outcome.summary, outcome.decision
    head = header(run, session)
    cases = ScenarioCases(run.suite, summary.source, run.scenarios, run.spec.repeats)
    record_of = checked_record(run, head, journal)
    address = None if outcome.langfuse is None else outcome.langfuse.url
    gathering = page_gathering(outcome, journal, address, head.trace_ids)
    with (
        jsonl_file(outcome.folder / "results.jsonl") as write_line,
        jsonl_file(outcome.folder / RECORDS_FILE) as write_record,
    ):
        # One reading of the journal for all of them: it costs as much as the writing.
        for result in gathering.watched(cases.watched(journal.results(run.run_id, run.scenario_ids))):
            write_line(result_line(result, head))
            record = record_of(result)
            if record is not None:
                write_record(record)
    langfuse = None if outcome.langfuse is None else outcome.langfuse.to_json()
    canaries = None if outcome.canaries is None else outcome.canaries.to_json()
    document = summary.to_json(decision=decision.in_summary(), langfuse=langfuse, canaries=canaries)
    write_json(outcome.folder / "summary.json", document)
    if run.spec.judge is not None:
        differing = (each.to_json() for each in outcome.info.disagreements)
        write_jsonl(outcome.folder / "disagreements.jsonl", differing)
    write_json(outcome.folder / "decision.json", decision_document(decision, summary, outcome.gate))
    write_text(outcome.folder / "summary.md", summary_markdown(summary, decision, outcome.info))
    write_text(outcome.folder / "junit.xml", junit_xml({run.run_id: [*cases.cases(), *gate_cases(outcome.gate)]}))
    write_page(outcome, gathering, journal, settings)


def write_report(outcome: RunOutcome, journal: Journal, settings: Settings) -> Path:
    """report.html of a run, anew at each call; returns where it lies."""
    from scripts.run.pages import page_gathering, stored_address

    address = outcome.langfuse.url if outcome.langfuse is not None else stored_address(outcome.folder)
    gathering = page_gathering(outcome, journal, address)
    gathering.read()
    return write_page(outcome, gathering, journal, settings)


def write_page(outcome: RunOutcome, gathering: "Gathering", journal: Journal, settings: Settings) -> Path:
    """report.html of the results that were taken in; returns where it lies."""
    from scripts.run.pages import run_page

    path = outcome.folder / "report.html"
    write_text(path, run_page(outcome, gathering, journal, settings))
    return path


def stored_outcome(run: Run, wiring: Wiring) -> RunOutcome:
    """An earlier run as it stands in the journal; its files stay as they are."""
    return replace(conclude(run, wiring.journal, wiring.settings, wiring.request), stored=True)


async def deliver(outcome: RunOutcome, wiring: Wiring, session: LangfuseSession, end: End) -> RunOutcome:
    """Delivers the rest of a run; the outcome with what Langfuse confirmed of it."""
    weak = tuple(
        (each.result.exchange.cell.scenario_id, each.result.exchange.cell.repeat) for each in outcome.summary.weakest
    )
    report = await session.finish(
        outcome.run.run_id,
        run_figures(outcome.summary, outcome.decision),
        ended=not end.stop.reason,
        deadline_s=DRAIN_INTERRUPTED_S if end.stop.interrupted else wiring.settings.delivery_seconds,
        progress=None if wiring.request.quiet else note,
        traces_of=weak,
    )
    return outcome if report is None else with_langfuse(outcome, report)


def with_langfuse(outcome: RunOutcome, report: LangfuseReport) -> RunOutcome:
    """The outcome with what Langfuse holds of the run, and where."""
    info = outcome.info
    links = {f"experiment r{repeat}": url for repeat, url in enumerate(report.experiments, start=1)}
    links |= {} if report.comparison_url is None else {"beside the previous version": report.comparison_url}
    links |= {f"trace of {scenario} r{repeat}": url for (scenario, repeat), url in report.trace_urls.items()}
    command = info.next_command or ("make sync" if report.waiting else "")
    notes = (*info.notes, report.line(), *report.problems)
    return replace(
        outcome,
        langfuse=report,
        incomplete=outcome.incomplete or not report.complete,
        info=replace(info, notes=notes, links=links, next_command=command),
    )


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
    folder = run_folder(settings.runs_dir, run.run_id)
    return RunOutcome(
        run=run,
        folder=folder,
        summary=summary,
        decision=decision,
        gate=gate_result(decision, summary, request, canaries),
        short_of_coverage=request.gate is not None and coverage_below_floor(decision, summary),
        incomplete=incomplete,
        canaries=canaries,
        info=run_info(
            run,
            folder,
            notes=run_notes(run, stop_reason if incomplete else "", canaries) + address_notes(run, summary),
            disagreements=differing.largest(),
            canaries=canaries,
            next_command=next_command(run, request, limited="cost limit" in stop_reason) if incomplete else "",
        ),
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


def header(run: Run, session: LangfuseSession | None = None) -> RunHeader:
    """What all lines of results.jsonl share; with the traces that were really sent, where a session sent them."""
    spec = run.spec
    return RunHeader(
        run_id=run.run_id,
        suite=spec.suite,
        prompt=spec.prompt,
        model=spec.answerer,
        parameters=spec.parameters,
        scenarios={scenario.id: scenario for scenario in run.scenarios},
        trace_ids={} if session is None else session.trace_ids(run.run_id),
    )


def run_info(
    run: Run,
    folder: Path,
    notes: tuple[str, ...] = (),
    next_command: str = "",
    disagreements: tuple[Disagreement, ...] = (),
    canaries: CanaryReport | None = None,
) -> RunInfo:
    """What the reports say of a run besides its figures."""
    spec = run.spec
    prompt = spec.prompt
    return RunInfo(
        prompt="" if prompt is None else prompt.title,
        prompt_source="" if prompt is None else prompt.source,
        model=spec.answerer,
        judge_model=None if spec.judge is None else spec.judge.model,
        directory=str(folder),
        files=(*RUN_FILES, *(("disagreements.jsonl",) if "combined" in planned_sources(run) else ())),
        scenarios=len(run.scenarios),
        repeats=spec.repeats,
        rehearsal=run.spec.embedded,
        application=spec.endpoint if run.of_application else "",
        sample=run.of_application and run.spec.embedded,
        rehearsal_judge=spec.judge is not None and spec.judge.endpoint.startswith(REHEARSAL),
        show=run.suite.show,
        notes=notes,
        next_command=next_command,
        disagreements=disagreements,
        canaries=canaries,
    )
