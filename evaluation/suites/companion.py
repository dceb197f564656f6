"""The companion suite: prompt versions of a voice companion, seven metrics from 0 to 1, a judge, a deploy decision."""

from evaluation.metrics.scoring import build_scorer
from evaluation.rubrics.rubric import Rubric
from evaluation.suites.suite import JUDGED_BY, Suite
from evaluation.suites.turns import play_turns


def companion(rubric: Rubric) -> Suite:
    """The suite under a rubric: the shipped one or a team's own."""
    return Suite(
        name="companion",
        metrics=tuple(rubric.metrics),
        overall=rubric.overall,
        low=rubric.low,
        high=rubric.high,
        play=play_turns,
        score=build_scorer(rubric),
        judge=rubric.judge,
        decision=rubric.decision,
        levels=rubric.levels,
        context_metrics=frozenset(name for name, metric in rubric.metrics.items() if metric.needs_context),
        scored_by=("evaluation.metrics", *JUDGED_BY),
        weights={name: metric.weight for name, metric in rubric.metrics.items() if metric.weight is not None},
    )
