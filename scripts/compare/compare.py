"""A comparison from references to its report: what is missing is evaluated, all sides in one interleaved pass."""

import argparse
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evaluation.comparison.compare import Comparison, check_share, compare
from evaluation.comparison.document import comparison_document, ranking_document
from evaluation.comparison.gate import RegressionResult, no_regression, refused
from evaluation.comparison.ranking import Ranking, rank
from evaluation.comparison.rules import RegressionRules, parse_regression_rules
from evaluation.comparison.runs import RunScores
from evaluation.comparison.terms import agree_on_terms
from evaluation.decision.gate import GateResult, decision_document
from evaluation.errors import UsageError
from evaluation.outcome import RunOutcome
from evaluation.records import Json
from evaluation.reports.comparison.document import describe_comparison, describe_ranking
from evaluation.reports.comparison.wording import headline, ranking_headline
from evaluation.reports.document import Document
from evaluation.reports.markdown import to_markdown
from evaluation.reports.run.junit import gate_cases, junit_xml
from evaluation.run import Run
from evaluation.suites import SUITES, Suites
from scripts.arguments import LIMITS, EvaluationRequest, positive, temperature
from scripts.run.conclude import conclude
from scripts.run.output import use_color
from scripts.run.pages import comparison_page
from scripts.run.resume import resume_command
from scripts.run.scores import fallback_of, run_scores
from scripts.run.stored import stored_request, stored_run
from scripts.shell import DONE, GATE_FAILED, INCOMPLETE
from scripts.workflow import Outcome, run_evaluation
from services.catalog import read_rules
from services.journal import Journal, StoredRun
from services.run_folder import run_folder, write_json, write_text
from services.settings import Settings, read_settings

RUN_ID = re.compile(r"\d{8}T\d{6}Z-[a-z0-9-]+")
"""How a reference to a stored run is told from a prompt."""
VARIABLE: Mapping[str, Callable[[str], Any]] = {"model": str, "temperature": temperature, "max_tokens": positive}
"""What --values may vary, and what a value is."""


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """What was asked for."""

    references: tuple[str, ...]
    """Prompts or run ids; the first is the base."""
    by: tuple[str, ...]
    """Empty means what is usual: the prompt, or the application's address, defects and version."""
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
    """Evaluates what is missing and compares. Raises UsageError, before any call, where the sides may not be."""
    settings = read_settings()
    asked = asked if asked.by else replace(asked, by=usual_terms(asked, settings, suites))
    rules = regression_rules(asked)
    evaluation = None
    if not all(RUN_ID.fullmatch(reference) for reference in asked.references):

        def check(planned: Sequence[Run], journal: Journal) -> None:
            check_terms(sides(asked, planned, journal, suites), asked)

        evaluation = run_evaluation(evaluation_request(asked), suites, check)
        if evaluation.estimate is not None or evaluation.stop_reason:
            return ComparisonOutcome(None, None, (), (), evaluation.exit_code, evaluation)
    with Journal.in_folder(settings.runs_dir) as journal:
        evaluated = [] if evaluation is None else [outcome.run for outcome in evaluation.runs]
        runs = sides(asked, evaluated, journal, suites)
        try:
            check_terms(runs, asked)
            scores = [scores_of(run, asked, journal) for run in runs]
            result = compared(scores, runs, asked)
        except UsageError as error:
            tell_refusal(error, runs[-1], asked, journal, settings)
            raise
        candidate = conclude(runs[-1], journal, settings, decision_request(runs[-1], asked))
        gate = gated(result, candidate, asked, rules)
        ended = [(each.summary.counts, run) for each, run in zip(scores, runs, strict=True)]
        incomplete = [run for counts, run in ended if counts.failed or counts.skipped]
        notes = (*run_notes(runs, evaluation, journal), *incomplete_notes(incomplete))
        page = comparison_page(result, runs, scores, candidate, journal, gate=gate, notes=notes)
        files = write_comparison(result, gate, candidate, notes, page)
    langfuse_waits = evaluation is not None and evaluation.exit_code == INCOMPLETE
    code = exit_code(gate, result, rules, incomplete=bool(incomplete) or langfuse_waits)
    return ComparisonOutcome(result, gate, notes, files, code, evaluation)


def exit_code(
    gate: RegressionResult | GateResult | None,
    result: Comparison | Ranking,
    rules: RegressionRules,
    *,
    incomplete: bool,
) -> int:
    """The first that applies: gate short of data, incomplete, gate failed, done."""
    failed = gate is not None and not gate.passed
    primary = result.primary if isinstance(result, Comparison) else None
    if failed and primary is not None and (primary.coverage or 0.0) < rules.min_coverage:
        return GATE_FAILED
    if incomplete:
        return INCOMPLETE
    return GATE_FAILED if failed else DONE


def evaluation_request(asked: ComparisonRequest) -> EvaluationRequest:
    """The evaluation of the sides that are prompts; every one under each value of what varies. It has no gate."""
    prompts = tuple(reference for reference in asked.references if not RUN_ID.fullmatch(reference))
    request = replace(asked.run, prompts=prompts, reuse_days=asked.reuse_days, gate=None)
    request = replace(request, min_overall=None, max_failure_rate=None, max_fallback_rate=None)
    if not asked.values:
        return request
    part = asked.by[0]
    if len(asked.by) != 1 or part not in VARIABLE:
        raise UsageError(f"--values goes with --by {', --by '.join(VARIABLE)}, not {', '.join(asked.by)!r}")
    try:
        values = tuple(VARIABLE[part](value) for value in asked.values)
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"--values {','.join(asked.values)}: {error}") from None
    except ValueError:
        raise UsageError(f"--values {','.join(asked.values)}: {part} takes numbers") from None
    if len(set(values)) < 2:
        raise UsageError(f"--values {','.join(asked.values)}: name at least two that differ")
    return replace(request, vary=((part, values),))


def decision_request(run: Run, asked: ComparisonRequest) -> EvaluationRequest:
    """How the candidate itself is decided: by this command's gate, under its own limits."""
    own = stored_request(run)
    given = {name: getattr(asked.run, name) for name in LIMITS}
    return replace(own, gate=asked.gate, strict=asked.run.strict, judge_fallback=asked.run.judge_fallback, **given)


def sides(asked: ComparisonRequest, evaluated: Sequence[Run], journal: Journal, suites: Suites) -> list[Run]:
    """The runs in the order in which they were named."""
    if asked.values:
        return list(evaluated)
    rest = iter(evaluated)
    return [
        stored_run(journal, reference, suites) if RUN_ID.fullmatch(reference) else next(rest)
        for reference in asked.references
    ]


def check_terms(runs: Sequence[Run], asked: ComparisonRequest) -> None:
    """Raises UsageError for runs that differ in more than what is compared, unless forced."""
    check_share("margin", asked.margin)
    check_share("effect", asked.margin if asked.effect is None else asked.effect)
    seen: set[str] = set()
    for run in runs:
        if run.run_id in seen:
            raise UsageError(f"run {run.run_id} is named twice: a run compared with itself says nothing")
        seen.add(run.run_id)
    for run in runs[1:]:
        agree_on_terms(runs[0], run, asked.by, force=asked.force)


def tell_refusal(
    error: UsageError, candidate: Run, asked: ComparisonRequest, journal: Journal, settings: Settings
) -> None:
    """Answers the gate also where the runs may not be compared: an older "passed" must not stay behind."""
    folder = run_folder(settings.runs_dir, candidate.run_id)
    if asked.gate is None or not folder.is_dir():
        return
    concluded = conclude(candidate, journal, settings, stored_request(candidate))
    decision = decision_document(concluded.decision, concluded.summary)
    write_json(folder / "decision.json", {**decision, "gate": {**refused(str(error)).to_json(), "gate": asked.gate}})


def scores_of(run: Run, asked: ComparisonRequest, journal: Journal) -> RunScores:
    """A run's scores, read from the journal; unread verdicts are treated alike on all sides, as this command says."""
    fallback = fallback_of(asked.run)
    return run_scores(run, name_of(run, asked.by), journal, fallback)


def name_of(run: Run, by: Sequence[str]) -> str:
    """What people call a side: its version, or the value of what is compared."""
    prompt = run.spec.prompt
    if run.of_application and {"endpoint", "parameters"} & set(by):
        return " ".join([run.spec.endpoint, str(run.spec.parameters.get("version", ""))]).strip()
    version = "" if prompt is None else prompt.short_title
    named = [f"{part} {value_of(run, part)}" for part in by if part != "prompt"]
    return ", ".join([*([version] if version and "prompt" in by else []), *named]) or run.run_id


def value_of(run: Run, part: str) -> str:
    """The value of one part of the run's specification, for its name."""
    if part in run.spec.parameters:
        return str(run.spec.parameters[part])
    value = getattr(run.spec, part, None)
    return str(getattr(value, "version", None) or getattr(value, "model", None) or value)


def run_notes(runs: Sequence[Run], evaluation: Outcome | None, journal: Journal) -> tuple[str, ...]:
    """Which sides are earlier runs and of when, and which version numbers held another text before."""
    fresh = set() if evaluation is None else {each.run.run_id for each in evaluation.runs if not each.stored}
    old = [f"{run.run_id} is an earlier run, of {moment(run)}" for run in runs if run.run_id not in fresh]
    stored = list(journal.runs())
    return (*old, *(note for run in runs for note in changed_text(run, stored)))


def changed_text(run: Run, stored: Sequence[StoredRun]) -> list[str]:
    """Whether the newest other run of the same prompt version was of another text."""
    pin = run.spec.prompt
    if pin is None or pin.version is None:
        return []
    for other in stored:
        theirs = other.spec.prompt
        same = theirs is not None and (theirs.name, theirs.version) == (pin.name, pin.version)
        if other.run_id == run.run_id or theirs is None or not same:
            continue
        if theirs.sha256 == pin.sha256:
            return []
        return [f"{pin.title} held another text in run {other.run_id}, of {moment(other)}"]
    return []


def moment(record: Run | StoredRun) -> str:
    """When a run was made."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(record.created_at))


def incomplete_notes(runs: Sequence[Run]) -> list[str]:
    """How to complete what is missing."""
    return [f"{run.run_id} is incomplete; go on with: {resume_command(run)}" for run in runs]


def usual_terms(asked: ComparisonRequest, settings: Settings, suites: Suites) -> tuple[str, ...]:
    """What is compared where nothing is named: of two stored runs of an application all that tells it apart."""
    if all(RUN_ID.fullmatch(reference) for reference in asked.references):
        with Journal.in_folder(settings.runs_dir) as journal:
            if stored_run(journal, asked.references[0], suites).of_application:
                return ("endpoint", "parameters")
    return ("prompt",)


def compared(scores: Sequence[RunScores], runs: Sequence[Run], asked: ComparisonRequest) -> Comparison | Ranking:
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
    return rules.model_copy(update=given)


def gated(
    result: Comparison | Ranking, candidate: RunOutcome, asked: ComparisonRequest, rules: RegressionRules
) -> RegressionResult | GateResult | None:
    """The gate's answer on the last side named; None without a gate.

    The gates of one run hold in a comparison too, and it can only close them: when it was forced, when it comes to no
    verdict, and when it shows the candidate to be worse.
    """
    if asked.gate is None:
        return None
    if asked.gate == "no_regression":
        if isinstance(result, Ranking):
            raise UsageError("--gate no_regression holds one candidate against one base: name two sides")
        regression = no_regression(result, candidate.run.suite, rules)
        faults = () if candidate.canaries is None else tuple(candidate.canaries.faults())
        if not faults:
            return regression
        reasons = faults if regression.passed else (*regression.reasons, *faults)
        return replace(regression, passed=False, reasons=reasons)
    assert candidate.gate is not None
    closed = ["the runs differ in more than what is compared (--force)"] if result.forced else []
    if isinstance(result, Comparison) and result.verdict is None:
        closed += ["the comparison comes to no verdict", *result.reasons]
    if isinstance(result, Comparison) and result.verdict == "worse":
        closed.append(f"{result.candidate.name} is worse than {result.base.name}")
    if not closed:
        return candidate.gate
    reasons = tuple(closed) if candidate.gate.passed else (*candidate.gate.reasons, *closed)
    return replace(candidate.gate, passed=False, reasons=reasons)


def write_comparison(
    result: Comparison | Ranking,
    gate: RegressionResult | GateResult | None,
    candidate: RunOutcome,
    notes: Sequence[str],
    page: str,
) -> tuple[str, ...]:
    """comparison.html, .md and .json in the candidate's folder; decision.json and junit.xml tell the gate's answer."""
    folder = Path(candidate.directory)
    document = document_of(result, gate, notes)
    write_json(folder / "comparison.json", document)
    write_text(folder / "comparison.md", to_markdown(describe(result, gate, notes)))
    write_text(folder / "comparison.html", page)
    files = [folder / "comparison.html", folder / "comparison.md", folder / "comparison.json"]
    if gate is not None:
        decision = decision_document(candidate.decision, candidate.summary)
        write_json(folder / "decision.json", {**decision, "gate": gate.to_json(), "comparison": document})
        write_text(folder / "comparison.junit.xml", junit_xml({candidate.run.run_id: gate_cases(gate)}))
        files += [folder / "decision.json", folder / "comparison.junit.xml"]
    return tuple(map(str, files))


def document_of(result: Comparison | Ranking, gate: RegressionResult | GateResult | None, notes: Sequence[str]) -> Json:
    """comparison.json."""
    if isinstance(result, Ranking):
        return ranking_document(result, ranking_headline(result), gate=gate, notes=notes)
    return comparison_document(result, gate, headline(result), notes=notes)


def describe(
    result: Comparison | Ranking,
    gate: RegressionResult | GateResult | None,
    notes: Sequence[str],
    files: Sequence[str] = (),
) -> Document:
    """The report for people."""
    if isinstance(result, Ranking):
        return describe_ranking(result, gate=gate, notes=notes, files=files)
    return describe_comparison(result, gate=gate, notes=notes, files=files)


def print_comparison(outcome: ComparisonOutcome, *, as_json: bool) -> None:
    """The verdict and its grounds, for people or as JSON."""
    if outcome.result is None:
        from scripts.run.output import print_outcome

        assert outcome.evaluation is not None
        print_outcome(outcome.evaluation, as_json=as_json)
    elif as_json:
        print(json.dumps(document_of(outcome.result, outcome.gate, outcome.notes), ensure_ascii=False, indent=2))
    else:
        from evaluation.reports.terminal import to_terminal

        report = describe(outcome.result, outcome.gate, outcome.notes, files=outcome.files)
        print(to_terminal(report, color=use_color()), end="")
