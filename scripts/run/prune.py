"""Removing runs from the journal and from disk: never one that Langfuse has not confirmed, never a baseline's."""

import shutil
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from evaluation.errors import JournalError
from services.baselines import baseline_run_ids
from services.journal import Journal, outbox
from services.journal.pruning import remove_runs
from services.run_folder import run_folder
from services.settings import Settings


@dataclass(frozen=True, slots=True)
class Removable:
    """Runs that may go, and those that stay although they were named."""

    run_ids: tuple[str, ...]
    waiting: tuple[str, ...]
    """Langfuse has not confirmed them yet."""
    baselines: tuple[str, ...]


def removable(run_ids: Iterable[str], journal: Journal, settings: Settings) -> Removable:
    """Sorts the runs that are old enough to go."""
    named = list(run_ids)
    kept = baseline_run_ids(settings.baselines_dir)
    baselines = [run_id for run_id in named if run_id in kept]
    waiting = [
        run_id for run_id in named if run_id not in kept and outbox.counts(journal.reader, run_id).get("pending")
    ]
    staying = {*baselines, *waiting}
    return Removable(tuple(run_id for run_id in named if run_id not in staying), tuple(waiting), tuple(baselines))


def existing(run_ids: Iterable[str], journal: Journal) -> list[str]:
    """Those of the runs that the journal holds."""
    found = []
    for run_id in run_ids:
        with suppress(JournalError):
            found.append(journal.run(run_id).run_id)
    return found


def remove(run_ids: Iterable[str], journal: Journal, settings: Settings) -> None:
    """Removes them for good; with the last run of a group goes what its sweep left."""
    chosen = list(run_ids)
    if not chosen:
        return
    groups = {journal.run(run_id).group_id for run_id in existing(chosen, journal)}
    journal.commit_now(remove_runs(chosen))
    groups -= {run.group_id for run in journal.runs()}
    for name in (*chosen, *sorted(groups)):
        shutil.rmtree(run_folder(settings.runs_dir, name), ignore_errors=True)
