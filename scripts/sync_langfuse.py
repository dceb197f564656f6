"""Deliver to Langfuse what it has not confirmed yet, exactly once, also after a crash or an outage."""

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import argparse
import sys

from scripts.shell import DONE, INCOMPLETE, note, printable, run_command

DEADLINE_S = 600.0


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    return run_command(lambda: _sync(options.deadline, quiet=options.quiet))


def _sync(deadline_s: float, *, quiet: bool) -> int:
    import asyncio
    import json

    from scripts.delivering import evaluated_run_of
    from services.journal import Journal
    from services.journal.outbox import counts
    from services.langfuse.sync import sync
    from services.run_folder import run_folder, write_json
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
        print(f"nothing to deliver: Langfuse has confirmed everything{f' but {refused:,} refused' if refused else ''}")
    for run_id, report in reports.items():
        print(printable(f"{run_id}: {report.line()}"))
        if report.url:
            print(printable(f"  {report.url}"))
        for problem in report.problems:
            note(f"  {problem}")
        summary = run_folder(settings.runs_dir, run_id) / "summary.json"
        if summary.exists():
            value = json.loads(summary.read_text(encoding="utf-8"))
            write_json(summary, {**value, "langfuse": report.to_json()})
    return DONE if all(report.complete for report in reports.values()) else INCOMPLETE


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
