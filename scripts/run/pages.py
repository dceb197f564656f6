"""report.html and comparison.html: what the pages are built from, gathered from the journal and the files of runs."""

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.decision.gate import StoredDecision
from evaluation.errors import UsageError
from evaluation.identity import trace_id
from evaluation.outcome import RunOutcome
from evaluation.records import Cell
from evaluation.reports.html.gathering import Gathering, Side
from evaluation.reports.html.page import Assets
from evaluation.reports.html.run import PastRun, RunReport, run_report
from evaluation.run import Run
from evaluation.runspec import differences
from evaluation.summary.summary import Summary
from scripts.run.start import manifest_document
from services.catalog import read_page_assets
from services.journal import Journal, StoredRun
from services.langfuse.preflight import trace_page
from services.run_folder import read_json, run_folder
from services.settings import Settings

if TYPE_CHECKING:
    from evaluation.comparison.compare import Comparison
    from evaluation.comparison.gate import RegressionResult
    from evaluation.comparison.ranking import Ranking
    from evaluation.comparison.runs import RunScores
    from evaluation.decision.gate import GateResult
    from evaluation.sweep.sweep import Sweep

COMPARES = ("prompt", "repeats", "seed")
"""Parts in which runs of a trend may differ and be compared all the same: more repeats narrow the interval alone."""
MOST_PAST = 30
"""Runs in a trend."""
LOOKED_AT = 300
"""Runs of the journal, newest first, among which those of the same prompt are looked for."""


def page_gathering(
    outcome: RunOutcome, journal: Journal, address: str | None, traces: Mapping[Cell, str] | None = None
) -> Gathering:
    """The gathering that takes in the results for the page of one run; `address` is where Langfuse shows it.

    `traces` are those that are not named as their cell gives (see `LineHead`).
    """
    run = outcome.run
    name = outcome.prompt or run.run_id
    side = side_of(run, outcome.summary, journal, address, name=name, traces=traces)
    return Gathering([side], run.suite, seed=run.spec.seed)


def run_page(outcome: RunOutcome, gathering: Gathering, journal: Journal, settings: Settings) -> str:
    """The page of one run, whose results were all taken in."""
    run = outcome.run
    report = RunReport(
        outcome=outcome,
        side=gathering.sides[0],
        made=moment(run.created_at),
        manifest=manifest_document(run),
        past=[*past_runs(run, journal, settings), *present_run(outcome)],
    )
    return run_report(report, gathering.finish(), page_assets())


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
    from evaluation.reports.html.comparison import ComparisonReport, comparison_report

    by_id = {run.run_id: (run, read.summary) for run, read in zip(runs, scores, strict=True)}
    shown = (result.base, result.candidate) if isinstance(result, Comparison) else result.runs
    folders = Path(candidate.directory).parent
    sides = [
        side_of(*by_id[each.run_id], journal, stored_address(folders / each.run_id), name=each.name) for each in shown
    ]
    report = ComparisonReport(
        result=result,
        sides=sides,
        suite=candidate.run.suite,
        decision=candidate.decision,
        decided=next(each.name for each in shown if each.run_id == candidate.run.run_id),
        seed=candidate.run.spec.seed,
        gate=gate,
        notes=notes,
    )
    return comparison_report(report, page_assets())


def sweep_page(
    result: "Sweep", runs: Mapping[str, Run], journal: Journal, settings: Settings, notes: Sequence[str]
) -> str:
    """The page of a sweep; `runs` by their ids."""
    from evaluation.reports.html.sweep import SweepReport, sweep_report

    sides = []
    for setting in result.settings:
        run = runs[setting.run.run_id]
        address = stored_address(run_folder(settings.runs_dir, run.run_id))
        sides.append(side_of(run, setting.run.summary, journal, address, name=setting.name))
    first = runs[result.settings[0].run.run_id]
    report = SweepReport(result=result, sides=sides, suite=first.suite, seed=first.spec.seed, notes=notes)
    return sweep_report(report, page_assets())


def side_of(
    run: Run,
    summary: Summary,
    journal: Journal,
    address: str | None,
    *,
    name: str,
    traces: Mapping[Cell, str] | None = None,
) -> Side:
    """A run as a page reads it; `address` is where Langfuse shows it."""
    page = trace_page(address)
    return Side(
        name=name,
        run_id=run.run_id,
        summary=summary,
        scenarios=run.scenarios,
        repeats=run.spec.repeats,
        results=lambda wanted: journal.results(run.run_id, run.scenario_ids, wanted),
        trace_ids=trace_ids(run, traces or {}) if page else {},
        trace_page=page,
    )


def trace_ids(run: Run, traces: Mapping[Cell, str]) -> dict[Cell, str]:
    """Every cell's trace."""
    cells = (Cell(scenario.id, repeat) for scenario in run.scenarios for repeat in range(1, run.spec.repeats + 1))
    return {cell: traces.get(cell) or trace_id(run.run_id, cell.scenario_id, cell.repeat) for cell in cells}


def stored_address(folder: Path) -> str | None:
    """Where Langfuse shows a run, as its summary.json tells; None for a run that it does not hold."""
    try:
        found = read_json(folder / "summary.json")["langfuse"]
        return None if found is None else str(found["url"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def past_runs(run: Run, journal: Journal, settings: Settings) -> list[PastRun]:
    """Earlier runs of the same suite and prompt name, oldest first, as their decision.json tells."""
    prompt = run.spec.prompt
    if prompt is None:
        return []
    found: list[PastRun] = []
    for other in journal.runs(LOOKED_AT, inputs=False):
        theirs = other.spec.prompt
        if theirs is None or (theirs.name, other.spec.suite) != (prompt.name, run.spec.suite):
            continue
        if other.created_at < run.created_at:
            found.extend(_past_run(other, run, settings))
        if len(found) == MOST_PAST:
            break
    return found[::-1]


def present_run(outcome: RunOutcome) -> Iterable[PastRun]:
    """The run itself, where it has a mean."""
    run, summary = outcome.run, outcome.summary
    deciding = summary.deciding()
    if deciding is None or deciding.estimate.mean is None:
        return
    found = deciding.estimate
    assert found.mean is not None
    yield PastRun(
        run_id=run.run_id,
        day=moment(run.created_at),
        version=_version(run),
        mean=found.mean,
        ci95=found.ci95,
        n=found.n,
        clusters=found.clusters,
        source=summary.source,
        verdict=outcome.decision.verdict,
        present=True,
    )


def _past_run(other: StoredRun, run: Run, settings: Settings) -> Iterable[PastRun]:
    """Nothing for a run that was never finished, or whose files are gone."""
    try:
        path = run_folder(settings.runs_dir, other.run_id) / "decision.json"
        decision = StoredDecision.model_validate(read_json(path))
        overall = decision.overall
        if overall is None or overall.mean is None:
            return
        yield PastRun(
            run_id=other.run_id,
            day=moment(other.created_at),
            version=_version(other),
            mean=overall.mean,
            ci95=overall.ci95,
            n=overall.n,
            clusters=overall.clusters,
            source=decision.source,
            verdict=decision.verdict,
            others=tuple(part for part in differences(run.spec, other.spec) if part not in COMPARES),
        )
    except (OSError, ValueError, UsageError):
        return


def _version(record: Run | StoredRun) -> str:
    return "" if record.spec.prompt is None else record.spec.prompt.short_title


def moment(created_at: float) -> str:
    """Seconds since the epoch as people read them."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(created_at))
