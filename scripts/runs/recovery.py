"""Saving what can be read of a damaged journal."""

import argparse
import json

from scripts.shell import DONE
from services.journal import journal_file
from services.journal.recovery import is_whole, recover
from services.settings import Settings

COUNTED = {"runs": "runs", "calls": "answered calls", "results": "results", "outbox": "deliveries"}
"""Table -> what people call its rows."""


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
