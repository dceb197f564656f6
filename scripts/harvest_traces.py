"""Harvest what users said: draft scenarios, masked, from a sample of production, a dataset, or a file."""

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from evaluation.suites import DEFAULT_SUITE
from scripts.argument_values import amount, positive
from scripts.arguments import add_suite
from scripts.command_parser import CommandParser
from scripts.shell import run_action

EXIT_CODES = (
    "exit codes: 0 done, 2 wrong usage, 3 the judge gave no answer on some drafts or a limit ended it, 130 interrupted"
)


def main(arguments: list[str] | None = None) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    if options.source and options.dataset:
        parser.error("--dataset does not go with a sample or file: leave out one of them")
    options.judge = options.judge or bool(options.judge_model)
    return run_action(options)


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="harvest_traces",
        description="Chooses messages of users and writes each as a draft of a scenario, masked, with what could be "
        "expected of a good answer. A person accepts each; nothing is played before.",
        epilog=EXIT_CODES,
    )
    parser.add_argument(
        "source", nargs="?", metavar="SAMPLE|FILE", help="a sample's id, JSON lines or CSV (default: the newest sample)"
    )
    parser.add_argument("--dataset", metavar="NAME", help="the items of a dataset in Langfuse")
    which = parser.add_argument_group("which messages (default: --critical 10 --uncovered 20)")
    which.add_argument("--worst", type=positive, metavar="N", help="with the lowest overall scores")
    which.add_argument("--disagreed", type=positive, metavar="N", help="on which judge and rules lie furthest apart")
    which.add_argument(
        "--critical",
        type=positive,
        nargs="?",
        const=10,
        metavar="N",
        help="where a critical expectation failed, or the message shows danger (10)",
    )
    which.add_argument("--uncovered", type=positive, metavar="N", help="one of each subject that no scenario covers")
    known = parser.add_argument_group("scenarios and rubric")
    add_suite(
        known,
        f"default: EVAL_SUITE, else {DEFAULT_SUITE}",
        rubric="its categories (default: EVAL_RUBRIC or the suite's)",
    )
    known.add_argument(
        "--scenarios", action="append", default=[], metavar="SET", help="sets that cover messages; repeatable"
    )
    judge = parser.add_argument_group("proposals of a judge")
    judge.add_argument("--judge", action="store_true", help="ask it once a draft for situation, note and expectations")
    judge.add_argument("--judge-model", action="append", default=[], metavar="NAME", help="ask this one")
    judge.add_argument("--judge-format", choices=("auto", "schema", "json", "text"), default="auto", help="of answers")
    judge.add_argument("--max-cost", type=amount, metavar="USD", help="ask no more once this is spent")
    judge.add_argument("--prices", metavar="FILE", help="price list (default: the shipped one)")
    output = parser.add_argument_group("output")
    output.add_argument("--output", metavar="FILE", help="the file of drafts (default: drafts/NAME.yaml)")
    output.add_argument("--json", action="store_true", help="print the drafts as JSON")
    output.add_argument("--quiet", action="store_true", help="no notes")
    parser.set_defaults(action="harvest.harvest:harvest")
    return parser


if __name__ == "__main__":
    sys.exit(main())
