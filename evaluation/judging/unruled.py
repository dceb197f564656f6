"""Metrics that no rule scores: the judge's value is what counts, and the overall is the weighted mean of all."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from evaluation.judging.scale import rescale
from evaluation.records import Score

DECIMALS = 10
Scale: TypeAlias = tuple[float, float]


def with_unruled(
    scores: Sequence[Score],
    unruled: Collection[str],
    weights: Mapping[str, float],
    overall: str,
    *,
    judge_scale: Scale,
    scale: Scale,
) -> tuple[Score, ...]:
    """The scores, and a combined one of each metric of `unruled`, the overall among them where any other is.

    That of a metric is the judge's, put on the rubric's scale. The overall is the weighted mean of the combined ones,
    and has no value where one of them has none.
    """
    judged = {score.metric: score for score in scores if score.source == "judge"}
    if not judged:
        return tuple(scores)
    combined = {score.metric: score for score in scores if score.source == "combined"}
    for metric in unruled:
        if metric != overall and metric in judged:
            combined[metric] = _of_judge(judged[metric], judge_scale, scale)
    if overall in unruled:
        combined[overall] = _weighted(combined, weights, overall)
    return (*(score for score in scores if score.source != "combined"), *combined.values())


def _of_judge(score: Score, judge_scale: Scale, scale: Scale) -> Score:
    if score.value is None:
        return Score(score.metric, "combined", None, applicable=score.applicable, reason=score.reason)
    value = round(rescale(score.value, judge_scale, scale), DECIMALS)
    return Score(score.metric, "combined", value, f"judge {value:g}, no rule", applicable=score.applicable)


def _weighted(combined: Mapping[str, Score], weights: Mapping[str, float], overall: str) -> Score:
    values = {name: combined[name].value if name in combined else None for name in weights}
    missing = next((name for name, value in values.items() if value is None), None)
    if missing is not None:
        return Score(overall, "combined", None, reason=f"{missing} has no value")
    mean = math.fsum(weight * (values[name] or 0.0) for name, weight in weights.items())
    said = " + ".join(f"{weight:g} x {values[name]:g} {name}" for name, weight in weights.items())
    return Score(overall, "combined", round(mean, DECIMALS), said)
