"""List, show, report, compare, export and prune the runs in the journal, and save what can be read of a damaged one."""

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import argparse
import json
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.runspec import PromptPin
from scripts.arguments import amount, positive
from scripts.shell import DONE, note, run_command

if TYPE_CHECKING:
    from scripts.run.plan import PlannedRun
    from services.journal import Journal, RunRecord
    from services.settings import Settings

DAY = 86_400
PLAIN = ("run_id", "scenario_id", "situation", "category", "audience", "tags", "repeat", "turn", "state", "model")
TEXTS = ("prompt", "input", "response", "finish_reason", "latency_ms", "cost_usd")
"""Columns of an exported exchange, before its scores."""
RECORDS = "docs/evals_runs.jsonl"
"""Where a team keeps the evaluation records of its runs."""


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)

    def command() -> int:
        from services.journal import Journal
        from services.settings import read_settings

        settings = read_settings()
        if options.action is None:  # of all actions the one that opens no journal: it may not open
            return recover_journal(options, settings.runs_dir / "evals.db")
        with Journal.open(settings.runs_dir / "evals.db") as journal:
            code: int = options.action(options, journal, settings)
            return code

    return run_command(command)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="manage_runs", description=__doc__)
    actions = parser.add_subparsers(required=True, metavar="list | show | report | diff | export | prune | recover")
    listing = actions.add_parser("list", help="the newest runs")
    listing.add_argument("--limit", type=positive, default=20, metavar="N", help="at most so many")
    listing.set_defaults(action=list_runs)
    show = actions.add_parser("show", help="the summary of one run")
    show.add_argument("run", metavar="RUN_ID|last", help="which run")
    show.set_defaults(action=show_run)
    report = actions.add_parser("report", help="write report.html of one run anew")
    report.add_argument("run", metavar="RUN_ID|last", help="which run")
    report.set_defaults(action=report_run)
    diff = actions.add_parser("diff", help="in what two runs differ: what makes them incomparable")
    diff.add_argument("runs", nargs=2, metavar="RUN_ID|last", help="the two runs")
    diff.set_defaults(action=diff_runs)
    export = actions.add_parser("export", help="one row per evaluated exchange, as CSV or as evaluation records")
    export.add_argument("run", metavar="RUN_ID|last", help="which run")
    form = export.add_mutually_exclusive_group(required=True)
    form.add_argument("--csv", metavar="FILE", help="where the rows go")
    form.add_argument(
        "--records", nargs="?", const=RECORDS, metavar="FILE",
        help=f"append what FILE does not hold yet of its evaluation records (default: {RECORDS})",
    )  # fmt: skip
    export.set_defaults(action=export_run)
    prune = actions.add_parser("prune", help="remove old runs from the journal and from disk")
    prune.add_argument("--keep", type=positive, required=True, metavar="N", help="the newest N runs stay")
    prune.add_argument("--older-than", type=amount, default=1, metavar="DAYS", help="younger runs stay (default 1)")
    prune.add_argument("--yes", action="store_true", help="remove them; without it they are only listed")
    prune.set_defaults(action=prune_runs)
    recover = actions.add_parser("recover", help="save what can be read of a damaged journal")
    recover.set_defaults(action=None)
    for action in (listing, show, report, diff, export, prune, recover):
        action.add_argument("--json", action="store_true", help="print JSON")
    return parser


def list_runs(options: argparse.Namespace, journal: "Journal", settings: "Settings") -> int:
    """A line per run, newest first."""
    rows = [_row(run, settings) for run in journal.runs(options.limit)]
    if options.json:
        print(json.dumps(rows, indent=2))
        return DONE
    if not rows:
        note("there is no run yet: start one with make eval PROMPT=v3")
    for row in rows:
        mean = "   -" if row["overall"] is None else f"{row['overall']:.2f}"
        print(f"{row['run_id']:58}  {mean}  {row['verdict'] or row['state']}")
    return DONE


def _row(run: "RunRecord", settings: "Settings") -> dict[str, Any]:
    from evaluation.errors import UsageError
    from scripts.run.stored_decision import finite, known_verdict
    from services.run_folder import read_json, run_folder

    row: dict[str, Any] = {
        "run_id": run.run_id,
        "group_id": run.group_id,
        "created_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(run.created_at)),
        "suite": run.spec.suite,
        "prompt": None if run.spec.prompt is None else asdict(run.spec.prompt),
        "model": run.spec.answerer,
        "state": run.state,
        "overall": None,
        "verdict": None,
    }
    try:
        decision = read_json(run_folder(settings.runs_dir, run.run_id) / "decision.json")
        overall = decision["overall"]
        row["overall"] = None if overall is None or overall["mean"] is None else finite(overall["mean"])
        row["verdict"] = known_verdict(decision["verdict"])
    except (OSError, ValueError, KeyError, TypeError, UsageError):
        pass  # the run was never finished: its state says so
    return row


def show_run(options: argparse.Namespace, journal: "Journal", settings: "Settings") -> int:
    """The summary, as when the run ended."""
    from evaluation.suites import SUITES
    from scripts.run.finish import conclude
    from scripts.run.output import print_runs
    from scripts.run.plan import stored_request, stored_run

    run = stored_run(journal, options.run, SUITES)
    print_runs([conclude(run, journal, settings, stored_request(run))], as_json=options.json)
    return DONE


def report_run(options: argparse.Namespace, journal: "Journal", settings: "Settings") -> int:
    """The page of a stored run, in its folder; the other files stay as they are."""
    from evaluation.suites import SUITES
    from scripts.run.finish import conclude, write_report
    from scripts.run.plan import stored_request, stored_run

    run = stored_run(journal, options.run, SUITES)
    path = str(write_report(conclude(run, journal, settings, stored_request(run)), journal, settings))
    print(json.dumps({"file": path}) if options.json else path)
    return DONE


def diff_runs(options: argparse.Namespace, journal: "Journal", _settings: "Settings") -> int:
    """The parts of the run specifications that differ, with both values."""
    from evaluation.runspec import differences
    from scripts.run.plan import run_record

    first, second = (run_record(journal, run_id).spec for run_id in options.runs)
    parts = differences(first, second)
    values = {part: [first.parts()[part], second.parts()[part]] for part in parts}
    if options.json:
        print(json.dumps(values, indent=2))
        return DONE
    if not parts:
        print("they measure the same")
    for part, (one, other) in values.items():
        print(f"{part}\n  - {_short(one)}\n  + {_short(other)}")
    return DONE


def _short(value: Any) -> str:
    from scripts.shell import printable

    return printable(json.dumps(value, ensure_ascii=False))


def export_run(options: argparse.Namespace, journal: "Journal", _settings: "Settings") -> int:
    """One row per exchange: what was said, every score, the judge's words. Spreadsheets see text, never formulas."""
    from evaluation.result_line import result_line
    from evaluation.suites import SUITES
    from scripts.run.finish import header, planned_sources
    from scripts.run.plan import stored_run
    from services.tables import write_csv

    run = stored_run(journal, options.run, SUITES)
    if options.records is not None:
        return export_records(run, options, journal)
    head = header(run)
    rows = (flat(result_line(result, head)) for result in journal.results(run.run_id, run.scenario_ids))
    scores = [f"{source}.{metric}" for source in planned_sources(run) for metric in run.suite.metrics_of(source)]
    count = write_csv(Path(options.csv), (*PLAIN, *TEXTS, *scores, "judge.reasoning", "error"), rows)
    print(json.dumps({"rows": count, "file": options.csv}) if options.json else f"{count} rows in {options.csv}")
    return DONE


def export_records(run: "PlannedRun", options: argparse.Namespace, journal: "Journal") -> int:
    """Appends the run's evaluation records; those that are there already are not written twice."""
    from scripts.run.eval_records import append_records, shown_traces
    from scripts.run.finish import header

    head = replace(header(run), trace_ids=shown_traces(run, journal))
    added, there = append_records(run, head, journal, Path(options.records))
    if options.json:
        print(json.dumps({"added": added, "there": there, "file": options.records}))
    else:
        print(f"{added} records added to {options.records}, {there} were there")
    return DONE


def flat(line: dict[str, Any]) -> dict[str, Any]:
    """A line of results.jsonl as one row: a column per source and metric, and plain texts beside."""
    row: dict[str, Any] = {name: line[name] for name in (*PLAIN, *TEXTS)}
    row["tags"] = " ".join(line["tags"])
    row["prompt"] = "" if line["prompt"] is None else PromptPin(**line["prompt"]).title
    for source, scores in line["scores"].items():
        row.update({f"{source}.{metric}": value for metric, value in scores.items()})
    row["judge.reasoning"] = line["judge"]["reasoning"] if line["judge"] else ""
    row["error"] = line["error"]["message"] if line["error"] else ""
    return row


def prune_runs(options: argparse.Namespace, journal: "Journal", settings: "Settings") -> int:
    """Removes what is beyond the newest N and older than the bound; a run with undelivered evidence stays."""
    from scripts.run.prune import removable, remove

    before = time.time() - options.older_than * DAY
    candidates = [run for number, run in enumerate(journal.runs()) if number >= options.keep]
    found = removable([run.run_id for run in candidates if run.created_at < before], journal, settings)
    if found.waiting:
        note(f"{len(found.waiting)} old runs stay: Langfuse has not confirmed them yet (make sync)")
    if found.baselines:
        note(f"{len(found.baselines)} old runs stay: they are approved baselines")
    if options.yes:
        remove(found.run_ids, journal, settings)
    _tell(found.run_ids, removed=options.yes, as_json=options.json)
    return DONE


def recover_journal(options: argparse.Namespace, path: Path) -> int:
    """Puts a new journal with all that can be saved in the place of a damaged one, which is kept beside it."""
    from services.journal.recovery import is_whole, recover

    if is_whole(path):
        print(json.dumps({"whole": True}) if options.json else f"{path}: the journal is whole: nothing was changed")
        return DONE
    found = recover(path)
    if options.json:
        told = {"whole": False, "set_aside": str(found.set_aside), "saved": found.saved, "dropped": found.dropped}
        print(json.dumps({**told, "runs": found.runs}))
        return DONE
    print(f"the damaged journal is kept as {found.set_aside}")
    counted = {"runs": "runs", "calls": "answered calls", "results": "results", "outbox": "deliveries"}
    for table, name in counted.items():
        dropped = found.dropped[table]
        print(f"{found.saved[table]:8,} {name} saved{f', {dropped:,} lack texts and were left out' if dropped else ''}")
    print('go on with a run: make eval ARGS="--resume RUN_ID"; what was lost is asked again')
    for run_id in found.runs:
        print(f"  {run_id}")
    return DONE


def _tell(run_ids: Iterable[str], *, removed: bool, as_json: bool) -> None:
    listed = list(run_ids)
    if as_json:
        print(json.dumps({"removed" if removed else "would_remove": listed}))
        return
    print("\n".join([*listed, f"{len(listed)} runs {'removed' if removed else 'would be removed: add --yes'}"]))


if __name__ == "__main__":
    sys.exit(main())
