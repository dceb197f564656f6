"""From heuristics and a verdict to the scores of one exchange: the only place where sources are mixed."""

from collections.abc import Sequence
from typing import TypeAlias

from evaluation.records import CallFailure, Score, Verdict

CLIP = 200
"""Characters of the judge's reasoning that ride on its score as explanation."""


Scale: TypeAlias = tuple[float, float]
"""Lowest and highest value."""
SHARES: Scale = (0.0, 1.0)


def with_judgement(
    heuristics: Sequence[Score],
    verdict: Verdict | CallFailure,
    judged_metrics: Sequence[str],
    *,
    judge_scale: Scale = SHARES,
    scale: Scale = SHARES,
) -> tuple[Score, ...]:
    """The heuristics, then the judge's scores, then the combined ones: the mean of both, per judged metric.

    The judge's scores keep its own scale; for the mean they are put on the `scale` of the heuristics. Without a value
    from the judge there is no combined value either: the heuristic alone would mix scales. Checks are not combined.
    """
    by_metric = {score.metric: score for score in heuristics if score.source == "heuristic"}
    judged = [_judge_score(metric, verdict, by_metric.get(metric)) for metric in judged_metrics]
    combined = [
        _combined(by_metric[score.metric], score, judge_scale, scale) for score in judged if score.metric in by_metric
    ]
    return (*heuristics, *judged, *combined)


def rescaled(value: float, given: Scale, wanted: Scale) -> float:
    """The value's place on another scale: 3 of 1 to 5 is 0.5 of 0 to 1."""
    if given == wanted:
        return value
    share = (value - given[0]) / (given[1] - given[0])
    return round(wanted[0] + share * (wanted[1] - wanted[0]), 10)


def _judge_score(metric: str, verdict: Verdict | CallFailure, heuristic: Score | None) -> Score:
    applicable = heuristic is None or heuristic.applicable
    if isinstance(verdict, CallFailure):
        return Score(metric, "judge", None, applicable=applicable, reason=f"judge call failed: {verdict.kind}")
    value = verdict.scores.get(metric)
    if value is None:
        return Score(metric, "judge", None, applicable=applicable, reason=f"verdict not read: {verdict.problem}")
    why = verdict.rationale.get(metric, verdict.reasoning)
    return Score(metric, "judge", value, explanation=why[:CLIP], applicable=applicable)


def _combined(heuristic: Score, judge: Score, judge_scale: Scale, scale: Scale) -> Score:
    if heuristic.value is None or judge.value is None:
        reason = judge.reason or heuristic.reason
        return Score(heuristic.metric, "combined", None, applicable=heuristic.applicable, reason=reason)
    judged = rescaled(judge.value, judge_scale, scale)
    mean = round((heuristic.value + judged) / 2, 10)
    explanation = f"mean of rules {heuristic.value:g} and judge {judged:g}"
    return Score(heuristic.metric, "combined", mean, explanation, applicable=heuristic.applicable)
