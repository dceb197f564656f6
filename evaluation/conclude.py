"""A run concluded: its summary, decision and gate, and what people must know beside them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evaluation.commands import write_command
from evaluation.decision.critical import hold_back, hold_by_checks, name_improvements
from evaluation.decision.decide import Decision, decide
from evaluation.decision.first_line import of_shard, with_first_line
from evaluation.decision.gate import GateResult, Limits, coverage_below_floor, gate_within_limits
from evaluation.decision.judge import change_of_model, hold_judge, judge_faults, models_of_judge, without_judge
from evaluation.decision.mix import PlacedMix, outcome_under
from evaluation.expectations.answering import is_planned
from evaluation.expectations.waivers import Waiver, notes_on_idle
from evaluation.judging.conversations.fitness import ConversationCheck
from evaluation.judging.fitness import CanaryReport
from evaluation.judging.giving_up import GivenUp
from evaluation.outcome import ENDED, Ending, RunOutcome, is_unfinished, lacks_results
from evaluation.ports import CallTotals
from evaluation.records import Result
from evaluation.request import GATES, OF_CHECKS, EvaluationRequest
from evaluation.run import Run
from evaluation.summary.columns import Columns, Fallback
from evaluation.summary.conversations import ConversationColumns, ConversationSummary, summarise_conversations
from evaluation.summary.counts import Tokens
from evaluation.summary.disagreement import Disagreements
from evaluation.summary.expectations import ItemTally
from evaluation.summary.human_units import LabelTally
from evaluation.summary.labels import NO_LABELS, Labels
from evaluation.summary.summarise import summarise
from evaluation.summary.summary import Summary
from evaluation.text import numbers
from evaluation.unoffered import note_on_tools

RUN_FILES = (
    *("report.html", "summary.md", "results.jsonl", "summary.json", "decision.json", "manifest.json"),
    *("junit.xml", "eval_records.jsonl"),
)
OTHER_CALLS: Mapping[str, str] = {
    "canary": "checks",
    "expectations": "expectations",
    "conversation": "conversations",
    "moderation": "moderation",
    "embedding": "embedding",
}
"""Purpose of calls beside responses and verdicts -> the part of a run's tokens that they are."""
MAX_FAILURE_RATE, MAX_FALLBACK_RATE = 0.02, 0.05
"""The most that every gate bears where the request says nothing: as the no-regression gate's rules."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that the journal holds of a run."""

    results: Iterable[Result]
    """In the order of the plan; read once."""
    totals: Mapping[str, CallTotals]
    """By purpose."""
    spent_usd: float
    """Paid by this run; calls of unknown price count nothing."""
    canaries: CanaryReport | None
    """None where the judge was not checked."""
    labels: Labels = NO_LABELS
    """People's, of this run and of others."""
    conversations: Iterable[Result] = ()
    """Results of conversations as a whole."""
    conversation_check: ConversationCheck | None = None
    """None where the judge was asked about no conversation of known quality."""
    beside: Iterable[Result] = ()
    """What the same panel said of another family's responses; read once."""
    judge_names: Mapping[str, str] = field(default_factory=dict)
    """Model of a judge -> how a command names it, with its endpoint where that is not the usual one."""


def conclude(
    run: Run,
    evidence: Evidence,
    request: EvaluationRequest,
    *,
    directory: str,
    ending: Ending = ENDED,
    waivers: Sequence[Waiver] = (),
    notes: Sequence[str] = (),
    mix: PlacedMix | None = None,
) -> RunOutcome:
    """Concludes from the evidence, under the request's gate and limits. `directory` is where the run's files are.

    `ending` may be that of several runs, of which this one has no judge. `waivers` take critical expectations out of
    account. `notes` are further lines for people. `mix` is that of the users, which has a verdict of its own beside the
    run's.
    """
    differing = Disagreements(run.suite)
    fallback: Fallback = "include" if request.judge_fallback == "include" else "exclude"
    columns = Columns(run.suite, run.scenarios, run.spec.repeats, run.sources, fallback, run.weights)
    summary = _summarise(run, evidence, columns, differing, waivers)
    summary = replace(summary, wall_seconds=ending.wall_seconds)
    checked, given_up = evidence.canaries, None if run.judge is None else ending.given_up
    ended = not lacks_results(run, summary)

    def decide_on(weighted: Summary) -> Decision:
        return with_first_line(
            _decide(run, weighted, checked, given_up, strict=request.strict, ended=ended),
            weighted,
            interrupted=ending.interrupted,
            half_checked=checked is not None and checked.fit is None,
            given_up=given_up is not None,
        )

    decision = decide_on(summary)
    incomplete = is_unfinished(run, summary, checked, given_up)
    stop_reason = ending.stop_reason if incomplete and given_up is None else ""
    said = note_run(run, summary, decision, evidence, stop_reason)
    idle = notes_on_idle(waivers, run.scenarios, whole_set=not run.request.selects)
    return RunOutcome(
        run=run,
        summary=summary,
        decision=decision if run.shard is None else of_shard(decision, run.shard, summary.counts, run.played_exchanges),
        mix=None if mix is None or run.shard is not None else outcome_under(mix, summary, columns, decide_on),
        directory=directory,
        gate=_gate(run, request, summary, decision, checked, waivers) if request.gate in (*GATES, OF_CHECKS) else None,
        short_of_coverage=request.gate is not None and coverage_below_floor(decision, summary),
        canaries=checked,
        given_up=given_up,
        disagreements=differing.largest(),
        files=_files_of(run),
        notes=(*said, *notes, *note_on_tools(run), *idle),
        next_command=_resume_command(run, request, ending) if incomplete else "",
    )


def _files_of(run: Run) -> tuple[str, ...]:
    """Names of the files that the run leaves."""
    return (
        *RUN_FILES,
        *(("disagreements.jsonl",) if "combined" in run.sources else ()),
        *(("calls.jsonl",) if run.converses_with_application else ()),
    )


def _resume_command(run: Run, request: EvaluationRequest, ending: Ending) -> str:
    """The command that goes on with the run; with twice the limit where it ended at its cost limit."""
    limit = request.max_cost if "cost limit" in ending.stop_reason else None
    return run.resume_command(*(() if limit is None else ("--max-cost", f"{2 * limit:g}")))


def _summarise(
    run: Run, evidence: Evidence, columns: Columns, differing: Disagreements, waivers: Sequence[Waiver]
) -> Summary:
    """The summary of all results, with every call of the run and its conversations as a whole."""
    summary = summarise(
        differing.watch(evidence.results),
        columns,
        run_id=run.run_id,
        prompt=run.spec.prompt,
        items=ItemTally(run.scenarios, columns.plan, run.expectations),
        waivers=waivers,
        labels=LabelTally(columns, evidence.labels),
        beside=evidence.beside,
    )
    return replace(_with_all_calls(summary, evidence), conversations=_conversations(run, evidence))


def _conversations(run: Run, evidence: Evidence) -> ConversationSummary | None:
    """None where the judge is asked about no conversation."""
    judge, scenarios = run.conversation_judge, run.judged_conversations
    if judge is None or not scenarios:
        return None
    columns = ConversationColumns.of(scenarios, run.spec.repeats, judge.question.dimensions, run.weights)
    return summarise_conversations(evidence.conversations, columns, judge.question, evidence.conversation_check)


def _decide(
    run: Run,
    summary: Summary,
    checked: CanaryReport | None,
    given_up: GivenUp | None,
    *,
    strict: bool,
    ended: bool,
) -> Decision:
    """The verdict on the means, then what the judge's check and critical expectations make of it."""
    decision = decide(summary, run.suite, strict=strict, ended=ended)
    if checked is not None:
        decision = hold_judge(decision, checked.fit, (checked.note(), *checked.missed))
    if given_up is not None:
        decision = without_judge(decision, "no_verdicts", (given_up.reason,))
    rule = run.suite.decision
    errors = None if checked is None else checked.items
    decision = hold_back(decision, summary, None if rule is None else rule.critical, errors)
    return name_improvements(hold_by_checks(decision, summary), summary)


def _gate(
    run: Run,
    request: EvaluationRequest,
    summary: Summary,
    decision: Decision,
    checked: CanaryReport | None,
    waivers: Sequence[Waiver],
) -> GateResult:
    """The answer of the gate that was asked for."""
    asked: Any = request.gate
    rule = run.suite.checks_rule if asked == OF_CHECKS else None
    limits = Limits(
        rule.passed if request.min_overall is None and rule is not None else request.min_overall,
        MAX_FAILURE_RATE if request.max_failure_rate is None else request.max_failure_rate,
        MAX_FALLBACK_RATE if request.max_fallback_rate is None else request.max_fallback_rate,
    )
    faults = (
        ()
        if run.judge is None or asked == OF_CHECKS
        else judge_faults(_why_unchecked(run), models_of_judge(summary, checked), checked, _size(run))
    )
    # An unfit judge is the first of the reasons why there is no verdict, which every gate names.
    faults = (*faults, *_not_asked(run, waivers))
    news = tuple(fault for fault in faults if fault not in decision.reasons)
    return gate_within_limits(decision, summary, asked, limits, news)


def _not_asked(run: Run, waivers: Sequence[Waiver]) -> tuple[str, ...]:
    """Critical expectations that nobody answers keep every gate shut, under every rubric; waived ones do not count."""
    items = [(scenario.id, item) for scenario in run.scenarios for item in scenario.expect if item.critical]
    unasked = sum(
        not is_planned(item, run.expectations) and not any(waiver.covers(name, item) for waiver in waivers)
        for name, item in items
    )
    if not unasked:
        return ()
    lacks_judge = run.expectations == "rules" and run.spec.judge is None
    step = "run with a judge" if lacks_judge else f"run without --expectations {run.expectations}"
    return (f"{numbers.times(unasked, 'critical expectation')} {'was' if unasked == 1 else 'were'} not asked: {step}",)


def _why_unchecked(run: Run) -> str:
    if not run.request.canaries:
        return "--no-canaries leaves its check out"
    return "it gave no verdict" if run.canaries else f"rubric {run.spec.rubric.name!r} has no canaries"


def _with_all_calls(summary: Summary, evidence: Evidence) -> Summary:
    """The summary with the tokens that the checks of the judge, the expectations, moderation and vectors took.

    The cost includes them, and calls whose exchange came to no result.
    """
    totals = evidence.totals
    asked = {part: _tokens_of(totals[purpose]) for purpose, part in OTHER_CALLS.items() if purpose in totals}
    known = summary.cost_usd is not None and all(found.cost_usd is not None for found in totals.values())
    return replace(summary, tokens=replace(summary.tokens, **asked), cost_usd=evidence.spent_usd if known else None)


def _tokens_of(found: CallTotals) -> Tokens:
    return Tokens(
        *(found.paid, found.input_tokens, found.output_tokens, found.uncounted),
        *(found.cached_input_tokens, found.saved_usd),
    )


def note_run(
    run: Run, summary: Summary, decision: Decision, evidence: Evidence, stop_reason: str = ""
) -> tuple[str, ...]:
    """All notes in the order in which they matter; `stop_reason` is why the run ended early, where it did."""
    canaries, notes = evidence.canaries, list[str]()
    if stop_reason:
        notes.append(f"this run ended early: {stop_reason}")
    if run.request.sweep:
        setting = f": {run.setting}" if run.setting else ""
        notes.append(f"one setting of a sweep{setting}; beside the others in {run.group_id}/report.html")
    if canaries is not None and not canaries.passed and canaries.note() not in decision.reasons:
        notes.append(canaries.explain())
    for who, models, usual in (
        ("judge", models_of_judge(summary, canaries), _size(run)),
        ("model", summary.answered_by, 1),
    ):
        if len(models) > usual and not (who == "model" and run.of_application):
            notes.append(change_of_model(who, models))
    judge = run.spec.judge
    if judge is None and run.of_application and run.request.judge:
        notes.append("no judge: set OPENAI_API_KEY (or OPENAI_BASE_URL) and EVAL_JUDGE_MODEL to have it judged too")
    if judge is not None and judge.model == run.spec.model:
        notes.append("the model judges itself and prefers its own words: set EVAL_JUDGE_MODEL to another")
    if canaries is not None and (left := smaller_panel(run, canaries.unfit, evidence.judge_names)):
        notes.append(f"the others judge by themselves with: {left}")
    notes += note_conversations(run, summary.conversations, evidence.judge_names)
    if run.of_application and _never_understood(summary):
        notes.append(
            f"no answer had the form of the contract: is {run.spec.endpoint} the application's address, and does its "
            "API bear the contract's names, or those of the mapping file? docs/evals-and-feedback.md has both"
        )
    return tuple(notes)


def _size(run: Run) -> int:
    return 1 if run.spec.judge is None else run.spec.judge.size


def note_conversations(run: Run, found: ConversationSummary | None, names: Mapping[str, str]) -> Iterator[str]:
    """The line on a judge that is not fit for whole conversations, and what to do; nothing on any other."""
    check = None if found is None else found.check
    if check is None or check.fit is True:
        return
    if check.fit is None:
        yield f"the judge is not checked to the end on conversations: {check.answered} of {check.asked} were answered"
        return
    who = f"of the panel {' and '.join(check.unfit)}" if check.unfit else "the judge"
    step = smaller_panel(run, check.unfit, names) or write_command("rescore", "--judge-model", "NAME", RUN=run.run_id)
    yield (
        f"{who} is not fit for whole conversations, whose scores are not counted: {check.problems[0]}; the verdict on "
        f"responses stands; others judge the same replies with: {step}"
    )


def smaller_panel(run: Run, unfit: Sequence[str], names: Mapping[str, str]) -> str:
    """Of a panel of which some judges failed, the command that has the others judge; empty where none is left.

    `names` is how a command names each judge, by its model.
    """
    judge = run.spec.judge
    if judge is None or not judge.members or not unfit:
        return ""
    left = [pin for pin in judge.members if pin.model not in unfit]
    if not left:
        return ""
    flags = [word for pin in left for word in ("--judge-model", names.get(pin.model, pin.model))]
    return write_command("rescore", *flags, RUN=run.run_id)


def _never_understood(summary: Summary) -> bool:
    """True where no flow got an answer that it could use: address or mapping are wrong then, rather than recipes."""
    reasons = summary.finish_reasons.keys()
    return bool(reasons) and reasons <= {"http_status", "invalid_json", "schema"}
