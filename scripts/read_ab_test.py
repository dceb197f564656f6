"""Read an A/B test of two versions in production from Langfuse: better, worse, equivalent, or how much longer."""

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.argument_values import positive, within
from scripts.command_parser import CommandParser
from scripts.shell import run_action

EXIT_CODES = "exit codes: 0 looked, whatever was seen, 2 wrong usage or no Langfuse, 3 Langfuse stayed away: look again"


def main(arguments: list[str] | None = None) -> int:
    return run_action(build_parser().parse_args(arguments))


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="read_ab_test",
        description="Looks at an A/B test of two prompt versions in production: the split, the difference of a score "
        "clustered by user, cost and errors beside it. The plan is pinned before the first look; any number of looks "
        "keeps its error rate. Nothing is changed in Langfuse.",
        epilog=EXIT_CODES,
    )
    parser.add_argument("--name", metavar="NAME", help="of the test (default: from the two versions)")
    plan = parser.add_argument_group("the plan, said before the first look and pinned with it")
    plan.add_argument("--base", metavar="REF", help="the version that is held against: v2, a label, name@v2")
    plan.add_argument("--prompt", metavar="REF", help="the version that is tried")
    plan.add_argument("--since", metavar="TIME", help="when the test began (ISO 8601, UTC)")
    plan.add_argument(
        "--horizon", metavar="TIME|DAYS",
        help="when it ends, or after how many days: the error rate is spent until then (without: an interval that "
        "holds for ever, of users by their first days)",
    )  # fmt: skip
    plan.add_argument(
        "--users", type=positive, metavar="N",
        help="of both arms that are planned: with a horizon the share of them is its clock; without one the interval "
        "is narrowest there (default 2000)",
    )  # fmt: skip
    plan.add_argument(
        "--measure", metavar="NAME", help="a score in Langfuse, cost or latency (default rules.overall_quality)"
    )
    plan.add_argument("--lower-is-better", action="store_true", help="of the measure; cost and latency are so anyway")
    plan.add_argument(
        "--margin", type=within(float, 1e-12, 1e12, "an amount above 0"), metavar="X",
        help="the largest difference that does not matter, in the measure's own unit",
    )  # fmt: skip
    plan.add_argument("--unit", choices=("user", "session"), help="what is assigned a version (default user)")
    plan.add_argument("--split", type=_split, metavar="A:B", help="of base and prompt (default 50:50)")
    plan.add_argument(
        "--alpha", type=within(float, 1e-6, 0.5, "a rate from 0.000001 to 0.5"), metavar="RATE",
        help="of false alarms over all looks (default 0.05)",
    )  # fmt: skip
    plan.add_argument("--window", type=positive, metavar="DAYS", help="of each user, without a horizon (default 7)")
    plan.add_argument("--environment", action="append", metavar="NAME", help="of this environment; repeatable")
    parser.add_argument(
        "--requests-per-minute", type=positive, default=300, metavar="N", help="at most, to leave others room"
    )
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print the summary as JSON")
    output.add_argument("--quiet", action="store_true", help="no progress")
    parser.set_defaults(action="ab.look:look_at_test")
    return parser


def _split(text: str) -> tuple[float, float]:
    """As shares of a hundred."""
    parts = text.split(":")
    try:
        base, candidate = map(float, parts)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no split: write 50:50") from None
    if not (0 < base < 1e9 and 0 < candidate < 1e9):
        raise argparse.ArgumentTypeError(f"{text!r}: both parts are above 0")
    return 100 * base / (base + candidate), 100 * candidate / (base + candidate)


if __name__ == "__main__":
    sys.exit(main())
