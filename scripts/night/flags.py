"""The flags of a night that say which of production's responses it watches. Kept free of heavy imports."""

import argparse

from scripts.argument_values import positive, within

days = within(float, 0.01, 3_650, "a number of days from 0.01 to 3650")


def add_traces_arguments(parser: argparse.ArgumentParser) -> None:
    """A group of its own: each but the first goes with the first alone."""
    group = parser.add_argument_group("production's responses")
    group.add_argument(
        "--traces",
        action="store_true",
        help="watch a sample of production's responses too, held against an approved one (docs/nightly.md)",
    )
    group.add_argument("--traces-days", type=days, metavar="N", help="of the last N days (default 7)")
    group.add_argument("--traces-sample", type=positive, metavar="N", help="at most so many generations (default 500)")
    group.add_argument(
        "--traces-environment", action="append", default=[], metavar="NAME", help="of this environment; repeatable"
    )
    group.add_argument("--traces-tag", metavar="TAG", help="of traces with this tag")
    group.add_argument(
        "--traces-requests-per-minute", type=positive, metavar="N", help="to Langfuse, at most (default 300)"
    )
