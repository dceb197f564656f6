"""Move a label of a prompt in Langfuse by proof: a run or comparison of exactly this text that passed its gate."""

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from evaluation.request import GATES
from scripts.arguments import add_suite
from scripts.command_parser import CommandParser
from scripts.shell import run_action

EXIT_CODES = (
    "exit codes: 0 moved, or moved before, 1 refused: the proof is missing, 2 usage, configuration, or refused by "
    "Langfuse, 3 Langfuse has not confirmed everything: the same command goes on"
)


def main(arguments: list[str] | None = None) -> int:
    return run_action(build_parser().parse_args(arguments))


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(prog="promote_prompt", description=__doc__, epilog=EXIT_CODES)
    parser.add_argument("prompt", nargs="?", metavar="REF", help="the version: v3, name@v3, or a label such as staging")
    parser.add_argument("--to", metavar="LABEL", help="the label that moves to it, such as production")
    proof = parser.add_argument_group("proof")
    proof.add_argument("--gate", choices=GATES, default="deploy", help="that a run must pass (default: deploy)")
    proof.add_argument(
        "--against", metavar="REF",
        help="prove it by a comparison with this version instead (default: a run by itself, or else a comparison with "
        "what carries the label)",
    )  # fmt: skip
    proof.add_argument("--rules", metavar="FILE", help="rules of the no-regression gate (default: the shipped ones)")
    proof.add_argument("--run", metavar="RUN_ID", help="only this run counts (default: the newest that proves it)")
    terms = parser.add_argument_group("what is measured, where the settings do not say it")
    add_suite(terms, "whose metrics (default: EVAL_SUITE, else companion)")
    terms.add_argument(
        "--scenarios", action="append", metavar="NAME|PATH", help="other scenarios (default: EVAL_SCENARIOS)"
    )
    parser.add_argument(
        "--undo", nargs="?", const="", metavar="CERTIFICATE",
        help="move the label back to where it was, if it is still where this certificate put it (default: the newest "
        "of the prompt and label)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(action="promotion.promote:promote")
    return parser


if __name__ == "__main__":
    sys.exit(main())
