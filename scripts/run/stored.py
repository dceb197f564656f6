"""Runs as the journal holds them: by id or as `last`, with their group, and those that stand for new ones."""

import json
import time
from collections.abc import Mapping, Sequence

from evaluation.errors import UsageError
from evaluation.prompts import PromptVersion
from evaluation.request import request_of
from evaluation.run import Run
from evaluation.runspec import differences
from evaluation.stored_inputs import prompt_from_json, scenarios_from_text
from evaluation.suites import Suites
from scripts.run.load import build_suite
from scripts.run.prompts import INPUT as JUDGE_PROMPT
from scripts.run.prompts import with_judge_prompt
from services.journal import Journal, StoredRun


def stored_runs(journal: Journal, reference: str, suites: Suites) -> list[Run]:
    """The run that was asked for, by id or as `last`, with the others of its group, as they were planned."""
    asked = find_stored(journal, reference)
    group = [run for run in journal.runs() if run.group_id == asked.group_id]
    return [read_run(run, suites) for run in sorted(group, key=lambda run: run.run_id)]


def stored_run(journal: Journal, reference: str, suites: Suites) -> Run:
    """One run as it was planned, by id or as `last`."""
    return read_run(find_stored(journal, reference), suites)


def find_stored(journal: Journal, reference: str) -> StoredRun:
    """A run by id or as `last`. Raises UsageError when there is none at all, JournalError for an unknown id."""
    newest = next(journal.runs(1), None)
    if newest is None:
        raise UsageError(f"run {reference!r}: there is no run yet: start one with make eval PROMPT=v3")
    return newest if reference == "last" else journal.run(reference)


def read_run(stored: StoredRun, suites: Suites) -> Run:
    """A run as the journal holds it: its own prompt, rubric and scenarios, whatever the files say now."""
    if stored.spec.suite not in suites:
        raise UsageError(f"run {stored.run_id} is of suite {stored.spec.suite!r}, which this version does not have")
    inputs = dict(stored.inputs)
    prompt, scenarios = inputs.pop("prompt", None), inputs.pop("scenarios")
    loaded = build_suite(suites[stored.spec.suite], inputs["rubric"], f"rubric of run {stored.run_id}")
    return Run(
        run_id=stored.run_id,
        group_id=stored.group_id,
        parent_run_id=stored.parent_run_id,
        created_at=stored.created_at,
        spec=stored.spec,
        suite=with_judge_prompt(loaded, _judge_prompt(inputs)).suite,
        prompt=None if prompt is None else prompt_from_json(json.loads(prompt)),
        scenarios=scenarios_from_text(scenarios),
        request=request_of(stored.arguments),
        inputs=inputs,
        provenance=stored.provenance,
    )


def stored_judge_prompt(run: Run) -> PromptVersion | None:
    """The team's own prompt that the run's judge was given."""
    return _judge_prompt(run.inputs)


def _judge_prompt(inputs: Mapping[str, str]) -> PromptVersion | None:
    text = inputs.get(JUDGE_PROMPT)
    return None if text is None else prompt_from_json(json.loads(text))


def find_earlier_runs(planned: Sequence[Run], days: float | None, journal: Journal, suites: Suites) -> dict[str, Run]:
    """Run id of the plan -> the finished run of equal digests, at most so many days old, that stands for it."""
    if days is None:
        return {}
    oldest = time.time() - days * 86_400
    stored = [run for run in journal.runs() if run.state == "finished" and run.created_at >= oldest]
    found = {}
    for run in planned:
        twin = next((each for each in stored if not differences(each.spec, run.spec)), None)
        if twin is not None:
            found[run.run_id] = read_run(twin, suites)
    return found
