"""The evaluation records of runs: made of their results, beside the run or added to a file of many runs."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from evaluation.eval_records.record import eval_record
from evaluation.records import Cell, Json, Result
from evaluation.result_line import LineHead, result_line
from evaluation.run import Run
from scripts.shell import note
from services.journal import Journal
from services.journal.outbox import counts
from services.langfuse.outbox import OpenCells
from services.record_files import append_new, record_problem

if TYPE_CHECKING:
    pass


MakeRecord: TypeAlias = Callable[[Mapping[str, Json], Result], dict[str, Json] | None]
"""The record of a line of results.jsonl and its result; None where there is none to make."""


def append_records(run: Run, journal: Journal, path: Path) -> tuple[int, int]:
    """Adds the run's records to a file that holds those of many runs; (how many were new, how many were there)."""
    head = LineHead(run, shown_traces(run, journal))
    return append_new(path, _records(head, checked_record(head, journal), journal))


def run_records(run: Run, journal: Journal) -> Iterator[dict[str, Json]]:
    """The records of a run, in the order of its files."""
    head = LineHead(run, shown_traces(run, journal))
    return _records(head, record_maker(head, journal), journal)


def checked_record(head: LineHead, journal: Journal) -> MakeRecord:
    """Makes records that fit the schema; one that does not is named and left out: the run itself was paid for."""
    record_of = record_maker(head, journal)

    def check(line: Mapping[str, Json], result: Result) -> dict[str, Json] | None:
        record = record_of(line, result)
        if record is not None and (problem := record_problem(record)):
            note(f"no evaluation record of {record['scenario_id']} turn {record['turn']}: {problem}")
            return None
        return record

    return check


def record_maker(head: LineHead, journal: Journal) -> MakeRecord:
    """Makes the records of a run's results."""
    there = head.given is not None or any(counts(journal, head.run.run_id).values())
    trace_system = "langfuse" if there else None
    return lambda line, result: eval_record(line, result, head, trace_system)


def _records(head: LineHead, record_of: MakeRecord, journal: Journal) -> Iterator[dict[str, Json]]:
    for result in journal.results(head.run.run_id, head.run.scenario_ids):
        record = record_of(result_line(result, head), result)
        if record is not None:
            yield record


def shown_traces(run: Run, journal: Journal) -> dict[Cell, str]:
    """The trace of each cell that is in Langfuse or on its way there."""
    return OpenCells(run, journal).trace_ids()
