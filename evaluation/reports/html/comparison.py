"""comparison.html: is the candidate better, by how much, how sure is that, and every response side by side."""

from collections.abc import Sequence
from dataclasses import replace

from evaluation.comparison.compare import Comparison
from evaluation.comparison.gate import RegressionResult
from evaluation.comparison.ranking import Ranking
from evaluation.comparison.runs import RunScores
from evaluation.decision.first_line import FirstLine, first_line
from evaluation.decision.gate import GateResult
from evaluation.outcome import RunOutcome
from evaluation.reports import comparison as comparing
from evaluation.reports import differences, ranking
from evaluation.reports import head_to_head as pairing
from evaluation.reports import item_changes as changing
from evaluation.reports.how_sure import statistics
from evaluation.reports.html.changes import changes_of, steps_of
from evaluation.reports.html.cost_quality import cost_plot
from evaluation.reports.html.figures import HEAT_STEPS, Axis, around_zero, difference_axis
from evaluation.reports.html.gathering import Side, gather
from evaluation.reports.html.judging import of_pairs
from evaluation.reports.html.leads import Leads
from evaluation.reports.html.matrix import MOST, MOST_PLAIN, matrix_data, matrix_rows
from evaluation.reports.html.page import Assets, render
from evaluation.reports.html.spreads import spreads_of
from evaluation.reports.html.trajectories import trajectory_plots
from evaluation.suites.suite import Suite

MOST_PAIRS = 200
"""Pairs of answers that a page shows side by side."""
ANSWERS = {
    "better": "Yes: better",
    "worse": "No: worse",
    "equivalent": "No: equivalent",
    "inconclusive": "Cannot be decided",
}
"""To the question whether a candidate is better than its base."""


def comparison_report(
    result: Comparison | Ranking,
    sides: Sequence[Side],
    candidate: RunOutcome,
    assets: Assets,
    *,
    gate: RegressionResult | GateResult | None = None,
    notes: Sequence[str] = (),
) -> str:
    """The whole page, of two runs or of a ranking; `sides` are in the order of the result."""
    run = candidate.run
    gathered = gather(sides, run.suite, seed=run.spec.seed)
    specific = _two(result) if isinstance(result, Comparison) else _many(result, run.suite)
    spreads, matrix = spreads_of(gathered.readings), matrix_rows(gathered.readings, run.suite)
    values = {
        "sides": sides,
        "result": result,
        "sense": comparing.sense(result) or "unknown" if isinstance(result, Comparison) else "none",
        "rehearsal": result.rehearsal,
        "banners": comparing.banners(_runs(result), result.forced),
        "gate": gate,
        "notes": notes,
        "decided": next(side.name for side in sides if side.run_id == run.run_id),
        "alone": "; ".join(filter(None, (candidate.decision.headline, candidate.decision.aside))),
        "selection": gathered.held,
        "leads": Leads(gathered.data),
        "specs": [(side.name, each.spec) for side, each in zip(sides, _runs(result), strict=True)],
        "judges": _judges(result),
        **specific,
        "spreads": spreads,
        "spread_sources": list(dict.fromkeys(each.source for each in spreads)),
        "trajectories": trajectory_plots(gathered.readings, run.suite.scale(result.source)),
        "matrix": matrix,
        "matrix_metric": run.suite.overall,
        "own_judge": result.base.name if isinstance(result, Comparison) and result.carried is not None else "",
        "matrix_rule": run.suite.decision is not None,
        "matrix_planned": max(len(side.scenarios) for side in sides),
        "most_matrix": MOST,
        "most_plain": MOST_PLAIN,
    }
    template = "comparison.html.j2" if isinstance(result, Comparison) else "ranking.html.j2"
    judging = None if isinstance(result, Ranking) else of_pairs(result, run.suite)
    data = {**gathered.data, "matrix": matrix_data(matrix, gathered), "judging": judging}
    return render(assets, template, values, data)


def _runs(result: Comparison | Ranking) -> Sequence[RunScores]:
    return (result.base, result.candidate) if isinstance(result, Comparison) else result.runs


def _judges(result: Comparison | Ranking) -> dict[str, str]:
    """Name of a side -> its judge in words, where a bridge lies between two; others go by their models."""
    if isinstance(result, Ranking) or result.carried is None:
        return {}
    return {result.base.name: result.carried.before, result.candidate.name: result.carried.now}


def _two(result: Comparison) -> dict[str, object]:
    duel, names = result.head_to_head, (result.base.name, result.candidate.name)
    cells = result.categories
    tested = list(dict.fromkeys((cell.row.source, cell.row.metric) for cell in cells))
    reach = around_zero([cell.row.estimate.difference or 0.0 for cell in cells])
    return {
        "title": f"{result.candidate.name} against {result.base.name}",
        "changing": changing,
        "answer": answer(result),
        "sentence": comparing.headline(result),
        "reasons_": list(comparing.details(result)),
        "statistics": statistics(result),
        "changes": [found] if (found := changes_of(result)) else [],
        "items": result.items,
        "pairing": pairing,
        "duel": result.head_to_head,
        "duel_lines": [] if duel is None else list(pairing.head_to_head_lines(duel, *names)),
        "duel_pairs": [] if duel is None else duel.worst_first()[:MOST_PAIRS],
        "items_lines": [] if result.items is None else list(changing.describe_items(result.items)),
        "sources": differences.ordered_sources(result),
        "axes": {source: difference_axis(table.values()) for source, table in result.metrics.items()},
        "tested": {
            source: list(differences.describe_tests(table.values(), result.overall))
            for source, table in result.metrics.items()
        },
        "categories": list(dict.fromkeys(cell.category for cell in cells)),
        "category_columns": tested,
        "cells": {(cell.category, cell.row.source, cell.row.metric): cell for cell in cells},
        "heat": lambda difference: round(HEAT_STEPS * reach.share(difference)),
    }


def answer(result: Comparison) -> str:
    """The first line as an answer; of a scripted stand-in, which answers nothing, how a verdict looks."""
    said = ANSWERS.get(result.verdict or "", "")
    said = said.rpartition(": ")[2].capitalize() if result.rehearsal else said
    if comparing.sense(result) == "held_back" and result.line("").code == "held_back":
        return "Held back"
    line = first_line(replace(result.standing, about=""), FirstLine(result.verdict or "", said))
    return line.text if line.code == result.verdict else line.text.capitalize()


def _many(result: Ranking, suite: Suite) -> dict[str, object]:
    return {
        "title": f"{len(result.runs)} runs",
        "answer": "Ranking",
        "changes": steps_of(result),
        "sentence": ranking.ranking_headline(result),
        "reasons_": ranking.ranking_details(result),
        "statistics": [],
        "axis": Axis(*suite.scale(result.source)),
        "pair_axis": difference_axis([pair.row for pair in result.pairs]),
        "pair_line": ranking.pair_test_line(result),
        "costs": cost_plot(result, suite.scale(result.source)),
    }
