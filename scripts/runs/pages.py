"""The pages of a folder of runs: the one that is asked for, and the index, written once more from the files of runs."""

import argparse
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from evaluation.commands import write_command
from evaluation.errors import UsageError
from evaluation.reports.entries import (
    Entry,
    entry_of_comparison,
    entry_of_night,
    entry_of_run,
    entry_of_sample,
    entry_of_sweep,
)
from scripts.run.index import INDEX, NIGHTS, is_part, newest_page, write_index
from scripts.run.opening import open_page
from scripts.run.stored import find_stored
from scripts.shell import DONE
from services.journal import Journal, StoredRun
from services.run_folder import read_json, run_folder
from services.settings import Settings

OF_ALL = "index"
LAST = "last"


def open_one(options: argparse.Namespace, settings: Settings) -> int:
    """Opens a page and prints its path."""
    path = find_page(options.page, settings)
    print(path)
    if not options.only_print:
        open_page(path)
    return DONE


def find_page(reference: str | None, settings: Settings) -> Path:
    """The page that was written last, or that of a run, night or sweep. Raises UsageError where there is none."""
    runs = settings.runs_dir
    if not runs.is_dir():
        raise UsageError(f"{runs}: there is no page yet: start a run with {write_command('eval')}")
    with Journal.in_folder(runs) as journal:
        if reference == OF_ALL:
            write_index(journal, settings)
            found = runs / INDEX
        elif reference is None:
            newest = newest_page(journal, settings)
            if newest is None:
                raise UsageError(f"{runs}: there is no page yet: start a run with {write_command('eval')}")
            found = newest
        else:
            places = [run_folder(folder, reference) / "report.html" for folder in (runs, runs / NIGHTS)]
            known = [place for place in places if reference != LAST and place.is_file()]
            found = known[0] if known else run_folder(runs, find_stored(journal, reference).run_id) / "report.html"
    if not found.is_file():
        again = write_command("runs", "report", reference or LAST)
        raise UsageError(f"{found}: there is no such page: write it with {again}")
    return found


def renew_index(options: argparse.Namespace, settings: Settings) -> int:
    """Notes every line of the index once more from the files of runs, comparisons, nights and sweeps, and writes it."""
    with Journal.in_folder(settings.runs_dir) as journal:
        found = sorted(_files(journal, settings), key=lambda each: each[0].made_at)
        for entry, group_id in found:
            journal.note_entry(entry.kind, entry.name, entry.to_json(), group_id)
        write_index(journal, settings)
    path = str(settings.runs_dir / INDEX)
    print(json.dumps({"file": path, "lines": len(found)}) if options.json else f"{path}: {len(found)} lines")
    return DONE


def _files(journal: Journal, settings: Settings) -> Iterator[tuple[Entry, str]]:
    """What can be read, with the group of a sweep; a file that is no longer what the tool wrote is passed over."""
    groups = set[str]()
    for run in journal.runs(inputs=False):
        folder = run_folder(settings.runs_dir, run.run_id)
        with suppress(OSError, ValueError):
            yield _run(run, folder), ""
        with suppress(OSError, ValueError):
            path = folder / "comparison.json"
            document, page = read_json(path), f"{run.run_id}/comparison.html"
            yield entry_of_comparison(run.spec, run.run_id, path.stat().st_mtime, document, page), ""
        if run.group_id not in groups:
            groups.add(run.group_id)
            with suppress(OSError, ValueError, UsageError):
                path = run_folder(settings.runs_dir, run.group_id) / "sweep.json"
                page = f"{run.group_id}/report.html"
                sweep = entry_of_sweep(run.spec, path.stat().st_mtime, read_json(path), page, "")
                yield sweep, run.group_id
    for path in sorted(settings.runs_dir.glob("*-production-*/summary.json")):
        with suppress(OSError, ValueError):
            if not path.parent.is_symlink() and (document := read_json(path)).get("kind") == "production":
                yield entry_of_sample(document, f"{path.parent.name}/report.html"), ""
    for path in sorted((settings.runs_dir / NIGHTS).glob("*/night.json")):
        with suppress(OSError, ValueError):
            if not path.parent.is_symlink():
                yield _night(path), ""


def _run(run: StoredRun, folder: Path) -> Entry:
    page = f"{run.run_id}/report.html" if (folder / "report.html").is_file() else ""
    decision = read_json(folder / "decision.json")
    return entry_of_run(run.spec, run.run_id, run.created_at, decision, page=page, part=is_part(run))


def _night(path: Path) -> Entry:
    page = f"{NIGHTS}/{path.parent.name}/report.html" if path.with_name("report.html").is_file() else ""
    return entry_of_night(read_json(path), page)
