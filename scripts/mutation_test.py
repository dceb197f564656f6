"""Edit good replies in known ways and count how often a rubric's rules move the right metric the right way."""

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
    parser = build_parser()
    options = parser.parse_args(arguments)
    if options.shut and options.misses:
        parser.error("--misses shows wordings and --shut keeps them shut: use one of them")
    return run_action(options)


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="mutation_test",
        description="Edits good replies in known ways and counts how often a rubric's rules move the right metric the "
        "right way, and how far swaps that change nothing move them.",
        epilog="exit codes: 0 done, 2 usage or configuration",
    )
    add_suite(parser, f"whose metrics (default: {DEFAULT_SUITE})", default=DEFAULT_SUITE)
    parser.add_argument("--shut", action="store_true", help="the wordings that nobody who writes cues has read")
    parser.add_argument("--misses", metavar="KIND", default="", help="show the edits of a kind that were not seen")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.set_defaults(action="validity.mutations:run_mutations")
    return parser


if __name__ == "__main__":
    sys.exit(main())
