"""The arguments for the judge of responses that were given: which one, and how it is asked."""

import argparse

from evaluation.commands import write_flags
from scripts.argument_values import amount, concurrency
from scripts.arguments import add_batch_arguments

AS_DRAWN = ("judge_models", "expectations", "conversations")
"""Arguments that decide what a judge measures: they are those of the beginning."""
MEANS = ("concurrency", "max_cost", "prices", "batch", "batch_hours")
"""Arguments that say how responses are judged, and may be others when it is gone on with."""
OF_JUDGE = (*AS_DRAWN, *MEANS)
"""What means something to a judge alone."""


def flag_of(name: str) -> str:
    """The flag of an argument, as it is typed."""
    return "--judge-model" if name == "judge_models" else f"--{name.replace('_', '-')}"


def given_again(options: argparse.Namespace) -> list[str]:
    """The arguments for a judge that was not begun, as they were given."""
    return write_flags(judge=options.judge, **{flag_of(name)[2:]: getattr(options, name) for name in OF_JUDGE})


def add_which_judge(group: "argparse._ArgumentGroup") -> None:
    """Who judges, and what is asked."""
    group.add_argument(
        "--judge-model",
        dest="judge_models",
        action="append",
        metavar="NAME",
        help="the judge; several make a panel (default: EVAL_JUDGE_MODEL, else EVAL_MODEL)",
    )
    group.add_argument("--expectations", choices=("judge", "rules", "none"), help="who answers what the rubric expects")
    group.add_argument(
        "--conversations", choices=("judge", "none"), help="judge a turn's conversation as a whole too (default: judge)"
    )


def add_means(group: "argparse._ArgumentGroup") -> None:
    """How it is asked."""
    group.add_argument("--max-cost", type=amount, metavar="USD", help="start no call once this much is spent")
    add_batch_arguments(group)
    group.add_argument("--prices", metavar="FILE", help="a price list of your own")
    group.add_argument("--concurrency", type=concurrency, metavar="N", help="calls in flight at most (default 16)")
