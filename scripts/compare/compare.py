"""A comparison from request to files, written once: runs, scores, result, gate, files. Commands call it."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from evaluation.comparison.compare import Comparison, compare
from evaluation.comparison.ranking import Ranking, rank
from evaluation.comparison.runs import RunScores
from evaluation.errors import UsageError
from evaluation.run import Run
from evaluation.suites import SUITES, Suites
from evaluation.suites.suite import Suite
from scripts.compare.files import ComparisonOutcome, write_comparison
from scripts.compare.gate import exit_code, hold_gate, write_refusal
from scripts.compare.request import ComparisonRequest, decision_request, evaluation_request, regression_rules
from scripts.compare.sides import (
    check_sides,
    find_sides,
    note_incomplete,
    note_runs,
    read_side,
    score_alike,
    usual_terms,
)
from scripts.run.finish import Outcome
from scripts.run.load import check_plays_prompts
from scripts.run.pages import comparison_page
from scripts.run.stored import conclude_run
from scripts.shell import INCOMPLETE
from scripts.workflow import run_evaluation
from services.journal import Journal
from services.settings import Settings, read_settings


def compare_runs(asked: ComparisonRequest, suites: Suites = SUITES) -> ComparisonOutcome:
    """Evaluates what is missing and compares. Raises UsageError, before any call, where the sides may not be."""
    settings = read_settings()
    rules = regression_rules(asked)
    asked = asked if asked.by else replace(asked, by=usual_terms(asked, settings, suites))
    evaluation = None if asked.of_stored_runs else _evaluate(asked, suites)
    if evaluation is not None and (evaluation.estimate is not None or evaluation.stop_reason):
        return ComparisonOutcome(None, None, (), (), evaluation.exit_code, evaluation)
    with Journal.in_folder(settings.runs_dir) as journal:
        evaluated = [] if evaluation is None else [outcome.run for outcome in evaluation.runs]
        sides = find_sides(asked, evaluated, journal, suites)
        runs, scores, result = _compare(asked, sides, journal, settings)
        candidate = conclude_run(runs[-1], journal, settings, decision_request(runs[-1], asked))
        gate = hold_gate(result, candidate, asked, rules)
        incomplete = [
            run
            for run, each in zip(runs, scores, strict=True)
            if each.summary.counts.failed or each.summary.counts.skipped
        ]
        notes = (*note_runs(sides, runs, evaluation, journal), *note_incomplete(incomplete))
        page = comparison_page(result, runs, scores, candidate, journal, gate=gate, notes=notes)
        files = write_comparison(result, gate, candidate, notes, page)
    langfuse_waits = evaluation is not None and evaluation.exit_code == INCOMPLETE
    code = exit_code(gate, result, rules, incomplete=bool(incomplete) or langfuse_waits)
    return ComparisonOutcome(result, gate, notes, files, code, evaluation)


def _evaluate(asked: ComparisonRequest, suites: Suites) -> Outcome:
    """The sides that are prompts, once it is sure that all of them may be compared."""

    def check(planned: Sequence[Run], journal: Journal) -> None:
        check_sides(find_sides(asked, planned, journal, suites), asked)

    check_plays_prompts(asked.run.suite, suites, ", then compare the runs by id")
    return run_evaluation(evaluation_request(asked), suites, check)


def _compare(
    asked: ComparisonRequest, sides: Sequence[Run], journal: Journal, settings: Settings
) -> tuple[list[Run], list[RunScores], Comparison | Ranking]:
    """The runs as they are compared, with their scores and the result."""
    try:
        check_sides(sides, asked)
        runs = asyncio.run(score_alike(sides, asked, journal, settings))
        scores = [read_side(run, asked, journal) for run in runs]
        return runs, scores, _result(scores, runs[0].suite, asked)
    except UsageError as error:
        write_refusal(error, sides[-1], asked, journal, settings)
        raise


def _result(scores: Sequence[RunScores], suite: Suite, asked: ComparisonRequest) -> Comparison | Ranking:
    """Two sides are compared, more are ranked."""
    if len(scores) > 2:
        return rank(scores, suite=suite, by=asked.by, margin=asked.margin, force=asked.force)
    base, candidate = scores
    return compare(
        base, candidate, suite=suite, by=asked.by, margin=asked.margin, force=asked.force, effect=asked.effect
    )
