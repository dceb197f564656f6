"""The evaluation records of a run: taken from the journal, checked one by one, written to files."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from evaluation.eval_records.record import RecordHeader, eval_record
from evaluation.records import Cell, Json, Result
from evaluation.result_line import RunHeader
from evaluation.run import Run
from scripts.run.deliver import evaluated_run
from scripts.shell import note
from services.journal import Journal
from services.journal.outbox import counts
from services.langfuse.cells import OpenCells
from services.record_files import append_new
from services.record_schema import record_problem

FILE = "eval_records.jsonl"
"""In the folder of each run."""


MakeRecord: TypeAlias = Callable[[Result], dict[str, Json] | None]
"""The record of a result; None where there is none to make."""


def append_records(run: Run, head: RunHeader, journal: Journal, path: Path) -> tuple[int, int]:
    """Adds the run's records to a file that holds those of many runs; (how many were new, how many were there)."""
    record_of = checked_record(run, head, journal)
    found = (record_of(result) for result in journal.results(run.run_id, run.scenario_ids))
    return append_new(path, (record for record in found if record is not None), record_problem())


def checked_record(run: Run, head: RunHeader, journal: Journal) -> MakeRecord:
    """Makes records that fit the schema; one that does not is named and left out: the run itself was paid for."""
    problem_of, record_of = record_problem(), run_record(run, head, journal)

    def checked(result: Result) -> dict[str, Json] | None:
        record = record_of(result)
        if record is None:
            return None
        if problem := problem_of(record):
            note(f"no evaluation record of {record['scenario_id']} turn {record['turn']}: {problem}")
            return None
        return record

    return checked


def run_record(run: Run, head: RunHeader, journal: Journal) -> MakeRecord:
    """Makes the records of a run's results; `head` names the traces that they are shown as."""
    record_head = RecordHeader(
        run=head,
        suite=run.suite,
        rubric=run.spec.rubric,
        judge=None if run.spec.judge is None else run.spec.judge.model,
        trace_system="langfuse" if any(counts(journal, run.run_id).values()) else None,
        rehearsal=run.spec.embedded,
    )
    return lambda result: eval_record(result, record_head)


def run_records(run: Run, head: RunHeader, journal: Journal) -> Iterator[dict[str, Json]]:
    """The records of a run, in the order of its files."""
    record_of = run_record(run, head, journal)
    found = (record_of(result) for result in journal.results(run.run_id, run.scenario_ids))
    return (record for record in found if record is not None)


def shown_traces(run: Run, journal: Journal) -> dict[Cell, str]:
    """The trace of each cell that is in Langfuse or on its way there."""
    return {cell: ref.trace_id(run.run_id) for cell, ref in OpenCells.of(evaluated_run(run), journal).shown.items()}
