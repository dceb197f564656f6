"""Going on with a run: under its own arguments, and by a command that is printed whole."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from evaluation.errors import EvaluationError, JournalError, UsageError
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from scripts.arguments import MAY_CHANGE, refuse_new_arguments
from scripts.run.endpoint import EndpointChoice
from scripts.shell import note
from services.journal import Journal
from services.scorer import scorer_digest


def resumed_request(request: EvaluationRequest, run: Run, choice: EndpointChoice) -> EvaluationRequest:
    """The run's own arguments; only how it is carried out may differ.

    A sweep is gone on with by its own command alone, which analyses it when it is complete.
    """
    refuse_new_arguments(replace(request, sweep=False))
    stored, usual = run.request, EvaluationRequest()
    if stored.sweep and not request.sweep:
        raise UsageError(f"run {run.run_id} is one setting of a sweep: go on with all of it: {run.resume_command()}")
    asked = run.asked_endpoint
    if asked is not None and asked != choice.identity:
        raise UsageError(
            f"run {run.run_id} was made with {asked} and the settings now name {choice.identity}: "
            "set OPENAI_BASE_URL and OPENAI_API_KEY as they were, or start a new run"
        )
    if run.spec.scorer != scorer_digest(run.suite.scored_by):
        raise UsageError(
            f"run {run.run_id} was begun with another version of the scoring code, and one run has one scorer: "
            "start it again with --cache all, which pays for nothing that was answered"
        )
    changed = {name: getattr(request, name) for name in MAY_CHANGE if getattr(request, name) != getattr(usual, name)}
    return replace(stored, **{"dry_run": False, "quiet": False, "gate": None, **changed})


@contextmanager
def hint_at_resume(runs: Sequence[Run], journal: Journal) -> Iterator[None]:
    """Where an error ends runs of which something was answered, names the command that goes on with them."""
    try:
        yield
    except EvaluationError:
        if any(_answered(run, journal) for run in runs):
            note(f"what was answered is kept; go on with: {runs[0].resume_command()}")
        raise


def _answered(run: Run, journal: Journal) -> bool:
    """True when the journal holds an answer of the run; False where it cannot be read."""
    try:
        return bool(journal.call_totals(run.run_id))
    except JournalError:
        return False
