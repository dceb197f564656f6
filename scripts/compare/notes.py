"""Notes beside a comparison: earlier runs and their dates, versions that held another text, runs to complete."""

import time
from collections.abc import Iterator, Sequence

from evaluation.run import Run
from scripts.workflow import Outcome
from services.journal import Journal, StoredRun


def note_runs(asked: Sequence[Run], runs: Sequence[Run], evaluation: Outcome | None, journal: Journal) -> Iterator[str]:
    """Earlier runs among the sides, those that were scored again, and version numbers that held another text before.

    `asked` are the sides as they were evaluated, `runs` as they are compared.
    """
    fresh = set() if evaluation is None else {each.run.run_id for each in evaluation.runs if not each.stored}
    for run in asked:
        if run.run_id not in fresh:
            yield f"{run.run_id} is an earlier run, of {moment(run)}"
    for before, run in zip(asked, runs, strict=True):
        if before.run_id != run.run_id:
            yield f"{before.run_id} was scored by other code: it was scored again, without a call, as {run.run_id}"
    stored = list(journal.runs())
    for run in runs:
        yield from _note_other_text(run, stored)


def _note_other_text(run: Run, stored: Sequence[StoredRun]) -> Iterator[str]:
    """Whether the newest other run of the same prompt version was of another text."""
    pin = run.spec.prompt
    if pin is None or pin.version is None:
        return
    for other in stored:
        theirs = other.spec.prompt
        same = theirs is not None and (theirs.name, theirs.version) == (pin.name, pin.version)
        if other.run_id == run.run_id or theirs is None or not same:
            continue
        if theirs.sha256 != pin.sha256:
            yield f"{pin.title} held another text in run {other.run_id}, of {moment(other)}"
        return


def note_incomplete(runs: Sequence[Run]) -> Iterator[str]:
    """How to complete what is missing."""
    for run in runs:
        yield f"{run.run_id} is incomplete; go on with: {run.resume_command()}"


def moment(record: Run | StoredRun) -> str:
    """When a run was made."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(record.created_at))
