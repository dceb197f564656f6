"""A comparison from references to its report: what is missing is evaluated, all sides in one interleaved pass."""

import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from evaluation.comparison import Comparison, compare
from evaluation.comparison_document import comparison_document, ranking_document
from evaluation.comparison_gate import RegressionResult, no_regression
from evaluation.comparison_ranking import Ranking, rank
from evaluation.comparison_rules import RegressionRules, parse_regression_rules
from evaluation.comparison_runs import RunScores, read_run
from evaluation.comparison_terms import checked, terms
from evaluation.errors import UsageError
from evaluation.gate import GateResult, decision_document
from evaluation.records import Json
from evaluation.reports.comparison_markdown import comparison_markdown, ranking_markdown
from evaluation.reports.comparison_terminal import render_comparison, render_ranking
from evaluation.reports.comparison_wording import headline, ranking_headline
from evaluation.suites import SUITES, Suites
from scripts.arguments import LIMITS, EvaluationRequest
from scripts.finishing import conclude, planned_sources
from scripts.planning import PlannedRun, stored_request, stored_run
from scripts.printing import use_color
from scripts.shell import DONE, GATE_FAILED, INCOMPLETE
from scripts.workflow import Outcome, run_evaluation
from services.catalog import read_rules
from services.journal import Journal
from services.run_folder import run_folder, write_json, write_text
from services.settings import Settings, read_settings

RUN_ID = re.compile(r"\d{8}T\d{6}Z-[a-z0-9-]+")
"""How a reference to a stored run is told from a prompt."""
VARIABLE = {"model": str, "temperature": float, "max_tokens": int}
"""What --values may vary, and what a value is."""


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """What was asked for."""

    references: tuple[str, ...]
    """Prompts or run ids; the first is the base."""
    by: tuple[str, ...]
    values: tuple[str, ...]
    """Of the one part in `by`: every prompt is evaluated with each."""
    run: EvaluationRequest
    reuse_days: float | None
    margin: float
    effect: float | None
    force: bool
    gate: str | None
    rules: str | None


@dataclass(frozen=True, slots=True)
class ComparisonOutcome:
    """What is printed, and the exit code."""

    result: Comparison | Ranking | None
    """None when the evaluation that it needs was only estimated (--dry-run)."""
    gate: RegressionResult | GateResult | None
    notes: tuple[str, ...]
    files: tuple[str, ...]
    exit_code: int
    evaluation: Outcome | None


def compare_runs(asked: ComparisonRequest, suites: Suites = SUITES) -> ComparisonOutcome:
    """Evaluates what is missing and compares. Raises UsageError where the sides may not be compared."""
    settings = read_settings()
    rules = regression_rules(asked)
    evaluation = None
    if not all(RUN_ID.fullmatch(reference) for reference in asked.references):
        evaluation = run_evaluation(evaluation_request(asked), suites)
        if evaluation.estimate is not None or evaluation.stop_reason:
            return ComparisonOutcome(None, None, (), (), evaluation.exit_code, evaluation)
    with Journal.open(settings.runs_dir / "evals.db") as journal:
        runs = sides(asked, evaluation, journal, suites)
        check_terms(runs, asked)
        scores = [scores_of(run, asked, journal) for run in runs]
        notes = reuse_notes(runs, evaluation)
        result = compared(scores, runs, asked)
        gate = gated(result, runs[-1], asked, rules, journal, settings)
        files = write_comparison(result, gate, runs[-1], notes, journal, settings)
    return ComparisonOutcome(result, gate, notes, files, exit_code(evaluation, gate, result, rules), evaluation)


def exit_code(
    evaluation: Outcome | None,
    gate: RegressionResult | GateResult | None,
    result: Comparison | Ranking,
    rules: RegressionRules,
) -> int:
    """The first that applies: gate short of data, incomplete, gate failed, done."""
    incomplete = evaluation is not None and evaluation.exit_code == INCOMPLETE
    failed = gate is not None and not gate.passed
    coverage = result.primary.coverage if isinstance(result, Comparison) and result.primary is not None else None
    if failed and (coverage or 0.0) < rules.min_coverage:
        return GATE_FAILED
    if incomplete:
        return INCOMPLETE
    return GATE_FAILED if failed else DONE


def evaluation_request(asked: ComparisonRequest) -> EvaluationRequest:
    """The evaluation of the sides that are prompts; every one under each value of what varies."""
    prompts = tuple(reference for reference in asked.references if not RUN_ID.fullmatch(reference))
    vary: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    if asked.values:
        part = asked.by[0]
        if len(asked.by) != 1 or part not in VARIABLE:
            raise UsageError(f"--values goes with --by {', --by '.join(VARIABLE)}, not {', '.join(asked.by)!r}")
        try:
            vary = ((part, tuple(VARIABLE[part](value) for value in asked.values)),)
        except ValueError:
            raise UsageError(f"--values {','.join(asked.values)!r}: {part} takes numbers") from None
    return replace(asked.run, prompts=prompts, vary=vary, reuse_days=asked.reuse_days, gate=None)


def sides(asked: ComparisonRequest, evaluation: Outcome | None, journal: Journal, suites: Suites) -> list[PlannedRun]:
    """The runs in the order in which they were named."""
    evaluated = iter(() if evaluation is None else [outcome.run for outcome in evaluation.runs])
    if asked.values:
        return list(evaluated)
    return [
        stored_run(journal, reference, suites) if RUN_ID.fullmatch(reference) else next(evaluated)
        for reference in asked.references
    ]


def check_terms(runs: Sequence[PlannedRun], asked: ComparisonRequest) -> None:
    """Raises UsageError for runs that differ in more than what is compared, unless forced."""
    if len({run.run_id for run in runs}) < len(runs):
        raise UsageError(f"run {runs[0].run_id} is named twice: a run compared with itself says nothing")
    for run in runs[1:]:
        checked(terms(runs[0].spec, run.spec, asked.by), runs[0].run_id, run.run_id, force=asked.force)


def scores_of(run: PlannedRun, asked: ComparisonRequest, journal: Journal) -> RunScores:
    """A run's scores, read from the journal."""
    fallback = "include" if stored_request(run).judge_fallback == "include" else "exclude"
    return read_run(
        journal.results(run.run_id, run.scenario_ids),
        suite=run.suite,
        spec=run.spec,
        scenarios=run.scenarios,
        run_id=run.run_id,
        name=name_of(run, asked.by),
        sources=planned_sources(run),
        judge_fallback="include" if fallback == "include" else "exclude",
    )


def name_of(run: PlannedRun, by: Sequence[str]) -> str:
    """What people call a side: its version, or the value of what is compared."""
    prompt = run.spec.prompt
    version = "" if prompt is None else f"v{prompt.version}" if prompt.version is not None else prompt.name
    named = [f"{part} {value_of(run, part)}" for part in by if part != "prompt"]
    return ", ".join([*([version] if version and "prompt" in by else []), *named]) or run.run_id


def value_of(run: PlannedRun, part: str) -> str:
    """The value of one part of the run's specification, for its name."""
    if part in run.spec.parameters:
        return str(run.spec.parameters[part])
    value = getattr(run.spec, part, None)
    return str(getattr(value, "version", None) or getattr(value, "model", None) or value)


def reuse_notes(runs: Sequence[PlannedRun], evaluation: Outcome | None) -> tuple[str, ...]:
    """Which sides are earlier runs, and of when."""
    old = {outcome.run.run_id for outcome in evaluation.runs if outcome.stored} if evaluation is not None else set()
    return tuple(
        f"{run.run_id} is an earlier run, of {time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime(run.record.created_at))}"
        for run in runs
        if run.run_id in old
    )


def compared(scores: Sequence[RunScores], runs: Sequence[PlannedRun], asked: ComparisonRequest) -> Comparison | Ranking:
    """Two sides are compared, more are ranked."""
    suite = runs[0].suite
    if len(scores) > 2:
        return rank(scores, suite=suite, by=asked.by, margin=asked.margin, force=asked.force)
    base, candidate = scores
    return compare(
        base, candidate, suite=suite, by=asked.by, margin=asked.margin, force=asked.force, effect=asked.effect
    )


def regression_rules(asked: ComparisonRequest) -> RegressionRules:
    """The margins and limits of the no-regression gate; flags go before the file."""
    file = read_rules(asked.rules or "no_regression")
    rules = parse_regression_rules(file.text, file.place)
    given = {name: getattr(asked.run, name) for name in LIMITS if getattr(asked.run, name) is not None}
    return replace(rules, limits=replace(rules.limits, **given))


def gated(
    result: Comparison | Ranking,
    candidate: PlannedRun,
    asked: ComparisonRequest,
    rules: RegressionRules,
    journal: Journal,
    settings: Settings,
) -> RegressionResult | GateResult | None:
    """The gate's answer on the last side named; None without a gate."""
    if asked.gate is None:
        return None
    if asked.gate == "no_regression":
        if isinstance(result, Ranking):
            raise UsageError("--gate no_regression holds one candidate against one base: name two sides")
        return no_regression(result, candidate.suite, rules)
    return conclude(candidate, journal, settings, asked.run).gate


def write_comparison(
    result: Comparison | Ranking,
    gate: RegressionResult | GateResult | None,
    candidate: PlannedRun,
    notes: Sequence[str],
    journal: Journal,
    settings: Settings,
) -> tuple[str, ...]:
    """comparison.json and comparison.md in the candidate's folder; its decision.json tells the gate's answer."""
    folder = run_folder(settings.runs_dir, candidate.run_id)
    document = document_of(result, gate)
    write_json(folder / "comparison.json", document)
    write_text(folder / "comparison.md", markdown_of(result, gate, notes))
    files = [folder / "comparison.md", folder / "comparison.json"]
    if gate is not None:
        concluded = conclude(candidate, journal, settings, stored_request(candidate))
        decision = decision_document(concluded.decision, concluded.summary)
        write_json(folder / "decision.json", {**decision, "gate": gate.to_json(), "comparison": document})
        files.append(folder / "decision.json")
    return tuple(map(str, files))


def document_of(result: Comparison | Ranking, gate: RegressionResult | GateResult | None) -> Json:
    """comparison.json."""
    if isinstance(result, Ranking):
        return ranking_document(result, ranking_headline(result))
    regression = gate if isinstance(gate, RegressionResult) else None
    return comparison_document(result, regression, headline(result))


def markdown_of(result: Comparison | Ranking, gate: RegressionResult | GateResult | None, notes: Sequence[str]) -> str:
    """comparison.md."""
    if isinstance(result, Ranking):
        return ranking_markdown(result, notes=notes)
    return comparison_markdown(result, gate=gate if isinstance(gate, RegressionResult) else None, notes=notes)


def print_comparison(outcome: ComparisonOutcome, *, as_json: bool) -> None:
    """The verdict and its grounds, for people or as JSON."""
    if outcome.result is None:
        from scripts.printing import print_outcome

        assert outcome.evaluation is not None
        print_outcome(outcome.evaluation, as_json=as_json)
    elif as_json:
        print(json.dumps(document_of(outcome.result, outcome.gate), ensure_ascii=False, indent=2))
    else:
        print(_text(outcome.result, outcome), end="")


def _text(result: Comparison | Ranking, outcome: ComparisonOutcome) -> str:
    color = use_color()
    if isinstance(result, Ranking):
        text = render_ranking(result, notes=outcome.notes, files=outcome.files, color=color)
    else:
        regression = outcome.gate if isinstance(outcome.gate, RegressionResult) else None
        text = render_comparison(result, gate=regression, notes=outcome.notes, files=outcome.files, color=color)
    if isinstance(outcome.gate, GateResult):
        text += f"\ngate {outcome.gate.gate}: {'passed' if outcome.gate.passed else 'FAILED'}\n"
        text += "".join(f"  - {reason}\n" for reason in outcome.gate.reasons)
    return text
