"""Score a sample of what is live: production's responses from Langfuse, by rule, with means for all of them."""

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from evaluation.suites import DEFAULT_SUITE
from scripts.argument_values import amount, positive
from scripts.arguments import add_profile_argument, add_suite
from scripts.command_parser import CommandParser
from scripts.given.arguments import OF_JUDGE as OF_ANY_JUDGE
from scripts.given.arguments import add_means, add_which_judge, flag_of
from scripts.shell import run_action

EXIT_CODES = "exit codes: 0 done, 2 wrong usage or no Langfuse, 3 not finished: the command to go on is printed"
SELECTING = ("prompt", "prompt_name", "since", "until", "days", "environment", "tag", "user", "session")
"""What says which generations are meant; with the sample's size and seed, suite and rubric a resume takes it over."""
FIXED = (*SELECTING, "sample", "seed", "suite", "rubric")
OF_JUDGE = (*OF_ANY_JUDGE, "queue", "queue_size")
"""What means something to a judge alone."""


def main(arguments: list[str] | None = None) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    given = [name for name in FIXED if getattr(options, name) is not None]
    if options.resume and given:
        parser.error(f"--{given[0].replace('_', '-')} does not go with --resume: the sample has its own")
    if options.days is not None and options.since:
        parser.error("--days does not go with --since: leave out one of them")
    if not options.judge and not options.resume and (asked := [name for name in OF_JUDGE if getattr(options, name)]):
        parser.error(f"{flag_of(asked[0])} is of a judge: ask for one with --judge N")
    if options.prompt and options.prompt_name:
        parser.error("--prompt does not go with --prompt-name: leave out one of them")
    return run_action(options)


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="score_traces",
        description="Draws a sample of production's generations from Langfuse, scores those that are turns of a chat "
        "by rule and some of them by a judge, and says what that means for all of them. Nothing is changed there "
        "without --write-back.",
        epilog=EXIT_CODES,
    )
    which = parser.add_argument_group("which generations")
    which.add_argument("--prompt", metavar="REFERENCE", help="of one prompt version: v3, a label, name@v3, name@label")
    which.add_argument("--prompt-name", metavar="NAME", help="of all versions of a prompt")
    which.add_argument("--since", metavar="TIME", help="from this day or time on (ISO 8601, UTC)")
    which.add_argument("--until", metavar="TIME", help="before this day or time (default: now)")
    which.add_argument("--days", type=amount, metavar="N", help="the last N days (default 7)")
    which.add_argument("--environment", action="append", metavar="NAME", help="of this environment; repeatable")
    which.add_argument("--tag", metavar="TAG", help="of traces with this tag")
    which.add_argument("--user", metavar="ID", help="of this user")
    which.add_argument("--session", metavar="ID", help="of this session")
    sample = parser.add_argument_group("sample")
    sample.add_argument("--sample", type=positive, metavar="N", help="at most so many generations (default 500)")
    sample.add_argument("--seed", type=int, metavar="N", help="another seed draws others (default 1)")
    sample.add_argument(
        "--requests-per-minute", type=positive, default=300, metavar="N", help="at most, to leave others room"
    )
    sample.add_argument("--resume", metavar="ID", help="go on with a sample that was begun")
    scoring = parser.add_argument_group("scoring")
    add_suite(scoring, f"whose rules (default: EVAL_SUITE, else {DEFAULT_SUITE})")
    add_profile_argument(scoring)
    scoring.add_argument(
        "--write-back", action="store_true", help="put the scores onto the observations in Langfuse, as runs name them"
    )
    _add_second_phase(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--worst", type=positive, default=10, metavar="N", help="so many of the lowest are named")
    output.add_argument("--json", action="store_true", help="print the summary as JSON")
    output.add_argument("--quiet", action="store_true", help="no progress and no notes")
    parser.set_defaults(action="traces.score:score_traces")
    return parser


def _add_second_phase(parser: argparse.ArgumentParser) -> None:
    """The arguments for the judge of a sample of production."""
    group = parser.add_argument_group("judge (none unless --judge says how much it is given)")
    group.add_argument(
        "--judge", type=positive, metavar="N", help="give it N of the scored turns, low scores more often"
    )
    add_which_judge(group)
    group.add_argument(
        "--queue", metavar="NAME", help="put what people should label of it into this annotation queue in Langfuse"
    )
    group.add_argument(
        "--queue-size", type=positive, metavar="N", help="about N responses in it, a larger N adds some (default 40)"
    )
    add_means(group)


if __name__ == "__main__":
    sys.exit(main())
