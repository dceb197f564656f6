"""The files of one run, written from its outcome and one reading of the journal."""

import time
from contextlib import suppress
from pathlib import Path

from evaluation.decision.gate import decision_document
from evaluation.errors import UsageError
from evaluation.outcome import RunOutcome
from evaluation.reports.html.gathering import Gathering
from evaluation.reports.html.run import PastRun, RunReport, past_run, present_run, run_report
from evaluation.reports.junit import ScenarioCases, gate_cases, junit_xml
from evaluation.reports.markdown import to_markdown
from evaluation.reports.run import describe_run
from evaluation.result_line import LineHead, result_line
from evaluation.run import Run
from scripts.run.eval_records import FILE as EVAL_RECORDS
from scripts.run.eval_records import checked_record
from scripts.run.pages import page_assets, side_of, stored_traces_at
from scripts.run.start import manifest_document
from services.journal import Journal
from services.run_folder import jsonl_file, read_json, run_folder, write_documents, write_jsonl
from services.settings import Settings

MOST_PAST = 30
"""Runs in a trend."""
LOOKED_AT = 300
"""Runs of the journal, newest first, among which those of the same prompt are looked for."""


def write_files(outcome: RunOutcome, journal: Journal, settings: Settings) -> None:
    """The files of one run, all but the manifest, which stands since the start."""
    run, summary, decision = outcome.run, outcome.summary, outcome.decision
    folder = Path(outcome.directory)
    head = LineHead(run, {} if outcome.langfuse is None else outcome.langfuse.trace_ids)
    record_of = checked_record(head, journal)
    traces_at = "" if outcome.langfuse is None else outcome.langfuse.traces_at
    report, gathering = begin_page(outcome, journal, settings, traces_at, head)
    cases = ScenarioCases(run.suite, summary.source, run.scenarios, run.spec.repeats)
    with (
        jsonl_file(folder / "results.jsonl") as write_line,
        jsonl_file(folder / EVAL_RECORDS) as write_record,
    ):
        # One reading of the journal for all of them: it costs as much as the writing.
        for result in gathering.watch(cases.watch(journal.results(run.run_id, run.scenario_ids))):
            line = result_line(result, head)
            write_line(line)
            record = record_of(line, result)
            if record is not None:
                write_record(record)
    langfuse = None if outcome.langfuse is None else outcome.langfuse.to_json()
    canaries = None if outcome.canaries is None else outcome.canaries.to_json()
    documents = {
        "summary.json": summary.to_json(decision=decision.in_summary(), langfuse=langfuse, canaries=canaries),
        "decision.json": decision_document(decision, summary, outcome.gate),
        "summary.md": to_markdown(describe_run(outcome)),
        "junit.xml": junit_xml({run.run_id: [*cases.cases(), *gate_cases(outcome.gate)]}),
        "report.html": run_report(report, gathering.finish(), page_assets()),
    }
    if run.spec.judge is not None:
        write_jsonl(folder / "disagreements.jsonl", (each.to_json() for each in outcome.disagreements))
    write_documents(folder, documents)


def write_report(outcome: RunOutcome, journal: Journal, settings: Settings) -> Path:
    """report.html of a run, written once more from the journal; returns where it lies."""
    folder = Path(outcome.directory)
    traces_at = outcome.langfuse.traces_at if outcome.langfuse is not None else stored_traces_at(folder)
    report, gathering = begin_page(outcome, journal, settings, traces_at, LineHead(outcome.run))
    gathering.read()
    write_documents(folder, {"report.html": run_report(report, gathering.finish(), page_assets())})
    return folder / "report.html"


def begin_page(
    outcome: RunOutcome, journal: Journal, settings: Settings, traces_at: str, head: LineHead
) -> tuple[RunReport, Gathering]:
    """The page of one run but for its results, which the gathering takes in; `traces_at` as `side_of` takes it."""
    run, made = outcome.run, moment(outcome.run.created_at)
    manifest = manifest_document(run)
    past = past_runs(run, journal, settings)
    side = side_of(run, outcome.summary, journal, traces_at, name=outcome.prompt or run.run_id, head=head)
    report = RunReport(outcome, side, made, manifest, [*past, *present_run(outcome, made)])
    return report, Gathering([side], run.suite, seed=run.spec.seed)


def past_runs(run: Run, journal: Journal, settings: Settings) -> list[PastRun]:
    """Earlier runs of the same suite and prompt name, oldest first, as their decision.json tells.

    Without those that were never finished, or whose files are gone.
    """
    prompt, found = run.spec.prompt, list[PastRun]()
    for other in journal.runs(LOOKED_AT, inputs=False) if prompt is not None else ():
        theirs = other.spec.prompt
        if other.created_at >= run.created_at or other.spec.suite != run.spec.suite:
            continue
        if theirs is None or prompt is None or theirs.name != prompt.name:
            continue
        with suppress(OSError, ValueError, UsageError):
            decision = read_json(run_folder(settings.runs_dir, other.run_id) / "decision.json")
            past = past_run(run, moment(other.created_at), other.spec, decision)
            found += past
        if len(found) == MOST_PAST:
            break
    return found[::-1]


def moment(created_at: float) -> str:
    """Seconds since the epoch as people read them."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(created_at))
