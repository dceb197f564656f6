"""The rules of a shipped rubric, for functions that score a text outside a run."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evaluation.metrics.lookup import RulesLookup


@cache
def shipped_rules(rubric: str) -> "RulesLookup":
    """Those of the shipped rubric of this name, in the language of each text, loaded at the first call."""
    from evaluation.metrics.lookup import RulesLookup
    from scripts.run.load import load_rubric

    return RulesLookup(load_rubric(rubric))
