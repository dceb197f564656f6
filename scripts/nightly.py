"""Watch over production: evaluate what is live, hold it against its approved baseline, and say what changed."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.argument_values import share
from scripts.arguments import add_night_arguments, add_output_arguments, request_from
from scripts.command_parser import CommandParser
from scripts.night.flags import add_traces_arguments
from scripts.shell import INTERRUPTED, run_command


def main(arguments: list[str] | None = None) -> int:
    options = build_parser().parse_args(arguments)

    def command() -> int:
        from scripts.night.asked import NightRequest, traces_of
        from scripts.night.watch import watch
        from scripts.run.opening import show_outcome

        asked = NightRequest(
            run=replace(request_from(options), prompts=(), resume=None),
            prompts=tuple(options.prompts),
            resume=options.resume,
            rules=options.rules,
            noise_share=options.noise_share,
            latest=options.latest,
            notify_always=options.notify_always,
            traces=traces_of(options),
        )
        answer = watch(asked)
        if answer is None:
            return INTERRUPTED
        return show_outcome(answer, options)

    return run_command(command)


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="nightly",
        description="Evaluates each prompt in production and holds it against its approved baseline; for a scheduler.",
        epilog="exit codes: 0 production holds, 1 it is worse or too little could be measured, 2 set-up, no baseline "
        "or one that is not comparable, 3 incomplete, 130 interrupted; of several prompts the first "
        "of 2, 3, 1 that one of them has",
    )
    add_night_arguments(parser)
    night = parser.add_argument_group("night")
    night.add_argument(
        "--prompt",
        action="append",
        default=[],
        dest="prompts",
        metavar="REF",
        help="prompt that is watched: name@label, name@v3; repeatable (default: EVAL_NIGHTLY_PROMPTS, else that of the "
        "settings)",
    )
    night.add_argument(
        "--resume",
        metavar="NIGHT|last",
        help="go on with a night that was stopped, however old, as it was begun; one of the last 12 hours (of "
        "--batch 36) is gone on with anyway",
    )
    night.add_argument("--no-latest", dest="latest", action="store_false", help="leave out the version labelled latest")
    night.add_argument(
        "--noise-share",
        type=share,
        default=0.25,
        metavar="SHARE",
        help="of the scenarios, how many are played twice to measure the night's noise; at least 20 (default 0.25)",
    )
    night.add_argument("--rules", metavar="FILE", help="margins and limits (default: those of the no-regression gate)")
    night.add_argument(
        "--notify-always", action="store_true", help="post every night to the webhook, not only alarms and recoveries"
    )
    add_traces_arguments(parser)
    add_output_arguments(parser, "print night.json")
    return parser


if __name__ == "__main__":
    sys.exit(main())
