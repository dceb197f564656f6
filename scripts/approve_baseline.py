"""Make a run the approved baseline of its prompt: what every later night is held against."""

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.command_parser import CommandParser
from scripts.shell import DONE, printable, run_command


def main(arguments: list[str] | None = None) -> int:
    options = build_parser().parse_args(arguments)

    def command() -> int:
        from scripts.night.baseline import approve

        for line in approve(options.run, allow_rehearsal=options.allow_rehearsal, forced=options.force):
            print(printable(line))
        return DONE

    return run_command(command)


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="approve_baseline",
        description="Writes the baseline file of a run's prompt. Nothing else ever writes it: review and commit it.",
        epilog="exit codes: 0 written, 2 refused",
    )
    parser.add_argument(
        "run", metavar="RUN_ID|last", help="the run, or the sample of production, that is to be the measure from now on"
    )
    parser.add_argument("--allow-rehearsal", action="store_true", help="also of the rehearsal model, to try it out")
    parser.add_argument(
        "--force",
        metavar="REASON",
        help="also against a failed gate, an alarm or an unfit judge; it is kept",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
