"""The files of one run, written from its outcome and one reading of the journal."""

from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.decision.gate import decision_document
from evaluation.outcome import RunOutcome
from evaluation.reports.markdown import to_markdown
from evaluation.reports.run.document import describe_run
from evaluation.reports.run.junit import ScenarioCases, gate_cases, junit_xml
from evaluation.result_line import LineHead, result_line
from scripts.run.eval_records import FILE as EVAL_RECORDS
from scripts.run.eval_records import checked_record
from services.journal import Journal
from services.langfuse.session import LangfuseSession
from services.run_folder import jsonl_file, write_json, write_jsonl, write_text
from services.settings import Settings

if TYPE_CHECKING:
    from evaluation.reports.html.gathering import Gathering


def write_files(
    outcome: RunOutcome, journal: Journal, settings: Settings, session: LangfuseSession | None = None
) -> None:
    """The files of one run, all but the manifest, which stands since the start."""
    from scripts.run.pages import page_gathering  # a page is thought of when a run has ended, not before

    run, summary, decision = outcome.run, outcome.summary, outcome.decision
    folder = Path(outcome.directory)
    head = LineHead(run, {} if session is None else session.trace_ids(run.run_id))
    cases = ScenarioCases(run.suite, summary.source, run.scenarios, run.spec.repeats)
    record_of = checked_record(head, journal)
    address = None if outcome.langfuse is None else outcome.langfuse.url
    gathering = page_gathering(outcome, journal, address, head.trace_ids)
    with (
        jsonl_file(folder / "results.jsonl") as write_line,
        jsonl_file(folder / EVAL_RECORDS) as write_record,
    ):
        # One reading of the journal for all of them: it costs as much as the writing.
        for result in gathering.watched(cases.watched(journal.results(run.run_id, run.scenario_ids))):
            line = result_line(result, head)
            write_line(line)
            record = record_of(line, result)
            if record is not None:
                write_record(record)
    langfuse = None if outcome.langfuse is None else outcome.langfuse.to_json()
    canaries = None if outcome.canaries is None else outcome.canaries.to_json()
    document = summary.to_json(decision=decision.in_summary(), langfuse=langfuse, canaries=canaries)
    write_json(folder / "summary.json", document)
    if run.spec.judge is not None:
        differing = (each.to_json() for each in outcome.disagreements)
        write_jsonl(folder / "disagreements.jsonl", differing)
    write_json(folder / "decision.json", decision_document(decision, summary, outcome.gate))
    write_text(folder / "summary.md", to_markdown(describe_run(outcome)))
    write_text(folder / "junit.xml", junit_xml({run.run_id: [*cases.cases(), *gate_cases(outcome.gate)]}))
    _write_page(outcome, gathering, journal, settings)


def write_report(outcome: RunOutcome, journal: Journal, settings: Settings) -> Path:
    """Writes report.html of a run, again at each call; returns where it lies."""
    from scripts.run.pages import page_gathering, stored_address

    address = outcome.langfuse.url if outcome.langfuse is not None else stored_address(Path(outcome.directory))
    gathering = page_gathering(outcome, journal, address)
    gathering.read()
    return _write_page(outcome, gathering, journal, settings)


def _write_page(outcome: RunOutcome, gathering: "Gathering", journal: Journal, settings: Settings) -> Path:
    """report.html of the results that were taken in; returns where it lies."""
    from scripts.run.pages import run_page

    path = Path(outcome.directory) / "report.html"
    write_text(path, run_page(outcome, gathering, journal, settings))
    return path
