"""Runs as the journal holds them: found, restored, gone on with, and taken in the place of new ones."""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches

from evaluation.commands import write_command
from evaluation.conclude import MAX_FALLBACK_RATE
from evaluation.errors import UsageError
from evaluation.request import EvaluationRequest, request_of
from evaluation.run import Run, judge_prompt_of, prompt_from_json, scenarios_from_text
from evaluation.suites import Suites
from evaluation.suites.loaded import build_suite, with_judge_prompt
from evaluation.suites.meaning import with_meaning
from evaluation.suites.own import INPUT
from evaluation.text.forms import SourceText
from scripts.arguments import MAY_CHANGE
from scripts.run.choices import EndpointChoice
from scripts.run.conclude import judge_report
from scripts.run.own_code import load_own_code
from scripts.run.suites import definition_of
from services.journal import Journal, StoredRun, journal_file
from services.provenance import scorer_digest
from services.settings import Settings

LAST = "last"
"""Names the newest run."""
RESUME = "--resume"
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
    load_own_code()
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
