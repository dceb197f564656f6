"""Read the files that a team writes as an evaluation would, and name everything that is wrong with them."""

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.command_parser import CommandParser
from scripts.shell import run_command

EXIT_CODES = "exit codes: 0 nothing is wrong, 2 something is"


def main(arguments: list[str] | None = None) -> int:
    options = build_parser().parse_args(arguments)

    def command() -> int:
        from scripts.own_files.validate import validate_files

        return validate_files(options)

    return run_command(command)


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(prog="validate_files", description=__doc__, epilog=EXIT_CODES)
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="rubrics, scenario files, suites, canaries, waivers, sets of criteria, gates, prompts, their labels and "
        "workspace files; a folder stands for those in it",
    )
    parser.add_argument(
        "--suite",
        metavar="NAME|DIR",
        help="whose scenarios they are (default: the suite that plays them, or whose rubric knows the category)",
    )
    parser.add_argument(
        "--rubric",
        metavar="NAME|FILE",
        help="the rubric that scenarios are held against (default: EVAL_RUBRIC or the suite's)",
    )
    parser.add_argument("--json", action="store_true", help="print files and problems as JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
