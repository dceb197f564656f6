"""The shipped rubrics, read once for all tests of a process."""

from functools import lru_cache

from evaluation.metrics.cues import CUES
from evaluation.metrics.cues.cue import Detect
from evaluation.metrics.scoring import RubricRules, rubric_rules
from evaluation.rubrics.rubric import Rubric
from scripts.run.load import load_rubric


@lru_cache(maxsize=1)
def companion_rubric() -> Rubric:
    return load_rubric("companion")


@lru_cache(maxsize=1)
def companion_rules() -> RubricRules:
    return rubric_rules(companion_rubric())


def shipped_cue(metric: str, cue: str) -> Detect:
    """The cue with the settings that the shipped rubric gives it in a metric."""
    adjustment = next(each for each in companion_rubric().metrics[metric].adjustments if each.when == cue)
    return CUES[cue].build(CUES[cue].settings(**adjustment.parameters))


@lru_cache(maxsize=1)
def v3_rubric() -> Rubric:
    return load_rubric("companion-v3")


@lru_cache(maxsize=1)
def v3_rules() -> RubricRules:
    return rubric_rules(v3_rubric())


@lru_cache(maxsize=1)
def chat_flow_rubric() -> Rubric:
    return load_rubric("chat_flow")


@lru_cache
def v3_cue(cue: str) -> Detect:
    """The cue with the settings that companion-v3 gives it where it is first used."""
    rubric = v3_rubric()
    uses = ((use, metric) for metric in rubric.metrics.values() for each in metric.adjustments for use in each.uses)
    use, metric = next((use, metric) for use, metric in uses if use.when == cue)
    return CUES[cue].prepare(rubric.settings_of(use, metric))
