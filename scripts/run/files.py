"""The files of one run, written from its outcome and one reading of the journal."""

from pathlib import Path

from evaluation.decision.gate import decision_document
from evaluation.outcome import RunOutcome
from evaluation.reports.junit import ScenarioCases, gate_cases, junit_xml
from evaluation.reports.markdown import to_markdown
from evaluation.reports.run import describe_run
from evaluation.result_line import LineHead, result_line
from scripts.run.eval_records import FILE as EVAL_RECORDS
from scripts.run.eval_records import checked_record
from services.journal import Journal
from services.run_folder import jsonl_file, write_documents, write_jsonl
from services.settings import Settings


def write_files(outcome: RunOutcome, journal: Journal, settings: Settings) -> None:
    """The files of one run, all but the manifest, which stands since the start."""
    from scripts.run.pages import page_gathering, run_page  # a page is thought of when a run has ended, not before

    run, summary, decision = outcome.run, outcome.summary, outcome.decision
    folder = Path(outcome.directory)
    head = LineHead(run, {} if outcome.langfuse is None else outcome.langfuse.trace_ids)
    cases = ScenarioCases(run.suite, summary.source, run.scenarios, run.spec.repeats)
    record_of = checked_record(head, journal)
    address = None if outcome.langfuse is None else outcome.langfuse.url
    gathering = page_gathering(outcome, journal, address, head.trace_ids)
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
        "report.html": run_page(outcome, gathering, journal, settings),
    }
    if run.spec.judge is not None:
        write_jsonl(folder / "disagreements.jsonl", (each.to_json() for each in outcome.disagreements))
    write_documents(folder, documents)


def write_report(outcome: RunOutcome, journal: Journal, settings: Settings) -> Path:
    """report.html of a run, written once more from the journal; returns where it lies."""
    from scripts.run.pages import page_gathering, run_page, stored_address

    folder = Path(outcome.directory)
    address = outcome.langfuse.url if outcome.langfuse is not None else stored_address(folder)
    gathering = page_gathering(outcome, journal, address)
    gathering.read()
    write_documents(folder, {"report.html": run_page(outcome, gathering, journal, settings)})
    return folder / "report.html"
