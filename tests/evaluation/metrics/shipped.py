"""The shipped companion rubrics, read once for all tests."""

from functools import lru_cache
from pathlib import Path

import evaluation.rubrics
from evaluation.metrics.cues import CUES
from evaluation.metrics.cues.cue import Detect
from evaluation.metrics.scoring import RubricRules, check_rules, rubric_rules
from evaluation.rubrics.loader import parse_rubric
from evaluation.rubrics.rubric import Rubric

COMPANION = Path(evaluation.rubrics.__file__).parent / "companion.yaml"
COMPANION_V3 = COMPANION.with_name("companion-v3.yaml")


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


@lru_cache(maxsize=1)
def v3_rubric() -> Rubric:
    return parse_rubric(COMPANION_V3.read_text(encoding="utf-8"), "companion-v3.yaml", check_rules)


@lru_cache(maxsize=1)
def v3_rules() -> RubricRules:
    return rubric_rules(v3_rubric())


@lru_cache
def v3_cue(cue: str) -> Detect:
    """The cue with the settings that companion-v3 gives it where it is first used."""
    rubric = v3_rubric()
    uses = ((use, metric) for metric in rubric.metrics.values() for each in metric.adjustments for use in each.uses)
    use, metric = next((use, metric) for use, metric in uses if use.when == cue)
    return CUES[cue].prepare(rubric.settings_of(use, metric))
