"""The files of runs: what one run leaves, written from its outcome and one reading of the journal."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.applications.raw import raw_line
from evaluation.outcome import RunOutcome
from evaluation.records import CallFailure, Json, Result
from evaluation.reports.html.run import run_report
from evaluation.reports.junit import JunitCase, ScenarioCases, critical_cases, gate_cases, junit_xml
from evaluation.reports.markdown import to_markdown
from evaluation.reports.run import describe_run
from evaluation.result_line import LineHead, result_line
from evaluation.summary.summary import Summary
from services.journal import Journal
from services.run_folder import jsonl_file, read_json, write_documents, write_jsonl
from services.settings import Settings

if TYPE_CHECKING:
    pass
from scripts.run.eval_records import checked_record
from scripts.run.page import begin_page, page_assets, stored_traces_address

EVAL_RECORDS = "eval_records.jsonl"
"""The evaluation records, in the folder of each run."""
CALLS = "calls.jsonl"
"""The raw calls to an application, in the folder of a run of which it held the conversations."""


def write_files(outcome: RunOutcome, journal: Journal, settings: Settings) -> None:
    """The files of one run, all but the manifest, which stands since the start."""
    run, summary = outcome.run, outcome.summary
    folder = Path(outcome.directory)
    head = LineHead(run, {} if outcome.langfuse is None else outcome.langfuse.trace_ids)
    record_of = checked_record(head, journal)
    traces_at = "" if outcome.langfuse is None else outcome.langfuse.traces_at
    traces_at = traces_at if head.given is None else head.given.traces_at
    report, gathering = begin_page(outcome, journal, settings, traces_at, head)
    cases = ScenarioCases(run.suite, summary.source, run.scenarios, run.spec.repeats)
    with (
        jsonl_file(folder / "results.jsonl") as write_line,
        jsonl_file(folder / EVAL_RECORDS) as write_record,
        jsonl_file(folder / CALLS) if run.converses_with_application else nullcontext(_nowhere) as write_call,
    ):
        for scenario_id, repeat, turn, http in journal.raw_calls(run.run_id):
            write_call(raw_line(scenario_id, repeat, turn, http))
        # One reading of the journal for all of them: it costs as much as the writing.
        results = _responses(journal.all_results(run.run_id, run.scenario_ids), head, write_line)
        for result in gathering.watch(cases.watch(results)):
            line = result_line(result, head)
            write_line(line)
            failed = result.exchange.outcome
            if isinstance(failed, CallFailure) and failed.http is not None:
                cell = result.exchange.cell
                raw = raw_line(cell.scenario_id, cell.repeat, result.exchange.turn, failed.http)
                write_call({**raw, "failure": failed.kind})
            record = record_of(line, result)
            if record is not None:
                write_record(record)
    documents = {
        "summary.json": outcome.to_json(),
        "decision.json": outcome.decision_json(),
        "summary.md": to_markdown(describe_run(outcome)),
        "junit.xml": junit_xml({run.run_id: [*cases.cases(), *_critical(summary), *gate_cases(outcome.gate)]}),
        "report.html": run_report(report, gathering.finish(), page_assets()),
    }
    if run.spec.judge is not None:
        write_jsonl(folder / "disagreements.jsonl", (each.to_json() for each in outcome.disagreements))
    write_documents(folder, documents)


def _nowhere(_line: Json) -> None:
    """Writes nothing: no application answered."""


def _responses(results: Iterable[Result], head: LineHead, write_line: Callable[[Json], None]) -> Iterator[Result]:
    """The results of responses; those of conversations become lines on their way, behind those of their turns."""
    for result in results:
        if result.scope == "conversation":
            write_line(result_line(result, head))
        else:
            yield result


def _critical(summary: Summary) -> list[JunitCase]:
    return [] if summary.expectations is None else critical_cases(summary.suite, summary.expectations.critical)


def write_report(outcome: RunOutcome, journal: Journal, settings: Settings) -> Path:
    """report.html of a run, written once more from the journal; returns where it lies."""
    folder = Path(outcome.directory)
    traces_at = outcome.langfuse.traces_at if outcome.langfuse is not None else stored_traces_address(folder)
    report, gathering = begin_page(outcome, journal, settings, traces_at, LineHead(outcome.run))
    gathering.read()
    write_documents(folder, {"report.html": run_report(report, gathering.finish(), page_assets())})
    return folder / "report.html"


def write_conclusion(outcome: RunOutcome, journal: Journal, settings: Settings) -> Path:
    """report.html of a finished run, and where people labelled its responses since, what follows from their labels.

    That is in summary.json, summary.md and decision.json. What Langfuse confirmed, the time that the run took, and the
    gate of a later comparison stay in them.
    """
    page, folder = write_report(outcome, journal, settings), Path(outcome.directory)
    if outcome.summary.human is None and outcome.mix is None:
        return page
    decision = outcome.decision_json()
    documents = {
        "summary.json": {**outcome.to_json(), **_kept(folder / "summary.json", ("langfuse", "wall_seconds"))},
        "summary.md": to_markdown(describe_run(outcome)),
        "decision.json": {**decision, **_kept(folder / "decision.json", ("gate",))},
    }
    write_documents(folder, documents)
    return page


def _kept(path: Path, names: Sequence[str]) -> dict[str, Json]:
    """The fields of a file that stay as they are; none where it cannot be read."""
    with suppress(OSError, ValueError):
        stored = read_json(path)
        return {name: stored[name] for name in names if stored.get(name) is not None}
    return {}
