"""The files of runs: what one run leaves, written from its outcome and one reading of the journal, and its pages."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from evaluation.applications.raw import raw_line
from evaluation.delivered import trace_page
from evaluation.errors import UsageError
from evaluation.eval_records.record import eval_record
from evaluation.outcome import RunOutcome
from evaluation.records import CallFailure, Cell, Json, Result
from evaluation.reports.html.gathering import Gathering, Side
from evaluation.reports.html.page import Assets
from evaluation.reports.html.run import PastRun, RunReport, past_run, present_run, run_report
from evaluation.reports.junit import JunitCase, ScenarioCases, critical_cases, gate_cases, junit_xml
from evaluation.reports.markdown import to_markdown
from evaluation.reports.run import describe_run
from evaluation.result_line import LineHead, result_line
from evaluation.run import Run
from evaluation.summary.summary import Summary
from scripts.run.people import people_outrank
from scripts.run.start import manifest_document
from scripts.shell import note
from services.journal import Journal
from services.journal.outbox import counts
from services.langfuse.outbox import OpenCells
from services.record_files import append_new, record_problem
from services.run_folder import jsonl_file, read_json, run_folder, write_documents, write_jsonl
from services.settings import Settings
from services.workspace import read_page_assets

if TYPE_CHECKING:
    from evaluation.comparison.compare import Comparison
    from evaluation.comparison.gate import RegressionResult
    from evaluation.comparison.ranking import Ranking
    from evaluation.comparison.runs import RunScores
    from evaluation.decision.gate import GateResult
    from evaluation.sweep.sweep import Sweep

EVAL_RECORDS = "eval_records.jsonl"
"""The evaluation records, in the folder of each run."""

MakeRecord: TypeAlias = Callable[[Mapping[str, Json], Result], dict[str, Json] | None]
"""The record of a line of results.jsonl and its result; None where there is none to make."""

CALLS = "calls.jsonl"
"""The raw calls to an application, in the folder of a run of which it held the conversations."""
MOST_PAST = 30
"""Runs in a trend."""

LOOKED_AT = 300
"""Runs of the journal, newest first, among which those of the same prompt are looked for."""


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


def begin_page(
    outcome: RunOutcome, journal: Journal, settings: Settings, traces_at: str, head: LineHead
) -> tuple[RunReport, Gathering]:
    """The page of one run but for its results, which the gathering takes in; `traces_at` as `side_of` takes it."""
    run, made = outcome.run, moment(outcome.run.created_at)
    manifest = manifest_document(run)
    past = past_runs(run, journal, settings)
    side = side_of(run, outcome.summary, journal, traces_at, name=outcome.prompt or run.run_id, head=head)
    side = replace(side, as_shown=people_outrank(run, settings))
    report = RunReport(outcome, side, made, manifest, [*past, *present_run(outcome, made)])
    return report, Gathering([side], run.suite, seed=run.spec.seed)


def past_runs(run: Run, journal: Journal, settings: Settings) -> list[PastRun]:
    """Earlier runs of the same suite and prompt name, oldest first, as their decision.json says.

    Without those that were never finished, or whose files are gone.
    """
    prompt, found = run.spec.prompt, list[PastRun]()
    for other in journal.runs(LOOKED_AT, inputs=False) if prompt is not None else ():
        theirs = other.spec.prompt
        if other.created_at >= run.created_at or other.spec.suite != run.spec.suite:
            continue
        if theirs is None or prompt is None or theirs.name != prompt.name:
            continue
        if other.spec.of_production != run.spec.of_production:
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


def page_assets() -> Assets:
    """As shipped."""
    return Assets(*read_page_assets())


def comparison_page(
    result: "Comparison | Ranking",
    runs: Sequence[Run],
    scores: "Sequence[RunScores]",
    candidate: RunOutcome,
    journal: Journal,
    *,
    gate: "RegressionResult | GateResult | None",
    notes: Sequence[str],
) -> str:
    """The page of a comparison or ranking; `runs` with their `scores`, in any one order."""
    from evaluation.comparison.compare import Comparison
    from evaluation.reports.html.comparison import comparison_report

    by_id = {run.run_id: (run, read.summary) for run, read in zip(runs, scores, strict=True)}
    shown = (result.base, result.candidate) if isinstance(result, Comparison) else result.runs
    folders = Path(candidate.directory).parent
    sides = [
        side_of(*by_id[each.run_id], journal, stored_traces_address(folders / each.run_id), name=each.name)
        for each in shown
    ]
    return comparison_report(result, sides, candidate, page_assets(), gate=gate, notes=notes)


def sweep_page(
    result: "Sweep", runs: Mapping[str, Run], journal: Journal, settings: Settings, notes: Sequence[str]
) -> str:
    """The page of a sweep; `runs` by their ids."""
    from evaluation.reports.html.sweep import sweep_report

    sides = []
    for setting in result.settings:
        run = runs[setting.run.run_id]
        traces_at = stored_traces_address(run_folder(settings.runs_dir, run.run_id))
        sides.append(side_of(run, setting.run.summary, journal, traces_at, name=setting.name))
    first = runs[result.settings[0].run.run_id]
    return sweep_report(result, sides, first, page_assets(), notes=notes)


def side_of(
    run: Run, summary: Summary, journal: Journal, traces_at: str, *, name: str, head: LineHead | None = None
) -> Side:
    """A run as a page reads it; its traces are shown at `traces_at`, up to their id, and `head` knows them."""
    head = head or LineHead(run)
    return Side(
        name=name,
        run_id=run.run_id,
        summary=summary,
        scenarios=run.scenarios,
        repeats=run.spec.repeats,
        results=lambda wanted: journal.results(run.run_id, run.scenario_ids, wanted),
        trace_ids={cell: head.trace_of(cell) for cell in run.cells()} if traces_at else {},
        trace_page=traces_at,
    )


def stored_traces_address(folder: Path) -> str:
    """Where Langfuse shows a run's traces, as its summary.json says; empty for a run that it does not hold."""
    try:
        found = read_json(folder / "summary.json")["langfuse"]
        return "" if found is None else trace_page(str(found["url"]))
    except (OSError, ValueError, KeyError, TypeError):
        return ""
