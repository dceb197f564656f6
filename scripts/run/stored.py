"""Runs as the journal holds them: found, restored, concluded, gone on with, and taken in the place of new ones."""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import partial

from evaluation.commands import write_command
from evaluation.conclude import MAX_FALLBACK_RATE, Evidence, conclude
from evaluation.errors import UsageError
from evaluation.expectations.canaries import checks_of_items, errors_by_judge
from evaluation.judging.asking import JudgeRubric
from evaluation.judging.canaries import OF_JUDGE, first_half, questions_of
from evaluation.judging.conversations.asking import ConversationQuestion
from evaluation.judging.conversations.canaries import check_of_answers, checks_of_conversations
from evaluation.judging.conversations.fitness import ConversationCheck
from evaluation.judging.fitness import ENOUGH, CanaryReport
from evaluation.judging.item_errors import ItemErrors
from evaluation.judging.panel import AnyJudge, judge_of
from evaluation.judging.panel_check import RepliesOf, panel_report
from evaluation.outcome import ENDED, Ending, RunOutcome
from evaluation.records import Purpose, Result
from evaluation.request import EvaluationRequest, request_of
from evaluation.rubrics.canary import Question, without_items
from evaluation.rubrics.loader import parse_rubric
from evaluation.run import Run, judge_prompt_of, prompt_from_json, scenarios_from_text
from evaluation.runspec import RunSpec
from evaluation.suites import Suites
from evaluation.suites.loaded import build_suite, with_judge_prompt
from evaluation.suites.meaning import with_meaning
from evaluation.suites.own import INPUT
from evaluation.summary.families import family_of
from evaluation.text.forms import SourceText
from scripts.arguments import MAY_CHANGE
from scripts.run.agreement import agreement_of
from scripts.run.endpoints import name_judges
from scripts.run.labels import labels_of
from scripts.run.load import definition_of
from scripts.run.mix import read_mix
from scripts.run.own_cues import load_own_cues
from scripts.run.own_packs import load_own_packs
from scripts.run.people import with_peoples_answers
from scripts.run.waivers import read_waivers
from scripts.run.wiring import EndpointChoice
from services.journal import Journal, StoredRun, journal_file
from services.provenance import scorer_digest
from services.run_folder import run_folder
from services.settings import Settings

LAST = "last"
"""Names the newest run."""

RESUME = "--resume"

LOOKED_AT, MOST_BESIDE = 200, 3
"""Newest runs among which those of other models under the same panel are looked for, and how many are read."""

NAMED = 2
"""Runs that a refusal names."""


def stored_runs(journal: Journal, reference: str, suites: Suites) -> list[Run]:
    """The run that is to be resumed, by id or as `last`, with the others of its group, as they were planned."""
    asked = find_stored(journal, reference, RESUME)
    group = [run for run in journal.runs() if run.group_id == asked.group_id]
    return [restore_run(run, suites) for run in sorted(group, key=lambda run: run.run_id)]


def stored_run(journal: Journal, reference: str, suites: Suites) -> Run:
    """One run as it was planned, by id or as `last`."""
    return restore_run(find_stored(journal, reference), suites)


def open_stored(settings: Settings, reference: str | None, flag: str = "RUN_ID") -> Journal:
    """The journal in which a run is looked for; it is not created for that. None where no run is named.

    Raises UsageError, as `find_stored` does, where there is no journal.
    """
    if reference is not None and not journal_file(settings.runs_dir).exists():
        raise _no_run(reference, flag, [])
    return Journal.in_folder(settings.runs_dir)


def find_stored(journal: Journal, reference: str, flag: str = "RUN_ID") -> StoredRun:
    """A run by its whole id, or as `last` the newest evaluation. Decides for every command and flag that names one.

    Raises UsageError, which names the flag and the runs that were perhaps meant, for anything else.
    """
    run_ids = journal.run_ids()
    found = next(_evaluations(journal), run_ids[0]) if reference == LAST and run_ids else reference
    if found not in run_ids:
        raise _no_run(reference, flag, run_ids)
    return journal.run(found)


def _evaluations(journal: Journal) -> Iterator[str]:
    """The runs that hold results of a suite, newest first: not those of calls alone, such as "companion head to head",
    and not a sample of an earlier run that another judge scored.

    No suite's name has a space in it.
    """
    for run in journal.runs(inputs=False):
        sample = run.parent_run_id is not None and run.arguments.get("only")
        if " " not in run.spec.suite and not sample:
            yield run.run_id


def _no_run(reference: str, flag: str, run_ids: Sequence[str]) -> UsageError:
    """Names the ids that are nearest, also to the last part of a path; else the newest, which come first."""
    if not run_ids:
        return UsageError(f"{flag} {reference[:80]!r}: there is no run yet: start one with {write_command('eval')}")
    near = get_close_matches(reference.rstrip("/").rpartition("/")[2], run_ids, NAMED, 0.7)
    which = "the nearest" if near else "the newest"
    named = ", ".join(near or run_ids[:NAMED])
    return UsageError(
        f"{flag}: there is no run {reference[:80]!r}: {which} of {len(run_ids)}: {named} (see {write_command('runs')})"
    )


def restore_run(stored: StoredRun, suites: Suites) -> Run:
    """A run as the journal holds it: its own prompt, rubric and scenarios, whatever the files say now."""
    if stored.spec.suite not in suites and INPUT not in stored.inputs:
        raise UsageError(f"run {stored.run_id} is of suite {stored.spec.suite!r}, which this version does not have")
    inputs = dict(stored.inputs)
    prompt, scenarios = inputs.pop("prompt", None), inputs.pop("scenarios")
    load_own_cues()
    load_own_packs()
    source = SourceText(inputs["rubric"], f"rubric of run {stored.run_id}")
    loaded = build_suite(definition_of(stored.spec.suite, inputs, suites), source)
    return Run(
        run_id=stored.run_id,
        group_id=stored.group_id,
        parent_run_id=stored.parent_run_id,
        created_at=stored.created_at,
        spec=stored.spec,
        suite=with_meaning(with_judge_prompt(loaded, judge_prompt_of(inputs)).suite, stored.spec.embedding),
        prompt=None if prompt is None else prompt_from_json(json.loads(prompt)),
        scenarios=scenarios_from_text(scenarios),
        request=request_of(stored.arguments),
        inputs=inputs,
        provenance=stored.provenance,
    )


def find_earlier_runs(planned: Sequence[Run], days: float | None, journal: Journal, suites: Suites) -> dict[str, Run]:
    """Run id of the plan -> the finished run of equal digests, at most so many days old, that stands for it.

    None whose judge could not be read: by now it may have been mended.
    """
    if days is None:
        return {}
    oldest = time.time() - days * 86_400
    stored = [run for run in journal.runs() if run.is_complete and run.created_at >= oldest]
    found = {}
    for run in planned:
        twins = (
            restore_run(each, suites)
            for each in stored
            if each.spec.digests == run.spec.digests and each.spec.embedding == run.spec.embedding
        )
        twins = (each for each in twins if each.judged_conversations or not run.judged_conversations)
        twin = next((each for each in twins if _was_read(each, journal)), None)
        if twin is not None:
            found[run.run_id] = twin
    return found


def _was_read(run: Run, journal: Journal) -> bool:
    """True where no more verdicts were unread than every gate bears, and enough canaries were read to say something."""
    unread = len(journal.final_positions(run.run_id, ("unparsed",)))
    report = judge_report(run, journal, ended=True)
    missing = report is not None and any(figure.value is None for figure in report.figures)
    return unread <= MAX_FALLBACK_RATE * len(journal.final_positions(run.run_id)) and not missing


def conclude_run(
    run: Run, journal: Journal, settings: Settings, request: EvaluationRequest, end: Ending | None = None
) -> RunOutcome:
    """Summary, decision and gate, under the gate and limits of a request. Writes nothing."""
    heard = None if end is None else end.judge_was_heard
    canaries = judge_report(run, journal, ended=heard)
    totals = journal.call_totals(run.run_id)
    evidence = Evidence(
        results=with_peoples_answers(journal.results(run.run_id, run.scenario_ids), run, settings),
        totals=totals,
        spent_usd=journal.cost_usd(run.run_id),
        canaries=canaries,
        labels=labels_of(run, settings),
        conversations=journal.conversations(run.run_id, run.scenario_ids),
        conversation_check=conversation_check(run, journal, ended=heard),
        beside=_of_other_families(run, journal),
        judge_names=name_judges(run.spec.judge, settings),
    )
    waivers, expired = read_waivers(request.waivers)
    outcome = conclude(
        run,
        evidence,
        request,
        waivers=waivers,
        mix=read_mix(request.mix, run.spec.suite),
        notes=expired,
        directory=str(run_folder(settings.runs_dir, run.run_id)),
        ending=end or ENDED,
    )
    return replace(outcome, agreement=agreement_of(run, settings))


def _of_other_families(run: Run, journal: Journal) -> Iterator[Result]:
    """What the run's panel said of the same scenarios answered by models of another family: shows what it prefers."""
    if run.spec.judge is None or not run.spec.judge.members:
        return
    family, digests, found = family_of(run.spec.model), run.spec.digests, 0
    for other in journal.runs(LOOKED_AT, inputs=False):
        theirs = other.spec.digests
        alike = all(theirs[part] == digests[part] for part in ("judge", "rubric", "scenarios"))
        if not alike or other.run_id == run.run_id or family_of(other.spec.model) in ("", family):
            continue
        yield from journal.results(other.run_id)
        found += 1
        if found == MOST_BESIDE:
            return


def judge_report(run: Run, journal: Journal, *, ended: bool | None = None) -> CanaryReport | None:
    """The results of a run's judge on exchanges of known quality; None where it was not asked about them.

    `ended` says that no more of them will be asked; where nothing is known of it, the journal says so.
    """
    if run.judge is None or not run.canaries:
        return None
    ended = journal.run(run.run_id, inputs=False).state == "finished" if ended is None else ended
    replies_of = partial(journal.answers, run.run_id, "canary")
    heard = not journal.call_totals(run.run_id).keys().isdisjoint(OF_JUDGE)
    return panel_report(run.judge, run.canaries, replies_of, heard=heard, ended=ended, items=item_errors(run, journal))


def item_errors(run: Run, journal: Journal) -> dict[str, ItemErrors]:
    """Model -> how it did on the questions that yes or no answers; nothing where none was asked."""
    judge = run.spec.judge
    replies_of = partial(journal.answers, run.run_id, "canary")
    return {} if judge is None else errors_by_judge(run.item_checks, replies_of, judge.model)


def conversation_check(run: Run, journal: Journal, *, ended: bool | None = None) -> ConversationCheck | None:
    """What conversations of known quality say of a run's judge; None where it was not asked about any."""
    checks = run.conversation_checks
    if not checks:
        return None
    ended = journal.run(run.run_id, inputs=False).state == "finished" if ended is None else ended
    return check_of_answers(checks, partial(journal.answers, run.run_id, "canary"), ended=ended)


def may_lend_verdicts(run_id: str, borrower: Run, journal: Journal, purpose: Purpose = "judge") -> bool:
    """True where another run may take over what the judge of this one said for a purpose.

    Of conversations nothing is taken from a judge that failed on those of known quality.
    Its judge must have passed its check, to the end and on the canaries of the borrower. A borrower that leaves the
    check out, and so says that its judge is not checked, takes those of unchecked runs as well. A calibration goes on
    as a new run, which takes what an interrupted one was given by a judge that had passed so far.
    """
    if run_id not in journal.run_ids():
        return False  # lost with a damaged journal: nobody knows any more how its judge was checked
    lender, ours = journal.run(run_id), borrower.suite.judge
    pin = lender.spec.judge
    if pin is None or ours is None:
        return False
    source = SourceText(lender.inputs["rubric"], f"rubric of run {run_id}")
    rubric = JudgeRubric.of(parse_rubric(source, lambda *_: None), ours.show, ours.ask_parts)
    questions = questions_of(rubric) if request_of(lender.arguments).canaries else []
    judge = None if rubric is None else judge_of(pin, rubric, lender.spec.seed)
    replies_of = partial(journal.answers, run_id, "canary")
    items = _item_errors(lender.spec, judge, questions, replies_of)
    whole = panel_report(judge, questions, replies_of, heard=True, ended=lender.state == "finished", items=items)
    if whole is not None and whole.fit is False:
        return False
    ended, checked = lender.state == "finished", bool(questions)
    if purpose == "conversation" and not _lends_conversations(
        judge, replies_of, borrower, checked=checked, ended=ended
    ):
        return False
    if whole is None or rubric is None or without_items(rubric.canaries) != without_items(ours.canaries):
        return not borrower.canaries
    if whole.fit is not None:
        return whole.fit
    begun = panel_report(judge, first_half(questions), replies_of, heard=True, ended=False, items=items)
    if begun is None or begun.fit is False:
        return False
    goes_on = borrower.spec.suite != borrower.suite.name and lender.spec.digests == borrower.spec.digests
    return (goes_on and begun.answered >= ENOUGH * begun.asked) or not borrower.canaries


def _item_errors(
    spec: RunSpec, judge: AnyJudge | None, questions: Sequence[Question], replies_of: RepliesOf
) -> dict[str, ItemErrors]:
    """How a lender's judges did on the questions that yes or no answers; nothing where none was asked."""
    if judge is None or not questions or spec.expectations is None or spec.expectations.name != "judge":
        return {}
    return errors_by_judge(checks_of_items(judge.pin, judge.rubric, judge.seed), replies_of, judge.pin.model)


def _lends_conversations(
    judge: AnyJudge | None, replies_of: RepliesOf, borrower: Run, *, checked: bool, ended: bool
) -> bool:
    """True where a lender's judge may be believed about conversations by the canaries that the borrower has."""
    question = None if judge is None else ConversationQuestion.of(judge.rubric)
    ours = ConversationQuestion.of(borrower.suite.judge)
    if judge is None or question is None or ours is None or not ours.section.canaries or not borrower.canaries:
        return True
    if question.section.canaries != ours.section.canaries or not checked:
        return False
    found = check_of_answers(checks_of_conversations(judge.pin, question, judge.seed), replies_of, ended=ended)
    return found is not None and found.fit is True


def refuse_new_arguments(request: EvaluationRequest) -> None:
    """Raises UsageError for an argument beside --resume that cannot change any more."""
    usual = EvaluationRequest()
    for name in EvaluationRequest.__dataclass_fields__:
        if name not in MAY_CHANGE and getattr(request, name) != getattr(usual, name):
            flag = {"prompts": "prompt", "categories": "category", "tags": "tag", "judge": "no-judge"}.get(name, name)
            flag = "no-canaries" if name == "canaries" else flag
            raise UsageError(
                f"--{flag.replace('_', '-')} cannot change on --resume: the run goes on as it was planned; "
                "leave it out, or start a new run"
            )


def resumed_request(request: EvaluationRequest, run: Run, choice: EndpointChoice) -> EvaluationRequest:
    """The run's own arguments; only how it is carried out may differ.

    A sweep is gone on with by its own command alone, which analyses it when it is complete.
    """
    refuse_new_arguments(replace(request, sweep=False))
    stored, usual = run.request, EvaluationRequest()
    if stored.sweep and not request.sweep:
        raise UsageError(f"run {run.run_id} is one setting of a sweep: go on with all of it: {run.resume_command()}")
    asked = [] if run.asked_endpoint in (None, choice.identity) else [run.asked_endpoint]
    asked += [endpoint for endpoint in run.judging_endpoints if endpoint not in choice.known]
    if asked:
        raise UsageError(
            f"run {run.run_id} was made with {asked[0]} and the settings now name {choice.identity}: "
            "set OPENAI_BASE_URL and OPENAI_API_KEY (of a panel EVAL_ENDPOINT_NAME_URL and its key) as they were, or "
            "start a new run"
        )
    if run.spec.scorer != scorer_digest(run.suite.scored_by):
        raise UsageError(
            f"run {run.run_id} was begun with another version of the scoring code, and one run has one scorer: "
            "start it again with --cache all, which pays for nothing that was answered"
        )
    changed = {name: getattr(request, name) for name in MAY_CHANGE if getattr(request, name) != getattr(usual, name)}
    return replace(stored, **{"dry_run": False, "quiet": False, "gate": None, **changed})
