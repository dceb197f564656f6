"""Score or judge a stored run again, into a new run that names it as its parent. No reply is generated again."""

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from evaluation.judging.forms import FORMS, OF_RUBRIC
from evaluation.request import GATES
from scripts.argument_values import positive, share
from scripts.arguments import NO_PROFILE, add_limits, add_output_arguments, add_profile_argument
from scripts.command_parser import CommandParser
from scripts.judge_arguments import add_embedding_argument
from scripts.shell import run_command


def main(arguments: list[str] | None = None) -> int:
    options = build_parser().parse_args(arguments)

    def command() -> int:
        from scripts.run.opening import show_outcome
        from scripts.scoring.rescore import rescore

        given = {name: value for name, value in vars(options).items() if value is not None}
        sample = given.pop("sample", None)
        changes = {name: value for name, value in given.items() if name not in ("run_id", "json", "verbose", "open")}
        return show_outcome(rescore(options.run_id, changes, sample=sample), options)

    return run_command(command)


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="rescore_run",
        description="Scores or judges a stored run again, into a new run; no reply is generated again.",
        epilog="exit codes: 0 done, 1 gate failed, 2 usage or configuration, 3 incomplete, 130 interrupted",
    )
    parser.add_argument("run_id", metavar="RUN_ID|last", help="the run whose replies are scored")
    parser.add_argument("--suite", metavar="NAME|DIR", help="another suite (default: the run's)")
    parser.add_argument("--rubric", metavar="NAME|FILE", help="another rubric (default: EVAL_RUBRIC, else the run's)")
    add_profile_argument(parser, NO_PROFILE)
    parser.add_argument("--no-judge", dest="judge", action="store_false", help="heuristics alone, no call at all")
    parser.add_argument(
        "--judge-model", dest="judge_models", action="append", metavar="NAME", help="another judge (default: the run's)"
    )
    parser.add_argument("--judge-escalate", metavar="NAME", help="another judge to decide where a panel disagrees")
    parser.add_argument("--judge-apart", type=share, metavar="SHARE", help="how far apart a panel disagrees")
    parser.add_argument("--judge-format", choices=("auto", "schema", "json", "text"), help="how the judge answers")
    parser.add_argument("--judge-form", choices=(OF_RUBRIC, *FORMS), help="another form of its question")
    parser.add_argument("--judge-samples", type=positive, metavar="N", help="verdicts per response")
    parser.add_argument("--judge-prompt", metavar="REF", help="another prompt for it; rubric: the rubric's own words")
    add_embedding_argument(parser)
    parser.add_argument("--expectations", choices=("judge", "rules", "none"), help="who answers (default: the run's)")
    parser.add_argument("--conversations", choices=("judge", "none"), help="judge conversations as a whole, or do not")
    parser.add_argument("--no-canaries", dest="canaries", action="store_false", help="do not check a new judge")
    parser.add_argument("--cache", choices=("judge", "none"), default="judge", help="reuse verdicts (default) or not")
    parser.add_argument("--no-langfuse", dest="langfuse", action="store_false", help="leave Langfuse out of it")
    add_limits(parser, "a price list of your own")
    parser.add_argument(
        "--sample", type=positive, metavar="N",
        help="judge a random part alone: whole situations, 20 at least, that hold N exchanges at least",
    )  # fmt: skip
    parser.add_argument("--dry-run", action="store_true", help="print the calls and their price; call nothing")
    parser.add_argument("--strict", action="store_true", help="the lower end of each interval must clear the bounds")
    parser.add_argument("--gate", choices=GATES, help="exit 1 unless the verdict is at least this good")
    add_output_arguments(parser, "print the summary as JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
