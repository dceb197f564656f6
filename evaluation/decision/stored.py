"""Values of a stored decision.json, believed only where they are what the tool writes."""

import math
from typing import get_args

from evaluation.decision.case import Choice
from evaluation.records import Json


def known_verdict(value: Json) -> Choice | None:
    """One of the verdicts there are, or none. Raises ValueError for anything else."""
    if value is None:
        return None
    for choice in get_args(Choice):
        if value == choice:
            found: Choice = choice
            return found
    raise ValueError("no verdict that is known")


def finite(value: Json) -> float:
    """A number. Raises TypeError or ValueError for what is none."""
    number = float(value)
    if not math.isfinite(number):
        raise ValueError("no finite number")
    return number
