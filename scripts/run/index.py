"""The index of a folder of runs, `runs/index.html`: its lines in the journal, and the page that is written from them.

A command notes the line of what it leaves and writes the page once more at its end. No file of a run is opened. What
goes wrong with the page is noted, and changes neither the command's result nor its exit code.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from evaluation.errors import EvaluationError
from evaluation.outcome import RunOutcome
from evaluation.records import Json
from evaluation.reports.entries import (
    NOT_NOTED,
    UNFINISHED,
    Entry,
    entry_from_json,
    entry_of_comparison,
    entry_of_night,
    entry_of_run,
    entry_of_sample,
    entry_of_sweep,
)
from evaluation.reports.html.index import Index, index_page, with_script
from evaluation.reports.html.page import Assets
from evaluation.run import Run
from scripts.shell import note
from services.journal import Journal, StoredRun
from services.journal.access import hold
from services.run_folder import write_text
from services.settings import Settings
from services.workspace import read_index_assets, read_page_assets

INDEX = "index.html"
NIGHTS = "nightly"
"""The folder of the nights, below that of the runs."""
MOST = 2_000
"""Lines of the page, the newest."""

Make: TypeAlias = Callable[[], Entry]


def note_run(outcome: RunOutcome, journal: Journal, passed: bool | None = None) -> None:
    """Notes the line of a run that has ended; `passed` says how a gate of several runs answered, if one did."""
    run = outcome.run
    decision = outcome.decision_json()
    if passed is not None:
        decision["gate"] = {"passed": passed}
    scale = run.suite.scale(outcome.summary.source)
    page = f"{run.run_id}/report.html"

    def make() -> Entry:
        return entry_of_run(run.spec, run.run_id, run.created_at, decision, page=page, scale=scale, part=run.is_sample)

    _note(make, journal)


def note_comparison(candidate: Run, document: Json, journal: Journal) -> None:
    """Notes the line of a comparison or ranking, by its comparison.json in the candidate's folder."""
    page = f"{candidate.run_id}/comparison.html"
    _note(lambda: entry_of_comparison(candidate.spec, candidate.run_id, time.time(), document, page), journal)


def note_night(document: Json, journal: Journal, page: str = "") -> None:
    """Notes the line of a night, by its night.json."""
    _note(lambda: entry_of_night(document, page), journal)


def note_sweep(run: Run, document: Json, headline: str, journal: Journal) -> None:
    """Notes the line of a sweep, by its sweep.json; `run` is one of its runs."""
    page = f"{run.group_id}/report.html"
    _note(lambda: entry_of_sweep(run.spec, time.time(), document, page, headline), journal, run.group_id)


def note_sample(document: Json, journal: Journal) -> None:
    """Notes the line of a sample of production, by its summary.json."""
    _note(lambda: entry_of_sample(document, f"{document['run_id']}/report.html"), journal)


def _note(make: Make, journal: Journal, group_id: str = "") -> None:
    with only_noted():
        entry = make()
        journal.note_entry(entry.kind, entry.name, entry.to_json(), group_id)


def write_index(journal: Journal, settings: Settings) -> None:
    """Writes the page from the lines in the journal. Of two commands the later one sees the lines of both."""
    path = settings.runs_dir / INDEX
    with only_noted(), hold(settings.runs_dir / f".{INDEX}.lock", "the index", wait=True):
        entries = {(entry.kind, entry.name): entry for entry in _entries(journal)}
        newest = sorted(entries.values(), key=lambda entry: entry.made_at, reverse=True)[:MOST]
        write_text(path, index_page(Index(newest, journal.count_entries() - len(newest)), _assets()))


def samples_noted(journal: Journal) -> list[Entry]:
    """The lines of samples of production, the one that was noted last first."""
    return [entry for entry in _noted(journal) if entry.kind == "production sample"]


def newest_page(journal: Journal, settings: Settings) -> Path | None:
    """The page that was written last; None where there is none."""
    for entry in _noted(journal):
        if entry.page and (path := settings.runs_dir / entry.page).is_file():
            return path
    return None


def _entries(journal: Journal) -> Iterator[Entry]:
    yield from _noted(journal)
    yield from map(_unnoted, journal.runs_without_entry(MOST))


def _noted(journal: Journal) -> Iterator[Entry]:
    """The newest lines; one that cannot be read is passed over."""
    for record in journal.entries(MOST):
        try:
            yield entry_from_json(record)
        except ValueError:
            continue


def _unnoted(run: StoredRun) -> Entry:
    """The line of a run of which nothing is noted: it is being played, was killed, or an earlier version made it."""
    mark = UNFINISHED if run.state == "running" else NOT_NOTED
    page = f"{run.run_id}/report.html"
    entry = entry_of_run(run.spec, run.run_id, run.created_at, None, page=page, part=is_part(run))
    return replace(entry, page="" if run.state == "running" else entry.page, marks=(*entry.marks, mark))


def is_part(run: StoredRun) -> bool:
    """As `Run.is_sample`, of a run of which nothing but its row is read."""
    return run.parent_run_id is not None and isinstance(run.arguments, Mapping) and bool(run.arguments.get("only"))


@lru_cache(maxsize=1)
def _assets() -> Assets:
    return with_script(Assets(*read_page_assets()), *read_index_assets())


@contextmanager
def only_noted() -> Iterator[None]:
    """An error of the index is a line on stderr."""
    try:
        yield
    except (EvaluationError, ValueError) as error:
        note(f"{INDEX} is not up to date: {error}")
