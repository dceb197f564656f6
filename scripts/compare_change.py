"""Compare every prompt file that a branch changes with the prompt in production before the change."""

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.arguments import add_night_arguments, request_from
from scripts.command_parser import CommandParser
from scripts.shell import run_command


def main(arguments: list[str] | None = None) -> int:
    options = build_parser().parse_args(arguments)

    def command() -> int:
        from scripts.compare.changed_prompts import compare_changes

        return compare_changes(options.base, request_from(options), gate=options.gate)

    return run_command(command)


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="compare_change",
        description="Compares the prompt files that differ from a commit with the prompt labelled production there, "
        "and writes change.md for a pull request.",
        epilog="exit codes: 0 done, 1 gate failed, 2 usage or configuration, 3 incomplete, 130 interrupted",
    )
    parser.add_argument("base", metavar="COMMIT", help="what the branch is held against, such as main")
    add_night_arguments(parser)
    parser.add_argument(
        "--gate",
        choices=("no_regression", "none"),
        default="no_regression",
        help="exit 1 unless no metric is worse than in production (default), or none",
    )
    output = parser.add_argument_group("output")
    output.add_argument("--quiet", action="store_true", help="no progress and no notes")
    return parser


if __name__ == "__main__":
    sys.exit(main())
