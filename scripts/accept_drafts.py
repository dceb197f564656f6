"""Accept drafts of scenarios: one by one at the terminal, or as decided in their file."""

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
        prog="accept_drafts",
        description="Carries out what is decided on drafts: those with 'accept: true' go into a scenario file, "
        "those with 'accept: false' are remembered as rejected. With --reviewer each open one is shown and asked about "
        "first.",
        epilog="exit codes: 0 done, 2 wrong usage, or a draft that is no scenario: nothing is written then",
    )
    parser.add_argument("drafts", metavar="DRAFTS", help="the file of drafts")
    parser.add_argument(
        "--into",
        metavar="FILE",
        help="the scenario file that takes what is accepted, of one category or new",
    )
    parser.add_argument("--reviewer", metavar="NAME", help="your name: walk through the open drafts")
    add_suite(
        parser,
        f"default: EVAL_SUITE, else {DEFAULT_SUITE}",
        rubric="its categories (default: EVAL_RUBRIC or the suite's)",
    )
    parser.add_argument(
        "--scenarios", action="append", default=[], metavar="SET", help="sets that it is played with; repeatable"
    )
    parser.set_defaults(action="harvest.accept:accept_drafts")
    return parser


if __name__ == "__main__":
    sys.exit(main())
