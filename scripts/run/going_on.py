"""The commands that go on with runs which an error ended."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from evaluation.commands import write_command
from evaluation.errors import EndpointRefused, EvaluationError, JournalError, JournalGone
from evaluation.judging.asking import FORMATS
from evaluation.request import arguments_of
from evaluation.run import Run
from scripts.shell import note
from services.journal import Journal

FORMAT_WORDS = ("response_format", "json_schema", "json_object")
"""What a refusal of a judge's format names."""
PLAINEST = f"--judge-format {FORMATS[-1]}"


@contextmanager
def hint_at_resume(runs: Sequence[Run], journal: Journal) -> Iterator[None]:
    """Where an error ends runs of which something was answered, names the command that goes on with them."""
    try:
        yield
    except JournalGone:
        raise
    except EvaluationError as error:
        if any(_has_answers(run, journal) for run in runs):
            note(f"what was answered is kept; go on with: {runs[0].resume_command()}")
            if isinstance(error, EndpointRefused) and (others := _without(error.model, runs)):
                note(f"that was model {error.model}; the others alone, with what is kept: {others}")
            if isinstance(error, EndpointRefused) and _is_of_format(error, runs[0]):
                note(f"a resume asks in the same format; in another: {runs[0].judged_otherwise_command(PLAINEST)}")
        raise


def _without(model: str, runs: Sequence[Run]) -> str:
    """The command that plays the other models of a pass; empty where that model is none of several."""
    models = list(dict.fromkeys(run.spec.model for run in runs))
    if model not in models or len(models) == 1:
        return ""
    named = [word for other in models if other != model for word in ("--model", other)]
    request = replace(runs[0].request, model=None, cache="all")
    return write_command(runs[0].suite.make_target, *arguments_of(request), *named)


def _has_answers(run: Run, journal: Journal) -> bool:
    """True when the journal holds an answer of the run, or a failure; False where it cannot be read."""
    try:
        return bool(journal.call_totals(run.run_id) or journal.final_positions(run.run_id, ("failed",)))
    except JournalError:
        return False


def _is_of_format(error: EndpointRefused, run: Run) -> bool:
    """True where the endpoint may refuse the format in which the run asks its judge."""
    judge = run.spec.judge
    return (
        judge is not None and judge.format != FORMATS[-1] and any(word in str(error).lower() for word in FORMAT_WORDS)
    )
