"""Deliver to Langfuse what it has not confirmed yet, exactly once, also after a crash or an outage."""

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.command_parser import CommandParser
from scripts.shell import run_action

DEADLINE_S = 600.0


def main(arguments: list[str] | None = None) -> int:
    return run_action(build_parser().parse_args(arguments))


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="sync_langfuse",
        description="Delivers what Langfuse has not confirmed yet, and reads it back.",
        epilog="exit codes: 0 nothing is left to deliver, 2 configuration, 3 something is left or was refused",
    )
    parser.add_argument(
        "--deadline",
        type=float,
        default=DEADLINE_S,
        metavar="SECONDS",
        help="longest time for one run (default 600)",
    )
    parser.set_defaults(action="runs.upkeep:deliver_runs")
    parser.add_argument("--quiet", action="store_true", help="no progress and no notes")
    return parser


if __name__ == "__main__":
    sys.exit(main())
