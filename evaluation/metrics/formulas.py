"""The formulas by name: metrics whose value is a function of the text and of constants in the rubric."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from evaluation.metrics.adjustments import Rule
from evaluation.metrics.cues.cue import Settings


@dataclass(frozen=True, slots=True)
class Formula:
    """One entry of the table of formulas."""

    name: str
    meaning: str
    constants: type[Settings]
    """What the rubric sets, checked when it is loaded."""
    build: Callable[[Any], Rule]
    """From an instance of `constants` to the function that scores; its value lies within the rubric's scale."""


FORMULAS: dict[str, Formula] = {}
