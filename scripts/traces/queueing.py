"""What people should label of the judged responses of production, put before them in Langfuse."""

import argparse

from evaluation.errors import UsageError
from scripts.reviewing.langfuse import fill_queue
from scripts.shell import note
from scripts.traces.planning import judged_run_id
from services.journal import Journal
from services.settings import Settings


def queue_judged(sample_id: str, name: str, settings: Settings, *, aside: bool) -> int:
    """Fills the queue with what is drawn of the judged responses for labels that count; returns the exit code.

    The draw is that of `make review ARGS="next"`: responses of which a label says most come in more often, each with a
    known probability, and none is left out for sure. How many were added is noted `aside` where the output is JSON.
    Raises UsageError where nothing was judged.
    """
    run_id = judged_run_id(sample_id)
    with Journal.in_folder(settings.runs_dir) as journal:
        if run_id not in journal.run_ids():
            raise UsageError(f"--queue {name}: nothing of sample {sample_id} was judged: add --judge N")
    asked = argparse.Namespace(
        run=run_id, name=name, limit=None, seed=0, next=0, to_review=False, reviews=None, file=None, rubric=None
    )
    return fill_queue(asked, settings, note if aside else print)
