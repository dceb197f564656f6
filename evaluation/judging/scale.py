"""Scales of scores, and the place of a value on another one."""

from typing import TypeAlias

Scale: TypeAlias = tuple[float, float]
"""Lowest and highest value."""
SHARES: Scale = (0.0, 1.0)


def rescale(value: float, given: Scale, wanted: Scale) -> float:
    """The value's place on another scale: 3 of 1 to 5 is 0.5 of 0 to 1."""
    if given == wanted:
        return value
    share = (value - given[0]) / (given[1] - given[0])
    return round(wanted[0] + share * (wanted[1] - wanted[0]), 10)
