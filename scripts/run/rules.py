"""The rules of a shipped rubric, for functions that score a text outside a run."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evaluation.metrics.scoring import RubricRules


@cache
def shipped_rules(rubric: str) -> "RubricRules":
    """Those of the shipped rubric of this name, loaded at the first call."""
    from evaluation.metrics.scoring import rubric_rules
    from scripts.run.load import load_rubric

    return rubric_rules(load_rubric(rubric))
