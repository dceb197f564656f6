"""The pages of several runs, and a run as any page reads it: gathered from the journal and the files of runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.delivered import trace_page
from evaluation.outcome import RunOutcome
from evaluation.reports.html.gathering import Side
from evaluation.reports.html.page import Assets
from evaluation.result_line import LineHead
from evaluation.run import Run
from evaluation.summary.summary import Summary
from services.catalog import read_page_assets
from services.journal import Journal
from services.run_folder import read_json, run_folder
from services.settings import Settings

if TYPE_CHECKING:
    from evaluation.comparison.compare import Comparison
    from evaluation.comparison.gate import RegressionResult
    from evaluation.comparison.ranking import Ranking
    from evaluation.comparison.runs import RunScores
    from evaluation.decision.gate import GateResult
    from evaluation.sweep.sweep import Sweep


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
        side_of(*by_id[each.run_id], journal, stored_traces_at(folders / each.run_id), name=each.name) for each in shown
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
        traces_at = stored_traces_at(run_folder(settings.runs_dir, run.run_id))
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


def stored_traces_at(folder: Path) -> str:
    """Where Langfuse shows a run's traces, as its summary.json tells; empty for a run that it does not hold."""
    try:
        found = read_json(folder / "summary.json")["langfuse"]
        return "" if found is None else trace_page(str(found["url"]))
    except (OSError, ValueError, KeyError, TypeError):
        return ""
