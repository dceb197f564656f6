"""The pages of runs, of one or of several, and the address of what they show of Langfuse."""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.delivered import trace_page
from evaluation.errors import UsageError
from evaluation.outcome import RunOutcome
from evaluation.reports.html.gathering import Gathering, Side
from evaluation.reports.html.page import Assets
from evaluation.reports.html.run import PastRun, RunReport, past_run, present_run
from evaluation.result_line import LineHead
from evaluation.run import Run
from evaluation.summary.summary import Summary
from scripts.run.people import people_outrank
from scripts.run.start import manifest_document
from services.journal import Journal
from services.run_folder import read_json, run_folder
from services.settings import Settings
from services.workspace import read_page_assets

if TYPE_CHECKING:
    from evaluation.comparison.compare import Comparison
    from evaluation.comparison.gate import RegressionResult
    from evaluation.comparison.ranking import Ranking
    from evaluation.comparison.runs import RunScores
    from evaluation.decision.gate import GateResult
    from evaluation.sweep.sweep import Sweep


MOST_PAST = 30
"""Runs in a trend."""
LOOKED_AT = 300
"""Runs of the journal, newest first, among which those of the same prompt are looked for."""


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
