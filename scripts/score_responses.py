"""Score existing responses by rule, without a model call: one JSON line out per line in, in order, streaming."""

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from evaluation.suites import DEFAULT_SUITE
from scripts.argument_values import amount, positive
from scripts.arguments import add_profile_argument, add_suite, usual_suite
from scripts.command_parser import CommandParser
from scripts.given.arguments import OF_JUDGE, add_means, add_which_judge, flag_of
from scripts.shell import run_command


def main(arguments: list[str] | None = None) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    if (options.judge or options.judge_cost) and not _is_collection(options):
        parser.error("--judge is for a collection: name a folder with --output FOLDER/")
    if not (options.judge or options.judge_cost) and (asked := [each for each in OF_JUDGE if getattr(options, each)]):
        parser.error(f"{flag_of(asked[0])} is of a judge: ask for one with --judge N or --judge-cost USD")

    def command() -> int:
        suite = usual_suite(options.suite)
        if _is_collection(options):
            from scripts.scoring.collection import score_collection

            return score_collection(options, suite)
        from scripts.scoring.responses import score_file

        return score_file(options.file[0], suite, options.rubric, options.output, options.jobs, options.profile)

    return run_command(command)


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="score_responses",
        description='Scores lines {"id", "user_input", "response", "context"?} by rule. '
        "Lines of results.jsonl are read too. The text_quality suite needs no user_input.",
        epilog="exit codes: 0 all lines scored, 2 wrong usage, 3 some lines could not be read",
    )
    parser.add_argument(
        "file", nargs="+", metavar="FILE",
        help="JSON lines, - for standard input; with --output FOLDER/ CSV, Parquet, folders, patterns, addresses too",
    )  # fmt: skip
    add_suite(parser, f"whose metrics (default: EVAL_SUITE, else {DEFAULT_SUITE})")
    add_profile_argument(parser)
    parser.add_argument(
        "--output", metavar="OUT", help="where the lines go (default: standard output); FOLDER/ for a collection"
    )
    parser.add_argument(
        "--jobs", type=positive, metavar="N", help="processes that score (default: one on each core; one for a pipe)"
    )
    collection = parser.add_argument_group("a collection: several files, or --output FOLDER/ (docs/collections.md)")
    collection.add_argument("--engine", choices=("processes", "dask"), help="who scores (default: processes)")
    collection.add_argument("--engine-address", metavar="URL", help="of a running Dask scheduler: tcp://host:8786")
    collection.add_argument("--form", choices=("jsonl", "csv", "parquet"), help="of the output (default: the input's)")
    collection.add_argument("--id", default="id", metavar="COLUMN", help="what names a row (default: id)")
    collection.add_argument("--by", action="append", metavar="COLUMN", help="means by its values; repeatable")
    collection.add_argument("--time", metavar="COLUMN", help="means by week")
    collection.add_argument("--cluster", metavar="COLUMN", help="whose rows are alike (a user): for the intervals")
    collection.add_argument("--explanations", action="store_true", help="write the arithmetic of each score as well")
    collection.add_argument("--json", action="store_true", help="print the summary as JSON")
    collection.add_argument("--quiet", action="store_true", help="no progress")
    judge = parser.add_argument_group("a judge for a collection (none unless --judge or --judge-cost is given)")
    judge.add_argument("--judge", type=positive, metavar="N", help="give it at most N rows, low scores more often")
    judge.add_argument("--judge-cost", type=amount, metavar="USD", help="give it as many rows as this pays for")
    judge.add_argument("--seed", type=int, metavar="N", help="another seed draws others (default 1)")
    add_which_judge(judge)
    add_means(judge)
    return parser


def _is_collection(options: argparse.Namespace) -> bool:
    into_folder = options.output is not None and (options.output.endswith("/") or Path(options.output).is_dir())
    return len(options.file) > 1 or into_folder or bool(options.engine or options.engine_address)


if __name__ == "__main__":
    sys.exit(main())
