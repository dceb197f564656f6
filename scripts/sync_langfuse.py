"""Deliver to Langfuse what it has not confirmed yet, exactly once, also after a crash or an outage."""

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import argparse
import sys
from typing import TYPE_CHECKING

from scripts.shell import DONE, INCOMPLETE, note, printable, run_command

if TYPE_CHECKING:
    from services.journal import Journal
    from services.langfuse.report import LangfuseReport
    from services.settings import Settings

DEADLINE_S = 600.0


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    return run_command(lambda: _sync(options.deadline, quiet=options.quiet))


def _sync(deadline_s: float, *, quiet: bool) -> int:
    import asyncio

    from scripts.run.deliver import evaluated_run_of
    from services.journal import Journal
    from services.journal.outbox import counts
    from services.langfuse.sync import sync
    from services.settings import read_settings

    settings = read_settings()
    path = settings.runs_dir / "evals.db"
    if not path.exists():
        print("nothing to deliver: there are no runs")
        return DONE
    with Journal.open(path) as journal:
        progress = (lambda _: None) if quiet else note
        reports = asyncio.run(sync(settings, journal, evaluated_run_of, deadline_s=deadline_s, progress=progress))
        refused = counts(journal.reader)["rejected"]
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


def _write_down(run_id: str, report: "LangfuseReport", journal: "Journal", settings: "Settings") -> None:
    """Where Langfuse shows the run, in the files that name it: summary.json, and the page with its links to traces."""
    from evaluation.errors import EvaluationError
    from evaluation.suites import SUITES
    from scripts.run.finish import conclude, with_langfuse, write_report
    from scripts.run.plan import stored_request, stored_run
    from services.run_folder import read_json, run_folder, write_json

    folder = run_folder(settings.runs_dir, run_id)
    if not (folder / "summary.json").exists():
        return
    try:
        value = read_json(folder / "summary.json")
    except (OSError, ValueError) as error:
        note(f"  summary.json is as it was: {error}")
        return
    write_json(folder / "summary.json", {**value, "langfuse": report.to_json()})
    if not (folder / "report.html").exists():
        return
    try:
        run = stored_run(journal, run_id, SUITES)
        asked = stored_request(run)
        outcome = conclude(run, journal, settings, asked, wall_seconds=value.get("wall_seconds"))
        write_report(with_langfuse(outcome, report), journal, settings)
    except EvaluationError as error:
        note(f"  report.html is as it was: {error}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sync_langfuse",
        description="Delivers what Langfuse has not confirmed yet, and reads it back.",
        epilog="exit codes: 0 nothing is left to deliver, 2 configuration, 3 something is left or was refused",
    )
    parser.add_argument(
        "--deadline",
        type=float,
        default=DEADLINE_S,
        metavar="SECONDS",
        help="longest time for one run (default 600)",
    )
    parser.add_argument("--quiet", action="store_true", help="no progress and no notes")
    return parser


if __name__ == "__main__":
    sys.exit(main())
