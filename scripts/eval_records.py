"""The evaluation records of a run: taken from the journal, checked one by one, written to files."""

from collections.abc import Iterator
from pathlib import Path

from evaluation.eval_records.record import RecordHeader, eval_record
from evaluation.lines import RunHeader
from evaluation.records import Cell, Json
from scripts.delivering import evaluated_run
from scripts.planning import PlannedRun
from scripts.shell import note
from services.journal import Journal
from services.journal.outbox import counts
from services.langfuse.cells import OpenCells
from services.record_files import append_new
from services.record_schema import record_problem
from services.run_folder import write_jsonl

FILE = "eval_records.jsonl"
"""In the folder of each run."""


def write_records(run: PlannedRun, head: RunHeader, journal: Journal, folder: Path) -> int:
    """The run's records in its folder, written anew; how many."""
    return write_jsonl(folder / FILE, checked_records(run, head, journal))


def append_records(run: PlannedRun, head: RunHeader, journal: Journal, path: Path) -> tuple[int, int]:
    """Adds the run's records to a file that holds those of many runs; (how many were new, how many were there)."""
    return append_new(path, checked_records(run, head, journal), record_problem())


def checked_records(run: PlannedRun, head: RunHeader, journal: Journal) -> Iterator[dict[str, Json]]:
    """Every record that fits the schema; one that does not is named and left out: the run itself was paid for."""
    problem_of = record_problem()
    for record in run_records(run, head, journal):
        if problem := problem_of(record):
            note(f"no evaluation record of {record['scenario_id']} turn {record['turn']}: {problem}")
        else:
            yield record


def run_records(run: PlannedRun, head: RunHeader, journal: Journal) -> Iterator[dict[str, Json]]:
    """The records of a run's results; `head` names the traces that they are shown as."""
    record_head = RecordHeader(
        run=head,
        suite=run.suite,
        rubric=run.spec.rubric,
        judge=None if run.spec.judge is None else run.spec.judge.model,
        trace_system="langfuse" if any(counts(journal.reader, run.run_id).values()) else None,
        rehearsal=run.rehearsal,
    )
    for result in journal.results(run.run_id, run.scenario_ids):
        record = eval_record(result, record_head)
        if record is not None:
            yield record


def shown_traces(run: PlannedRun, journal: Journal) -> dict[Cell, str]:
    """The trace of each cell that is in Langfuse or on its way there."""
    return {cell: ref.trace_id(run.run_id) for cell, ref in OpenCells.of(evaluated_run(run), journal).shown.items()}
