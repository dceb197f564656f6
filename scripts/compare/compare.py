"""A comparison from request to files, written once: runs, scores, result, gate, files. Commands call it."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeAlias

from evaluation.comparison.bridge import Bridge, bridge_comparison, under_the_new_judge
from evaluation.comparison.compare import Comparison, compare
from evaluation.comparison.document import comparison_document, ranking_document
from evaluation.comparison.gate import RegressionResult, RegressionRules, no_regression, refuse
from evaluation.comparison.judges import judge_faults
from evaluation.comparison.ranking import Ranking, rank
from evaluation.comparison.runs import RunScores
from evaluation.decision.gate import GateResult
from evaluation.decision.mix import PlacedMix
from evaluation.errors import UsageError
from evaluation.estimate import NOTHING
from evaluation.outcome import RunOutcome
from evaluation.records import Json
from evaluation.reports.comparison import describe_comparison, headline
from evaluation.reports.document import Document
from evaluation.reports.junit import gate_cases, junit_xml
from evaluation.reports.markdown import to_markdown
from evaluation.reports.ranking import describe_ranking, ranking_headline
from evaluation.run import Run
from evaluation.suites import SUITES, Suites
from evaluation.suites.suite import Suite
from evaluation.text.numbers import times
from scripts.compare.bridge import estimate_bridge, is_bridged, judge_base_again
from scripts.compare.head_to_head import compare_head_to_head, estimate_head_to_head
from scripts.compare.sides import (
    SCORER,
    ComparisonRequest,
    check_sides,
    decision_request,
    evaluation_request,
    find_sides,
    name_side,
    note_conversations,
    note_incomplete,
    note_runs,
    regression_rules,
    score_alike,
    stored_ids,
    usual_terms,
)
from scripts.run.announce import note_opening
from scripts.run.conclude import conclude_run
from scripts.run.finish import Outcome
from scripts.run.index import note_comparison, note_run, write_index
from scripts.run.output import JointAnswer
from scripts.run.page import comparison_page
from scripts.run.scores import fallback_of, run_scores, with_responses
from scripts.run.stop import Stop
from scripts.run.suites import check_plays_prompts
from scripts.run.terms import read_terms
from scripts.shell import DONE, GATE_FAILED, INCOMPLETE, INTERRUPTED
from scripts.workflow import run_evaluation
from services.journal import Journal
from services.run_folder import run_folder, write_documents, write_json
from services.settings import Settings, read_settings

Gate: TypeAlias = RegressionResult | GateResult


def compare_runs(
    asked: ComparisonRequest, suites: Suites = SUITES, evaluated: Outcome | None = None
) -> JointAnswer | Outcome:
    """Evaluates what is missing and compares. Raises UsageError, before any call, where the sides may not be.

    `evaluated` is the evaluation that the sides, which are stored runs then, come from in this very command.

    The outcome of the evaluation where that was only estimated (--dry-run), or ended early.
    """
    settings = read_settings()
    rules = regression_rules(asked)
    asked = stored_ids(asked, settings)
    if asked.of_stored_runs and asked.run.resume is not None:
        raise UsageError("--resume goes on with an evaluation, and both sides are stored runs: leave it out")
    asked = asked if asked.by else replace(asked, by=usual_terms(asked, settings, suites))
    planned: list[Run] = []
    evaluation = evaluated if asked.of_stored_runs else _evaluate(asked, rules, suites, planned)
    if evaluation is not None and evaluation.stop.reason:
        return evaluation
    if (asked.head_to_head or asked.bridge) and asked.run.dry_run:
        return _estimate(asked, planned, evaluation, settings, suites)
    if evaluation is not None and evaluation.estimate is not None:
        return evaluation
    bridge = _carry_over(asked, evaluation, suites, settings) if asked.bridge else None
    with Journal.in_folder(settings.runs_dir) as journal:
        sides = find_sides(asked, _played(evaluation), journal, suites)
        return _answer(asked, rules, sides, evaluation, bridge, journal, settings)


def _answer(
    asked: ComparisonRequest,
    rules: RegressionRules,
    sides: Sequence[Run],
    evaluation: Outcome | None,
    bridge: Bridge | None,
    journal: Journal,
    settings: Settings,
) -> JointAnswer:
    """The sides compared, and put to the judge in pairs where that is asked for; the files are written."""
    runs, scores, result = _compare(asked, rules, sides, journal, settings, bridge)
    candidate = conclude_run(runs[-1], journal, settings, decision_request(runs[-1], asked))
    if isinstance(result, Comparison):
        result = with_responses(replace(result, decision=candidate.decision), runs[0], runs[-1], journal, settings)
    stop = Stop()
    if asked.head_to_head and isinstance(result, Comparison):
        spent = _spent(evaluation, journal) + (0.0 if bridge is None else journal.cost_usd(bridge.scores.run_id))
        pairs, stop = compare_head_to_head(runs[0], runs[-1], asked.run, journal, settings, spent)
        result = replace(result, head_to_head=pairs)
    gate = hold_gate(result, candidate, asked, rules)
    incomplete = [
        run for run, each in zip(runs, scores, strict=True) if each.summary.counts.failed or each.summary.counts.skipped
    ]
    pairs_open = _pairs_open(result, stop)
    notes = (
        *_note_bridge(asked, sides, result),
        *_note_pairs(asked, sides, pairs_open),
        *note_runs(sides, runs, evaluation, journal),
        *note_conversations(scores),
        *note_incomplete(incomplete),
    )
    page = comparison_page(result, runs, scores, candidate, journal, gate=gate, notes=notes)
    files = write_comparison(result, gate, candidate, notes, page)
    if gate is not None:
        note_run(candidate, journal, gate.passed)
    data, report = say(result, gate, notes, files)
    note_comparison(runs[-1], data, journal)
    write_index(journal, settings)
    langfuse_waits = evaluation is not None and evaluation.exit_code == INCOMPLETE
    some_missing = bool(incomplete or pairs_open or _lacks_sample(result)) or langfuse_waits
    code = INTERRUPTED if stop.interrupted else exit_code(gate, result, rules, incomplete=some_missing)
    return JointAnswer(data, report, files, code)


def _evaluate(asked: ComparisonRequest, rules: RegressionRules, suites: Suites, sides: list[Run]) -> Outcome:
    """The sides that are prompts, once it is sure that all of them may be compared; `sides` takes them as planned."""

    def check(planned: Sequence[Run], journal: Journal) -> None:
        sides[:] = find_sides(asked, planned, journal, suites)
        check_sides(sides, asked)
        if asked.gate == "no_regression" and not asked.run.quiet:
            note_opening(planned[-1], rules)

    check_plays_prompts(asked.run.suite, suites, ", then compare the runs by id")
    return run_evaluation(evaluation_request(asked), suites, check)


def _estimate(
    asked: ComparisonRequest, planned: Sequence[Run], evaluation: Outcome | None, settings: Settings, suites: Suites
) -> Outcome:
    """What a dry run says of the calls, those about pairs and those of a bridge included."""
    with Journal.in_folder(settings.runs_dir) as journal:
        sides = planned or find_sides(asked, [], journal, suites)
        check_sides(sides, asked)
        found = None if evaluation is None else evaluation.estimate
        if asked.head_to_head:
            found = estimate_head_to_head(sides, asked.run, found, journal, settings)
    if asked.bridge and is_bridged(sides[0], sides[1], asked.by, (SCORER,)):
        found = estimate_bridge(sides[0], sides[1], asked.run, found or NOTHING, suites, settings)
    return Outcome((), Stop(), found or NOTHING)


def _carry_over(
    asked: ComparisonRequest, evaluation: Outcome | None, suites: Suites, settings: Settings
) -> Bridge | None:
    """The bridge to the candidate's judge, which is asked for it; None where one judge scored both sides."""
    with Journal.in_folder(settings.runs_dir) as journal:
        sides = find_sides(asked, _played(evaluation), journal, suites)
        base, candidate = _alike(sides, asked, journal, settings)
        spent = _spent(evaluation, journal)
    if not is_bridged(base, candidate, asked.by, (SCORER,)):
        return None
    return judge_base_again(base, candidate, asked.run, asked.command(sides), suites, settings, spent)


def _note_bridge(asked: ComparisonRequest, sides: Sequence[Run], result: Comparison | Ranking) -> Iterator[str]:
    """That a bridge was used, on what it rests, and what it takes to need none."""
    if isinstance(result, Comparison) and result.carried is not None:
        yield result.carried.line(result.base.name)
        if result.carried.lacking:
            yield f"what could not be read of the sample is asked for again by: {asked.command(sides)}"
        if result.carried.instead is not None:
            yield result.carried.instead.line()


def _lacks_sample(result: Comparison | Ranking) -> bool:
    """True where too little of the sample that a bridge rests on has a value."""
    return isinstance(result, Comparison) and result.carried is not None and bool(result.carried.lacking)


def _pairs_open(result: Comparison | Ranking, stop: Stop) -> str:
    """Why not all pairs were answered that were put to the judge; empty where all were."""
    if stop.reason or isinstance(result, Ranking) or result.head_to_head is None:
        return stop.reason
    failed = result.head_to_head.asked("failed")
    return f"{times(failed, 'pair')} got no answer" if failed else ""


def _note_pairs(asked: ComparisonRequest, sides: Sequence[Run], why: str) -> Iterator[str]:
    if why:
        yield f"head to head is not complete ({why}): what was answered is kept; go on with: {asked.command(sides)}"


def _played(evaluation: Outcome | None) -> list[Run]:
    return [] if evaluation is None else [outcome.run for outcome in evaluation.runs]


def _spent(evaluation: Outcome | None, journal: Journal) -> float:
    """US dollars that the evaluation of this command has paid."""
    runs = () if evaluation is None else evaluation.runs
    return sum(journal.cost_usd(each.run.run_id) for each in runs if not each.stored)


def _alike(sides: Sequence[Run], asked: ComparisonRequest, journal: Journal, settings: Settings) -> list[Run]:
    """The sides as one code scores them. Raises UsageError, and shuts the gate, where they may not be compared."""
    try:
        check_sides(sides, asked)
        return asyncio.run(score_alike(sides, asked, journal, settings))
    except UsageError as error:
        write_refusal(error, sides[-1], asked, journal, settings)
        raise


def _compare(
    asked: ComparisonRequest,
    rules: RegressionRules,
    sides: Sequence[Run],
    journal: Journal,
    settings: Settings,
    bridge: Bridge | None,
) -> tuple[list[Run], list[RunScores], Comparison | Ranking]:
    """The runs as they are compared, with their scores and the result."""
    runs = _alike(sides, asked, journal, settings)
    fallback = fallback_of(asked.run)  # unread verdicts are treated alike on all sides, as this command says
    try:
        request = decision_request(runs[-1], asked)
        terms = read_terms(request, runs[-1].spec.suite)
        scores = [run_scores(run, name_side(run, asked.by), journal, settings, fallback, terms.waivers) for run in runs]
        return runs, scores, _result(scores, runs[0].suite, asked, rules, bridge, terms.mix)
    except UsageError as error:
        write_refusal(error, sides[-1], asked, journal, settings)
        raise


def _result(
    scores: Sequence[RunScores],
    suite: Suite,
    asked: ComparisonRequest,
    rules: RegressionRules,
    bridge: Bridge | None,
    mix: PlacedMix | None,
) -> Comparison | Ranking:
    """Two sides are compared, more are ranked; under a mix those that one judge scored."""
    terms: dict[str, Any] = {"suite": suite, "by": asked.by, "margin": asked.margin, "force": asked.force}
    if len(scores) > 2:
        return rank(scores, largest_fall=rules.fall, **terms)
    base, candidate = scores
    like = base if bridge is None else under_the_new_judge(base, candidate)
    mix = mix if bridge is None else None
    found = compare(like, candidate, effect=asked.effect, largest_fall=rules.fall, mix=mix, **terms)
    return found if bridge is None else bridge_comparison(found, base, candidate, bridge)


def hold_gate(
    result: Comparison | Ranking, candidate: RunOutcome, asked: ComparisonRequest, rules: RegressionRules
) -> Gate | None:
    """The gate's answer on the last side named; None without a gate.

    The gates of one run hold in a comparison too, and it can only close them: see `_closing`.
    """
    if asked.gate is None:
        return None
    if asked.gate == "no_regression":
        if isinstance(result, Ranking):
            raise UsageError("--gate no_regression holds one candidate against one base: name two sides")
        return no_regression(result, candidate.run.suite, rules)
    assert candidate.gate is not None
    return _close(candidate.gate, tuple(_closing(result)))


def _closing(result: Comparison | Ranking) -> Iterator[str]:
    """Why no gate of one run opens: an unfit judge, other terms, no verdict, or one that shows the candidate worse."""
    yield from judge_faults((result.base, result.candidate) if isinstance(result, Comparison) else result.runs)
    if result.forced:
        yield "the runs differ in more than what is compared (--force)"
    if isinstance(result, Comparison) and result.verdict is None:
        yield "the comparison comes to no verdict"
        yield from result.reasons
    if isinstance(result, Comparison) and result.verdict == "worse":
        yield f"{result.candidate.name} is worse than {result.base.name}"


def _close(gate: Gate, faults: tuple[str, ...]) -> Gate:
    """The gate, shut where there is a fault."""
    if not faults:
        return gate
    return replace(gate, passed=False, reasons=faults if gate.passed else (*gate.reasons, *faults))


def exit_code(gate: Gate | None, result: Comparison | Ranking, rules: RegressionRules, *, incomplete: bool) -> int:
    """The first that applies: gate short of data, incomplete, gate failed, done."""
    failed = gate is not None and not gate.passed
    primary = result.primary if isinstance(result, Comparison) else None
    if failed and primary is not None and (primary.coverage or 0.0) < rules.min_coverage:
        return GATE_FAILED
    if incomplete:
        return INCOMPLETE
    return GATE_FAILED if failed else DONE


def write_refusal(
    error: UsageError, candidate: Run, asked: ComparisonRequest, journal: Journal, settings: Settings
) -> None:
    """Answers the gate also where the runs may not be compared: an older "passed" must not stay behind."""
    folder = run_folder(settings.runs_dir, candidate.run_id)
    if asked.gate is None or not folder.is_dir():
        return
    concluded = conclude_run(candidate, journal, settings, candidate.request)
    decision = replace(concluded, gate=None).decision_json()
    write_json(folder / "decision.json", {**decision, "gate": {**asdict(refuse(str(error))), "gate": asked.gate}})
    note_run(concluded, journal, passed=False)
    write_index(journal, settings)


def write_comparison(
    result: Comparison | Ranking, gate: Gate | None, candidate: RunOutcome, notes: Sequence[str], page: str
) -> tuple[str, ...]:
    """comparison.html, .md and .json in the candidate's folder; decision.json and junit.xml hold the gate's answer."""
    folder = Path(candidate.directory)
    data, report = say(result, gate, notes)
    documents: dict[str, Json] = {
        "comparison.html": page,
        "comparison.md": to_markdown(report),
        "comparison.json": data,
    }
    if gate is not None:
        decision = replace(candidate, gate=None).decision_json()
        documents["decision.json"] = {**decision, "gate": asdict(gate), "comparison": data}
        documents["comparison.junit.xml"] = junit_xml({candidate.run.run_id: gate_cases(gate)})
    return write_documents(folder, documents)


def say(
    result: Comparison | Ranking, gate: Gate | None, notes: Sequence[str], files: Sequence[str] = ()
) -> tuple[Json, Document]:
    """The result as comparison.json, and for people."""
    if isinstance(result, Ranking):
        data = ranking_document(result, ranking_headline(result), gate=gate, notes=notes)
        return data, describe_ranking(result, gate=gate, notes=notes, files=files)
    data = comparison_document(result, gate, headline(result), notes=notes)
    return data, describe_comparison(result, gate=gate, notes=notes, files=files)
