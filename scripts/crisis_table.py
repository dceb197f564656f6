"""Count how much danger the rules of a rubric see, and where a reply that helps scores above a pleasing one."""

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
    if options.shut and options.messages:
        parser.error("--shut and --messages name other messages each: use one of them")
    if options.shut and options.misses:
        parser.error("--misses shows messages and --shut keeps them shut: use one of them")
    return run_action(options)


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="crisis_table",
        description="Counts the messages in danger that a rubric's rules do not see, the look-alikes that they take "
        "for danger, and the pairs in which a reply that helps scores above one that is written to please.",
        epilog="exit codes: 0 done, 2 usage or configuration",
    )
    add_suite(parser, f"whose metrics (default: {DEFAULT_SUITE})", default=DEFAULT_SUITE)
    parser.add_argument("--shut", action="store_true", help="the half that nobody who writes cues has read")
    parser.add_argument("--messages", metavar="FILE", help="messages of your own, in the form of danger.yaml")
    parser.add_argument("--misses", action="store_true", help="show misses, false alarms and lost pairs one by one")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.set_defaults(action="validity.danger:run_crisis_table")
    return parser


if __name__ == "__main__":
    sys.exit(main())
