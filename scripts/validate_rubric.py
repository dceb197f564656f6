"""Hold the rules of a rubric against people's ratings, beside another rubric and beside the length alone."""

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
        prog="validate_rubric",
        description="Scores every rated response of a folder by the rules of a rubric and says how far they agree with "
        "people: beside another rubric, beside the length alone, and among the answers of one bot. No call is made.",
        epilog="exit codes: 0 done, 2 usage or configuration, 3 some lines could not be read",
    )
    parser.add_argument("folder", metavar="FOLDER", help="files of ratings (docs/calibration.md), or one file")
    add_suite(
        parser,
        f"whose metrics (default: {DEFAULT_SUITE})",
        rubric="the rubric to look at (default: EVAL_RUBRIC, or the suite's)",
        default=DEFAULT_SUITE,
    )
    parser.add_argument("--base", metavar="NAME|FILE", help="the rubric beside it (default: the suite's)")
    parser.add_argument(
        "--pairs",
        metavar="NAME|FILE",
        default="pairs",
        help="which metric should follow which rated dimension, chosen beforehand (default: the shipped ones)",
    )
    parser.add_argument(
        "--bot",
        metavar="PATTERN",
        default="",
        help="a pattern whose group is the bot in an id, as --bot='-(\\w+)$': correlations within each bot are added",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the intervals (default 0)")
    parser.add_argument("--output", metavar="DIR", help="where the files go (default: validity/ in the runs folder)")
    parser.add_argument(
        "--into",
        metavar="PAGE",
        help="write the tables there too, between <!-- agreement: RUBRIC --> and <!-- end -->",
    )
    parser.add_argument(
        "--record",
        action="store_true",
        help="keep the figures of the overall beside the shipped rubrics, for the reports of runs",
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.set_defaults(action="validity.people:validate_rubric")
    return parser


if __name__ == "__main__":
    sys.exit(main())
