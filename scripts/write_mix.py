"""Write your users' mix: how often a sample of production says what each situation of the scenarios holds."""

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.command_parser import CommandParser
from scripts.shell import run_action


def main(arguments: list[str] | None = None) -> int:
    return run_action(build_parser().parse_args(arguments))


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="write_mix",
        description="Finds the scenario that is like what each user of a sample of production said, and writes how "
        "often each category and situation is met, with what is like no scenario. No call leaves the machine.",
        epilog="exit codes: 0 done, 2 wrong usage",
    )
    parser.add_argument("run", metavar="ID|last", help="the sample, as score-traces made it; last is the newest")
    parser.add_argument("--file", metavar="FILE", help="where the mix goes (default: mix.yaml)")
    parser.add_argument("--scenarios", action="append", default=[], metavar="NAME|FILE", help="other sets; repeatable")
    parser.add_argument("--force", action="store_true", help="write over a mix that is there: it may have been edited")
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")
    parser.set_defaults(action="traces.mix:write_mix")
    return parser


if __name__ == "__main__":
    sys.exit(main())
