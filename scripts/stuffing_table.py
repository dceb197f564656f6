"""Count how often replies that are made for the score stay below plain good ones."""

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from evaluation.suites import DEFAULT_SUITE
from scripts.arguments import add_suite
from scripts.command_parser import CommandParser
from scripts.shell import run_action


def main(arguments: list[str] | None = None) -> int:
    return run_action(build_parser().parse_args(arguments))


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="stuffing_table",
        description="Holds replies that are made for the score against plain good ones: stuffed with every phrase "
        "that the rubric rewards, copied from the user, padded, or nothing but questions.",
        epilog="exit codes: 0 done, 2 usage or configuration",
    )
    add_suite(
        parser,
        f"whose metrics (default: {DEFAULT_SUITE})",
        rubric="another rubric, beside the suite's own (default: EVAL_RUBRIC)",
        default=DEFAULT_SUITE,
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.set_defaults(action="validity.stuffing:run_stuffing_table")
    return parser


if __name__ == "__main__":
    sys.exit(main())
