"""Open a report in the browser: the page that was written last, that of a run, night or sweep, or the index of all."""

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.command_parser import CommandParser
from scripts.shell import run_action

EXIT_CODES = "exit codes: 0 done, 2 there is no such page"


def main(arguments: list[str] | None = None) -> int:
    return run_action(build_parser().parse_args(arguments))


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(prog="open_page", description=__doc__, epilog=EXIT_CODES)
    parser.add_argument(
        "page", nargs="?", metavar="RUN_ID|last|index",
        help="a run, or a night or sweep by its id; last: the newest run; index: the page of all (default: the newest)",
    )  # fmt: skip
    parser.add_argument("--print", dest="only_print", action="store_true", help="print its path and open nothing")
    parser.set_defaults(action="runs.pages:open_one")
    return parser


if __name__ == "__main__":
    sys.exit(main())
