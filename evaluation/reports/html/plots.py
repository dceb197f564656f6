"""The pictures that stand beside tables: which of them a page has, and what its templates draw them from."""

from collections.abc import Sequence

from evaluation.comparison.compare import Comparison
from evaluation.comparison.ranking import Ranking
from evaluation.records import Json
from evaluation.reports.html import repeats
from evaluation.reports.html.calibration_plot import run_plots
from evaluation.reports.html.cost_quality import cost_plot
from evaluation.reports.html.gathering import Gathered
from evaluation.reports.html.matrix import MOST, MOST_PLAIN, matrix_data, matrix_rows
from evaluation.reports.html.repeats import repeat_strip
from evaluation.reports.html.spreads import spreads_of
from evaluation.reports.html.trajectories import trajectory_plots
from evaluation.suites.suite import Suite
from evaluation.summary.summary import Summary


def plots_of_run(gathered: Gathered, summary: Summary, suite: Suite) -> dict[str, object]:
    """The values of the pictures of one run."""
    rated = {} if summary.human is None else summary.human.reliability
    return {
        "trajectories": trajectory_plots(gathered.readings, suite.scale(summary.source)),
        "repeats": repeat_strip(gathered.readings[-1], suite.scale(summary.source)),
        "repeating": repeats,
        "calibration_plots": run_plots(rated, suite),
    }


def plots_of_sides(result: Comparison | Ranking, gathered: Gathered, suite: Suite) -> dict[str, object]:
    """The values of the pictures of several runs."""
    found = spreads_of(gathered.readings)
    rows = matrix_rows(gathered.readings, suite)
    scale = suite.scale(result.source)
    return {
        "spreads": found,
        "spread_sources": list(dict.fromkeys(each.source for each in found)),
        "trajectories": trajectory_plots(gathered.readings, scale),
        "costs": cost_plot(result, scale) if isinstance(result, Ranking) else None,
        "matrix": rows,
        "matrix_metric": suite.overall,
        "own_judge": result.base.name if isinstance(result, Comparison) and result.carried is not None else "",
        "matrix_rule": suite.decision is not None,
        "matrix_planned": max(len(each.side.scenarios) for each in gathered.readings),
        "most_matrix": MOST,
        "most_plain": MOST_PLAIN,
    }


def data_of_sides(gathered: Gathered, values: dict[str, object]) -> dict[str, Json]:
    """The page's data with the rows of the matrix."""
    rows = values["matrix"]
    assert isinstance(rows, Sequence)
    return {**gathered.data, "matrix": matrix_data(rows, gathered)}
