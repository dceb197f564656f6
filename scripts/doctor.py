"""Try what is set, before anything is paid for: settings, files, Langfuse, endpoint, model and judge."""

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.argument_values import within
from scripts.command_parser import CommandParser
from scripts.shell import run_command

TIMEOUT_S = 15.0


def main(arguments: list[str] | None = None) -> int:
    options = build_parser().parse_args(arguments)

    def command() -> int:
        from scripts.checkup.examine import examine

        return examine(options)

    return run_command(command)


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="doctor",
        description="Tries what is set, with at most three small calls to models, and one for a vector where a model "
        "of embeddings is set, and says per line what is wrong and what to do. Nothing is made or sent anywhere else.",
        epilog="exit codes: 0 all that is set works, 2 something does not",
    )
    parser.add_argument(
        "--no-calls", dest="calls", action="store_false", help="ask no model: nothing that could cost anything"
    )
    parser.add_argument(
        "--timeout",
        type=within(float, 0.1, 600, "a number of seconds from 0.1 to 600"),
        default=TIMEOUT_S,
        metavar="SECONDS",
        help="longest wait for each answer (default 15)",
    )
    parser.add_argument("--json", action="store_true", help="print the checks as JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
