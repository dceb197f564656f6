"""What people should label of the judged responses of production, put before them in Langfuse."""

import argparse

from evaluation.errors import UsageError
from scripts.reviewing.langfuse import fill_queue
from scripts.run.people import draw_file, read_draw
from scripts.shell import note
from scripts.traces.planning import judged_run_id
from services.journal import Journal
from services.record_files import REVIEWS
from services.settings import Settings

STAND_IN = "the stand-in judges, and what it marks is not worth people's time: set OPENAI_API_KEY"
"""Why a queue is refused, and what would change that."""


def queue_judged(sample_id: str, options: argparse.Namespace, settings: Settings, again: str) -> int:
    """Fills the queue with what is drawn of the judged responses for labels that count; returns the exit code.

    The draw is that of `make review ARGS="next"`: responses of which a label says most come in more often, each with a
    known probability, and none is left out for sure. How many were added is noted aside where the output is JSON.
    `again` is the command that goes on where Langfuse refuses or stays away. Raises UsageError where nothing was
    judged, or by the stand-in.
    """
    run_id, name = judged_run_id(sample_id), options.queue
    with Journal.in_folder(settings.runs_dir) as journal:
        if run_id not in journal.run_ids():
            raise UsageError(f"--queue {name}: nothing of sample {sample_id} was judged: add --judge N")
        if journal.run(run_id, inputs=False).spec.rehearsed:
            raise UsageError(f"--queue {name}: {STAND_IN}, and begin another sample")
    more, seed = _more(run_id, options.queue_size, settings)
    asked = argparse.Namespace(
        run=run_id, name=name, limit=None, seed=seed, next=more, to_review=False, reviews=None, file=None, rubric=None
    )
    return fill_queue(asked, settings, note if options.json else print, again=f"go on with {again}")


def _more(run_id: str, size: int | None, settings: Settings) -> tuple[int, int]:
    """(how many more are to be drawn so that about `size` are, seed of the draw): 0 for the draw as it is."""
    before = read_draw(draw_file(settings.runs_dir / REVIEWS, run_id))
    if before is None:
        return size or 0, 0
    return max(0, (size or 0) - round(before.expected)), before.seed
