"""The arguments for the judge of a sample of production."""

import argparse

from scripts.argument_values import positive
from scripts.given import arguments as given

OF_JUDGE = (*given.OF_JUDGE, "queue", "queue_size")
"""What means something to a judge alone."""


def add_second_phase(parser: argparse.ArgumentParser) -> None:
    """The arguments for the judge of a sample of production."""
    group = parser.add_argument_group("judge (none unless --judge says how much it is given)")
    group.add_argument(
        "--judge", type=positive, metavar="N", help="give it N of the scored turns, low scores more often"
    )
    given.add_which_judge(group)
    group.add_argument(
        "--queue", metavar="NAME", help="put what people should label of it into this annotation queue in Langfuse"
    )
    group.add_argument(
        "--queue-size", type=positive, metavar="N", help="about N responses in it, a larger N adds some (default 40)"
    )
    given.add_means(group)
