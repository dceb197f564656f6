"""Delivering to Langfuse what it has not confirmed yet, for every stored run that it lacks something of."""

import argparse
import asyncio
from functools import partial

from evaluation.delivered import LangfuseReport
from evaluation.errors import EvaluationError
from evaluation.suites import SUITES
from scripts.run.files import write_report
from scripts.run.stored import conclude_run, restore_run, stored_run
from scripts.shell import DONE, INCOMPLETE, note, printable
from services.journal import Journal, journal_file
from services.journal.outbox import counts
from services.langfuse.delivery import sync
from services.run_folder import read_json, run_folder, write_json
from services.settings import Settings


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
        outcome = conclude_run(run, journal, settings, run.request, wall_seconds=wall_seconds)
        write_report(outcome.with_langfuse(report), journal, settings)
    except EvaluationError as error:
        note(f"  report.html is as it was: {error}")
