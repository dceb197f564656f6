"""Score existing responses by rule, without a model call: one JSON line out per line in, in order, streaming."""

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from evaluation.suites import DEFAULT_SUITE
from scripts.arguments import positive, usual_suite
from scripts.command_parser import CommandParser
from scripts.shell import run_command


def main(arguments: list[str] | None = None) -> int:
    options = build_parser().parse_args(arguments)

    def command() -> int:
        from scripts.scoring.responses import score_file

        return score_file(options.file, usual_suite(options.suite), options.rubric, options.output, options.jobs)

    return run_command(command)


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="score_responses",
        description='Scores lines {"id", "user_input", "response", "context"?} by rule. '
        "Lines of results.jsonl are read too. The text_quality suite needs no user_input.",
        epilog="exit codes: 0 all lines scored, 2 wrong usage, 3 some lines could not be read",
    )
    parser.add_argument("file", metavar="FILE", help="JSON lines; - for standard input")
    parser.add_argument(
        "--suite", metavar="NAME|DIR", help=f"whose metrics (default: EVAL_SUITE, else {DEFAULT_SUITE})"
    )
    parser.add_argument("--rubric", metavar="NAME|FILE", help="another rubric (default: EVAL_RUBRIC or the suite's)")
    parser.add_argument("--output", metavar="OUT", help="where the lines go (default: standard output)")
    parser.add_argument(
        "--jobs", type=positive, metavar="N", help="processes that score (default: one on each core; one for a pipe)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
