"""Upkeep of stored runs: delivered to Langfuse, removed (none that something rests on), saved from damage."""

import argparse
import asyncio
import json
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial

from evaluation.commands import write_command
from evaluation.delivered import LangfuseReport
from evaluation.errors import EvaluationError, JournalError
from evaluation.outcome import Ending
from evaluation.suites import SUITES
from evaluation.text import numbers
from scripts.run.files import write_report
from scripts.run.index import write_index
from scripts.run.stored import conclude_run, restore_run, stored_run
from scripts.shell import DONE, INCOMPLETE, note, printable
from services.baselines import baseline_run_ids
from services.certificates import certificate_run_ids
from services.journal import Journal, journal_file, outbox
from services.journal.outbox import counts
from services.journal.recovery import Recovered, is_whole, recover
from services.langfuse.delivery import sync
from services.run_folder import read_json, run_folder, write_json
from services.settings import Settings

DAY = 86_400


COUNTED = {"runs": "runs", "calls": "calls", "results": "results", "outbox": "deliveries"}
"""Table -> what people call its rows."""


@dataclass(frozen=True, slots=True)
class Removable:
    """Runs that may go, and those that stay although they were named."""

    run_ids: tuple[str, ...]
    waiting: tuple[str, ...]
    """Langfuse has not confirmed them yet."""
    held: tuple[str, ...]
    """They are baselines, or a certificate rests on them."""


def removable(run_ids: Iterable[str], journal: Journal, settings: Settings) -> Removable:
    """Sorts the runs that are old enough to go."""
    named = list(run_ids)
    kept = baseline_run_ids(settings.night.baselines_dir) | certificate_run_ids(settings.certificates_dir)
    held = [run_id for run_id in named if run_id in kept]
    waiting = [run_id for run_id in named if run_id not in kept and outbox.counts(journal, run_id).get("pending")]
    staying = {*held, *waiting}
    return Removable(tuple(run_id for run_id in named if run_id not in staying), tuple(waiting), tuple(held))


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
            write_index(journal, settings)
    if found.waiting:
        note(f"{len(found.waiting)} old runs stay: Langfuse has not confirmed them yet ({write_command('sync')})")
    if found.held:
        note(f"{len(found.held)} old runs stay: they are approved baselines, or certificates rest on them")
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
    code = DONE if found.complete else INCOMPLETE
    if options.json:
        fields = {**asdict(found), "set_aside": str(found.set_aside), "uncounted": sorted(found.uncounted)}
        print(json.dumps({"whole": False, **fields, "complete": found.complete}))
        return code
    print(f"the damaged journal is kept as\n  {found.set_aside}")
    print(f"{numbers.times(found.damaged_pages, 'page')} of it damaged or missing")
    for table, name in COUNTED.items():
        least, dropped = "at least " if table in found.uncounted else "", found.dropped[table]
        print(f"saved {found.saved[table]:,} of {least}{found.known[table]:,} {name}", end="")
        print(f"; {dropped:,} lack texts and were left out" if dropped else "")
    if found.complete:
        print("nothing is lost")
    with Journal.in_folder(settings.runs_dir) as journal:
        for line in _going_on(found, journal):
            print(printable(line))
    return code


def _going_on(found: Recovered, journal: Journal) -> Iterator[str]:
    """The command for each run that is not complete: what was lost is asked again, and nothing else."""
    for run_id in found.runs:
        try:
            run = stored_run(journal, run_id, SUITES)
            missing = run.planned_exchanges - len(journal.final_positions(run_id))
        except EvaluationError as error:
            yield f"{run_id}: {error}"
            continue
        yield f"{run_id}: " + (f"{numbers.times(missing, 'exchange')} to go:" if missing else "complete")
        if missing:
            yield f"  {run.resume_command()}"
    for run_id in found.lost_runs:
        yield f"{run_id}: lost with its texts"
        yield "  start it again with --cache all, which takes the replies that were saved"


def deliver_runs(options: argparse.Namespace, settings: Settings) -> int:
    """Sends what is left, reads it back, and says run by run what Langfuse confirmed."""
    if not journal_file(settings.runs_dir).exists():
        print("nothing to deliver: there are no runs")
        return DONE
    with Journal.in_folder(settings.runs_dir) as journal:
        progress = (lambda _: None) if options.quiet else note
        read = partial(restore_run, suites=SUITES)
        deadline_s = options.deadline
        reports = asyncio.run(sync(settings, journal, read, deadline_s=deadline_s, progress=progress))
        refused = counts(journal)["rejected"]
        if not reports:
            but = f" but {refused:,} refused" if refused else ""
            print(f"nothing to deliver: Langfuse has confirmed everything{but}")
        for run_id, report in reports.items():
            print(printable(f"{run_id}: {report.line()}"))
            if report.url:
                print(printable(f"  {report.url}"))
            for problem in report.problems:
                note(f"  {problem}")
            _write_down(run_id, report, journal, settings)
    return DONE if all(report.complete for report in reports.values()) else INCOMPLETE


def _write_down(run_id: str, report: LangfuseReport, journal: Journal, settings: Settings) -> None:
    """Writes where Langfuse shows the run into summary.json, and into the page with its links to traces."""
    folder = run_folder(settings.runs_dir, run_id)
    if not (folder / "summary.json").exists():
        return
    try:
        value = read_json(folder / "summary.json")
    except (OSError, ValueError) as error:
        note(f"  summary.json is as it was: {error}")
        return
    write_json(folder / "summary.json", {**value, "langfuse": report.to_json()})
    if (folder / "report.html").exists():
        _write_page(run_id, report, value.get("wall_seconds"), journal, settings)


def _write_page(
    run_id: str, report: LangfuseReport, wall_seconds: float | None, journal: Journal, settings: Settings
) -> None:
    try:
        run = stored_run(journal, run_id, SUITES)
        outcome = conclude_run(run, journal, settings, run.request, Ending(wall_seconds))
        write_report(outcome.with_langfuse(report), journal, settings)
    except EvaluationError as error:
        note(f"  report.html is as it was: {error}")
