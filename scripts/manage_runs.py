"""List, show, report, compare, export and prune the runs in the journal, and save what can be read of a damaged one."""

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from evaluation.request import GATES
from scripts.argument_values import amount, positive
from scripts.arguments import add_mix_argument
from scripts.command_parser import CommandParser
from scripts.shell import run_action

EXIT_CODES = (
    "exit codes: 0 done, 1 merge: gate failed, 2 wrong usage or nothing that can be saved, "
    "3 recover: something is lost, merge: something was not played"
)
RECORDS = "docs/evals_runs.jsonl"
"""The file in which a team keeps the evaluation records of its runs."""


def main(arguments: list[str] | None = None) -> int:
    return run_action(build_parser().parse_args(arguments))


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(prog="manage_runs", description=__doc__, epilog=EXIT_CODES)
    actions = parser.add_subparsers(
        required=True, metavar="list | show | report | diff | export | prune | merge | index | recover"
    )
    listing = actions.add_parser("list", help="the newest runs")
    listing.add_argument("--limit", type=positive, default=20, metavar="N", help="at most so many")
    listing.set_defaults(action="runs.listing:list_runs")
    show = actions.add_parser("show", help="the summary of one run")
    show.add_argument("run", metavar="RUN_ID|last", help="which run")
    add_mix_argument(show)
    show.set_defaults(action="runs.views:show_run")
    report = actions.add_parser(
        "report", help="write report.html of one run once more, and what labels that people gave since say of it"
    )
    report.add_argument("run", metavar="RUN_ID|last", help="which run")
    add_mix_argument(report)
    report.set_defaults(action="runs.views:report_run")
    diff = actions.add_parser("diff", help="in what two runs differ, texts and values: what makes them incomparable")
    diff.add_argument("runs", nargs=2, metavar="RUN_ID|last", help="the two runs")
    diff.add_argument("--whole", action="store_true", help="all that changed in their texts, however long")
    diff.set_defaults(action="runs.difference:diff_runs")
    export = actions.add_parser("export", help="one row per evaluated exchange, as CSV or as evaluation records")
    export.add_argument("run", metavar="RUN_ID|last", help="which run")
    form = export.add_mutually_exclusive_group(required=True)
    form.add_argument("--csv", metavar="FILE", help="where the rows go")
    form.add_argument(
        "--records", nargs="?", const=RECORDS, metavar="FILE",
        help=f"append what FILE does not hold yet of its evaluation records (default: {RECORDS})",
    )  # fmt: skip
    export.set_defaults(action="runs.views:export_run")
    prune = actions.add_parser("prune", help="remove old runs from the journal and from disk")
    prune.add_argument("--keep", type=positive, required=True, metavar="N", help="the newest N runs stay")
    prune.add_argument("--older-than", type=amount, default=1, metavar="DAYS", help="younger runs stay (default 1)")
    prune.add_argument("--yes", action="store_true", help="remove them; without it they are only listed")
    prune.set_defaults(action="runs.upkeep:prune_runs")
    merge = actions.add_parser("merge", help="one run of its shards, which machines of their own have played")
    merge.add_argument("shards", nargs="+", metavar="RUN_ID|DIR", help="runs of shards, or folders of runs with one")
    merge.add_argument("--gate", choices=GATES, help="exit 1 unless the verdict of the whole is at least this good")
    merge.set_defaults(action="runs.merge:merge_shards")
    index = actions.add_parser("index", help="note every line of index.html once more, from the files of runs")
    index.set_defaults(action="runs.pages:renew_index")
    recover = actions.add_parser("recover", help="save what can be read of a damaged journal")
    recover.set_defaults(action="runs.upkeep:recover_journal")
    for action in (listing, show, report, diff, export, prune, merge, index, recover):
        action.add_argument("--json", action="store_true", help="print JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
