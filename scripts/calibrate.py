"""Agreement of the tool with people: scores rated responses and compares the scores with the ratings."""

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from evaluation.commands import write_command
from evaluation.suites import DEFAULT_SUITE
from scripts.argument_values import amount, positive, share
from scripts.arguments import add_profile_argument, add_suite
from scripts.command_parser import CommandParser
from scripts.shell import run_action


def main(arguments: list[str] | None = None) -> int:
    options = build_parser().parse_args(arguments)
    given = list(sys.argv[1:] if arguments is None else arguments)
    given.remove(options.file)
    options.again = write_command("calibrate", *given, FILE=options.file)
    return run_action(options)


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="calibrate",
        description='Compares scores with human ratings. Lines: {"id", "user_input", "response", "context"?, "ratings":'
        ' {dimension: number}, "raters"?: {dimension: [number, ...]}, "level"?: turn|dialog|pair, "group"?,'
        ' "expectations"?: [{id, kind, question, raters: [yes|no|not_shown, ...]}]}.',
        epilog="Reviews are read too, one line each and several people's of one response together: {reviewer, scores, "
        "response, user_input?, context?}, named by id or by run_id, scenario_id, repeat and turn; "
        "user_input may be called input, as in results.jsonl. "
        "exit codes: 0 done, 2 wrong usage, 3 lines could not be read or questions to the judge had no answer (the "
        "rest is reported), or --max-cost was reached (no report; the command to go on is printed), 130 interrupted",
    )
    parser.add_argument("file", metavar="FILE", help="JSON lines; - for standard input")
    add_suite(parser, f"whose metrics (default: EVAL_SUITE, else {DEFAULT_SUITE})")
    add_profile_argument(parser)
    _add_judge(parser)
    parser.add_argument("--max-cost", type=amount, metavar="USD", help="start no call once this much is spent")
    parser.add_argument("--prices", metavar="FILE", help="a price list of your own")
    parser.add_argument(
        "--map", nargs="+", action="extend", default=[], metavar="RATING=METRIC",
        help="only these pairs (default: every pair)",
    )  # fmt: skip
    parser.add_argument(
        "--scale", nargs="+", action="extend", default=[], metavar="RATING=WORST:BEST",
        help="the ratings' scale, as rank=3:1 (default: the range found in the file)",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap (default: 0)")
    parser.add_argument("--json", action="store_true", help="the figures as JSON instead of the tables")
    parser.add_argument("--output", metavar="DIR", help="where the files go (default: calibration/ in the runs folder)")
    parser.set_defaults(action="calibration.agreement:calibrate_file")
    return parser


def _add_judge(parser: argparse.ArgumentParser) -> None:
    judge = parser.add_mutually_exclusive_group()
    judge.add_argument(
        "--judge-model",
        dest="judge_models",
        action="append",
        default=[],
        metavar="M",
        help="model that judges, several for a panel (default: EVAL_JUDGE_MODEL, EVAL_MODEL)",
    )
    judge.add_argument("--no-judge", action="store_true", help="heuristics alone; no call is made")
    parser.add_argument(
        "--judge-escalate",
        metavar="NAME",
        help="judge whose verdict counts where the members of a panel lie too far apart (default: EVAL_JUDGE_ESCALATE)",
    )
    parser.add_argument(
        "--judge-apart", type=share, metavar="SHARE", help="how far apart the members disagree (default: 0.3)"
    )
    parser.add_argument(
        "--judge-forms", metavar="all|FORM,...",
        help="ask the judge in several forms, and say which agrees best with people, at which price (docs/judge.md)",
    )  # fmt: skip
    parser.add_argument("--judge-prompt", metavar="REF", help="the judge's prompt, as in an evaluation")
    parser.add_argument(
        "--no-canaries",
        dest="canaries",
        action="store_false",
        help="do not check the judge on exchanges whose quality is known",
    )
    parser.add_argument(
        "--judge-samples", type=positive, default=1, metavar="N", help="verdicts per response (default 1)"
    )


if __name__ == "__main__":
    sys.exit(main())
