"""The text quality suite: any text, six formulas from 0 to 1 and their weighted overall, no judge, no decision."""

from evaluation.metrics.scoring import build_scorer
from evaluation.rubrics.rubric import Rubric
from evaluation.suites.suite import Suite
from evaluation.suites.turns import play_turns


def text_quality(rubric: Rubric) -> Suite:
    """The suite under a rubric: the shipped one or a team's own."""
    return Suite(
        name="text_quality",
        metrics=tuple(rubric.metrics),
        overall=rubric.overall,
        low=rubric.low,
        high=rubric.high,
        play=play_turns,
        score=build_scorer(rubric),
        levels=rubric.levels,
        weights={name: metric.weight for name, metric in rubric.metrics.items() if metric.weight is not None},
        measures=tuple(rubric.measures),
        scored_by=("evaluation.metrics",),
        needs_prompt=False,
        needs_user_input=False,
    )
