"""Runs removed from the journal and the disk, never an undelivered one or a baseline, and a damaged journal saved."""

import argparse
import json
import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from evaluation.errors import JournalError
from scripts.shell import DONE, note
from services.baselines import baseline_run_ids
from services.journal import Journal, journal_file, outbox
from services.journal.recovery import is_whole, recover
from services.run_folder import run_folder
from services.settings import Settings

DAY = 86_400


COUNTED = {"runs": "runs", "calls": "answered calls", "results": "results", "outbox": "deliveries"}
"""Table -> what people call its rows."""


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
    waiting = [run_id for run_id in named if run_id not in kept and outbox.counts(journal, run_id).get("pending")]
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
    journal.remove_runs(chosen)
    groups -= {run.group_id for run in journal.runs()}
    for name in (*chosen, *sorted(groups)):
        shutil.rmtree(run_folder(settings.runs_dir, name), ignore_errors=True)


def prune_runs(options: argparse.Namespace, settings: Settings) -> int:
    """Removes what is beyond the newest N and older than the bound; a run with undelivered evidence stays."""
    before = time.time() - options.older_than * DAY
    with Journal.in_folder(settings.runs_dir) as journal:
        candidates = [run for number, run in enumerate(journal.runs()) if number >= options.keep]
        found = removable([run.run_id for run in candidates if run.created_at < before], journal, settings)
        if options.yes:
            remove(found.run_ids, journal, settings)
    if found.waiting:
        note(f"{len(found.waiting)} old runs stay: Langfuse has not confirmed them yet (make sync)")
    if found.baselines:
        note(f"{len(found.baselines)} old runs stay: they are approved baselines")
    if options.json:
        print(json.dumps({"removed" if options.yes else "would_remove": found.run_ids}))
    else:
        done = "removed" if options.yes else "would be removed: add --yes"
        print("\n".join([*found.run_ids, f"{len(found.run_ids)} runs {done}"]))
    return DONE


def recover_journal(options: argparse.Namespace, settings: Settings) -> int:
    """Puts a new journal with all that can be saved in the place of a damaged one, which is kept beside it."""
    path = journal_file(settings.runs_dir)
    if is_whole(path):
        print(json.dumps({"whole": True}) if options.json else f"{path}: the journal is whole: nothing was changed")
        return DONE
    found = recover(path)
    if options.json:
        counts = {"set_aside": str(found.set_aside), "saved": found.saved, "dropped": found.dropped}
        print(json.dumps({"whole": False, **counts, "runs": found.runs}))
        return DONE
    print(f"the damaged journal is kept as {found.set_aside}")
    for table, name in COUNTED.items():
        dropped = found.dropped[table]
        print(f"{found.saved[table]:8,} {name} saved{f', {dropped:,} lack texts and were left out' if dropped else ''}")
    print('go on with a run: make eval ARGS="--resume RUN_ID"; what was lost is asked again')
    for run_id in found.runs:
        print(f"  {run_id}")
    return DONE
