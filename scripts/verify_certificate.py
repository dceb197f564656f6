"""Hold a certificate of a promotion against the files of its runs: every hash and figure is made once more, offline."""

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.command_parser import CommandParser
from scripts.shell import run_action

EXIT_CODES = "exit codes: 0 all is equal, 1 something differs, 2 a file is missing, or no certificate"


def main(arguments: list[str] | None = None) -> int:
    return run_action(build_parser().parse_args(arguments))


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="verify_certificate",
        description=f"{__doc__} It finds accidental change. Proof against intent needs a signature.",
        epilog=EXIT_CODES,
    )
    parser.add_argument("certificate", metavar="CERTIFICATE", help="the file that promote wrote")
    parser.add_argument("--runs", metavar="DIR", help="folder of the runs that it names (default: EVAL_RUNS_DIR)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(action="promotion.verify:verify")
    return parser


if __name__ == "__main__":
    sys.exit(main())
