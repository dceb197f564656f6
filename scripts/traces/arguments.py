"""The arguments for the judge of a sample of production."""

import argparse

from scripts.arguments import add_batch_arguments, amount, concurrency, positive

OF_JUDGE = ("judge_models", "max_cost", "prices", "concurrency", "batch", "batch_hours")
"""What means something to a judge alone."""


def add_second_phase(parser: argparse.ArgumentParser) -> None:
    """The arguments for the judge of a sample of production."""
    group = parser.add_argument_group("judge (none unless --judge says how much it is given)")
    group.add_argument(
        "--judge", type=positive, metavar="N", help="give it N of the scored turns, low scores more often"
    )
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
    group.add_argument(
        "--queue", metavar="NAME", help="put what people should label of it into this annotation queue in Langfuse"
    )
    group.add_argument("--max-cost", type=amount, metavar="USD", help="start no call once this much is spent")
    add_batch_arguments(group)
    group.add_argument("--prices", metavar="FILE", help="a price list of your own")
    group.add_argument("--concurrency", type=concurrency, metavar="N", help="calls in flight at most (default 16)")
