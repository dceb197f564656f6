"""Choose the amounts of a rubric's adjustments on people's ratings, and score what each choice was not shown."""

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
        prog="choose_amounts",
        description="Moves the amounts of a rubric's adjustments by steps of 0.05, from 0.05 to 0.40 and with their "
        "sign, while its metrics order rated responses better; on all ratings, and without each source, each bot "
        "and each fifth of the conversations, which then show how far the choice holds. It writes no rubric.",
        epilog="exit codes: 0 done, 2 usage or configuration, 3 some lines could not be read",
    )
    parser.add_argument("folder", metavar="FOLDER", help="files of ratings (docs/calibration.md), or one file")
    add_suite(
        parser,
        f"whose metrics (default: {DEFAULT_SUITE})",
        rubric="whose amounts are chosen (default: EVAL_RUBRIC, else the suite's)",
        default=DEFAULT_SUITE,
    )
    parser.add_argument("--base", metavar="NAME|FILE", help="the rubric beside it (default: the suite's)")
    parser.add_argument(
        "--keep", metavar="CUE", nargs="*", default=[], help="cues whose amounts stay: those on danger, for instance"
    )
    parser.add_argument(
        "--pairs",
        metavar="NAME|FILE",
        default="pairs",
        help="which metric should follow which rated dimension, chosen beforehand (default: the shipped ones)",
    )
    parser.add_argument("--bot", metavar="PATTERN", default="", help="a pattern whose group is the bot in an id")
    parser.add_argument("--seed", type=int, default=0, help="of the intervals (default 0)")
    parser.add_argument("--json", action="store_true", help="print the chosen amounts as JSON")
    parser.set_defaults(action="validity.amounts:print_amounts")
    return parser


if __name__ == "__main__":
    sys.exit(main())
