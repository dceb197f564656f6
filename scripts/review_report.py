"""Human reviews week by week: means, agreement, changes, and how judge and rules compare."""

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
        prog="review_report",
        description=__doc__,
        epilog="exit codes: 0 done, 2 wrong usage or no review, 3 some lines could not be read (the rest is reported)",
    )
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="files of reviews (default: all in the reviews folder)"
    )
    parser.add_argument(
        "--reviews", metavar="DIR", help="where reviews are kept (default: reviews/ in the runs folder)"
    )
    parser.add_argument("--suite", metavar="NAME|DIR", help="of which suite (default: every suite that has reviews)")
    parser.add_argument("--rubric", metavar="NAME|FILE", help="another rubric (default: EVAL_RUBRIC or the suite's)")
    parser.add_argument(
        "--week-of", choices=("response", "review"), default="response",
        help="count a review in the week in which its response was given, or in which it was made (default: response)",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap (default: 0)")
    parser.add_argument("--json", action="store_true", help="the figures as JSON instead of the tables")
    parser.add_argument(
        "--output", metavar="DIR", help="where the files go (default: reviews/report in the runs folder)"
    )
    parser.set_defaults(action="reviewing.report:report_reviews")
    return parser


if __name__ == "__main__":
    sys.exit(main())
