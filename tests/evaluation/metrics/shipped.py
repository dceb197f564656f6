"""The shipped companion rubric, read once for all tests."""

from functools import lru_cache
from pathlib import Path

import evaluation.rubrics
from evaluation.metrics.cues import CUES
from evaluation.metrics.cues.cue import Detect
from evaluation.metrics.scoring import RubricRules, check_rules, rubric_rules
from evaluation.rubrics.loader import parse_rubric
from evaluation.rubrics.rubric import Rubric

COMPANION = Path(evaluation.rubrics.__file__).parent / "companion.yaml"


@lru_cache(maxsize=1)
def companion_rubric() -> Rubric:
    return parse_rubric(COMPANION.read_text(encoding="utf-8"), "companion.yaml", check_rules)


@lru_cache(maxsize=1)
def companion_rules() -> RubricRules:
    return rubric_rules(companion_rubric())


def shipped_cue(metric: str, cue: str) -> Detect:
    """The cue with the settings that the shipped rubric gives it in a metric."""
    adjustment = next(each for each in companion_rubric().metrics[metric].adjustments if each.when == cue)
    return CUES[cue].build(CUES[cue].settings(**adjustment.parameters))
