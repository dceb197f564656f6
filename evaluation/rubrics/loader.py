"""From a rubric's YAML text to the frozen rubric, or one error with file, place and reason."""

import math
from collections.abc import Callable
from typing import TypeAlias

from evaluation.errors import ParseError
from evaluation.prompts import VARIABLE
from evaluation.rubrics.rubric import Metric, Rubric
from evaluation.runspec import digest
from evaluation.text.forms import SourceText, did_you_mean
from evaluation.text.yaml_text import ValuePath

LONGEST = 1_000_000
"""Characters of a rubric file."""
WEIGHT_TOLERANCE = 1e-9

CheckRules: TypeAlias = Callable[[Rubric, SourceText], None]
"""Holds what a rubric says of code against the code there is. Raises ParseError."""


def parse_rubric(text: str, place: str, check_rules: CheckRules) -> Rubric:
    """Reads a rubric; `place` names the file in errors. Its `sha256` is of the text.

    Raises ParseError for text that is not plain YAML, for unknown, missing, doubled or mistyped keys, weights that do
    not add up to 1, unknown cues, metrics or formulas, bad settings of a cue, a metric without definition, criteria or
    indicators, levels out of order or with a gap, thresholds out of order, a judge template
    that lacks a field or has an unknown one, and a version that is not the last of the history.
    """
    if len(text) > LONGEST:
        raise ParseError(place, f"holds {len(text):,} characters; a rubric has at most {LONGEST:,}")
    source = SourceText(text, place)
    rubric = source.read(Rubric, "'name:', 'version:', 'title:'")
    _check_rubric(rubric, source)
    check_rules(rubric, source)
    rubric._sha256 = digest(text)
    return rubric


def _check_rubric(rubric: Rubric, source: SourceText) -> None:
    """All checks, in the order of the file but for the version."""
    _check_version(rubric, source)
    if rubric.overall not in rubric.metrics:
        problem = f"unknown metric {rubric.overall!r}{did_you_mean(rubric.overall, tuple(rubric.metrics))}"
        raise source.error(("overall",), problem)
    for name, metric in rubric.metrics.items():
        _check_kind(rubric, name, source)
        _check_prose(metric, ("metrics", name), source)
        _check_bands(rubric, name, source)
    _check_weights(rubric, source)
    _check_levels(rubric, source)
    _check_decision(rubric, source)
    _check_judge(rubric, source)
    for name in rubric.measures:
        if name in rubric.metrics:
            raise source.error(("measures", name), "is a metric too: give the measure another name")


def _check_version(rubric: Rubric, source: SourceText) -> None:
    last = rubric.history[-1].version
    if rubric.version != last:
        problem = f"{rubric.version!r} is not {last!r}, the last of the history: write there what this version changes"
        raise source.error(("version",), problem)


def _check_prose(metric: Metric, path: ValuePath, source: SourceText) -> None:
    if metric.kind == "weighted":
        return
    for part, said in (("criteria", metric.bands), ("positive", metric.positive), ("negative", metric.negative)):
        if not said:
            raise source.error(path, f"has no {part}: say what people score it by")


def _check_bands(rubric: Rubric, name: str, source: SourceText) -> None:
    for index, band in enumerate(rubric.metrics[name].bands):
        if not rubric.low <= band.low <= band.high <= rubric.high:
            problem = f"band {band.low} to {band.high} does not lie within the scale {rubric.low} to {rubric.high}"
            raise source.error(("metrics", name, "criteria", index), problem)


def _check_kind(rubric: Rubric, name: str, source: SourceText) -> None:
    metric, path = rubric.metrics[name], ("metrics", name)
    if (metric.kind == "weighted") != (name == rubric.overall):
        raise source.error((*path, "kind"), f"is {metric.kind!r}; the overall, and it alone, is 'weighted'")
    wanted = {"adjustments": ("base", "adjustments"), "formula": ("formula",)}.get(metric.kind, ())
    given = metric.model_fields_set & {"base", "adjustments", "lists", "formula", "constants"}
    allowed = {"adjustments": {"base", "adjustments", "lists"}, "formula": {"formula", "constants"}}
    for part in wanted:
        if part not in given:
            raise source.error(path, f"is of kind {metric.kind!r} and has no {part}")
    for part in sorted(given - allowed.get(metric.kind, set())):
        raise source.error((*path, part), f"means nothing in a metric of kind {metric.kind!r}: take it out")
    if not rubric.low <= metric.base <= rubric.high and "base" in given:
        raise source.error((*path, "base"), f"{metric.base} is outside the scale")


def check_decimals(path: ValuePath, value: float, source: SourceText) -> None:
    """Raises ParseError for a number whose sums would not add up as they are shown."""
    if round(value, 10) != value:
        raise source.error(path, f"{value!r} has more than 10 decimals, so explanations would not add up")


def _check_weights(rubric: Rubric, source: SourceText) -> None:
    weights = {name: metric.weight for name, metric in rubric.metrics.items() if name != rubric.overall}
    if rubric.metrics[rubric.overall].weight is not None:
        raise source.error(("metrics", rubric.overall, "weight"), "the overall has no weight: it is the weighted sum")
    for name, weight in weights.items():
        if weight is None:
            raise source.error(
                ("metrics", name), f"has no weight; every metric but {rubric.overall!r} has a share in it"
            )
        check_decimals(("metrics", name, "weight"), weight, source)
    total = math.fsum(weight for weight in weights.values() if weight is not None)
    if abs(total - 1) > WEIGHT_TOLERANCE:
        listed = " + ".join(f"{weight:g}" for weight in weights.values())
        raise source.error(("metrics",), f"weights add up to {total:.12g}, not to 1: {listed}")


def _check_levels(rubric: Rubric, source: SourceText) -> None:
    bounds = [level.at_least for level in rubric.levels]
    for index, bound in enumerate(bounds):
        if not rubric.low <= bound <= rubric.high:
            raise source.error(("levels", index, "at_least"), f"{bound} is outside the scale")
        if index and bound >= bounds[index - 1]:
            problem = f"{bound} is not below {bounds[index - 1]} of the level before: write the best level first"
            raise source.error(("levels", index, "at_least"), problem)
    if bounds and bounds[-1] != rubric.low:
        problem = f"the last level begins at {bounds[-1]}, so {rubric.low} up to there has no name: let it begin there"
        raise source.error(("levels", len(bounds) - 1, "at_least"), problem)


def _check_decision(rubric: Rubric, source: SourceText) -> None:
    rule = rubric.decision
    if rule and not rubric.low <= rule.floor <= rule.ab_test <= rule.deploy <= rubric.high:
        problem = (
            f"floor {rule.floor}, ab_test {rule.ab_test} and deploy {rule.deploy} must rise in this order in the scale"
        )
        raise source.error(("decision",), problem)


def _check_judge(rubric: Rubric, source: SourceText) -> None:
    judge = rubric.judge
    if judge is None:
        return
    for index, name in enumerate(judge.dimensions):
        if name not in rubric.metrics or name == rubric.overall:
            others = tuple(metric for metric in rubric.metrics if metric != rubric.overall)
            raise source.error(("judge", "dimensions", index), f"unknown metric {name!r}{did_you_mean(name, others)}")
    if not rubric.low <= judge.fallback <= rubric.high:
        raise source.error(("judge", "fallback"), f"{judge.fallback} is outside the scale")
    named = set(VARIABLE.findall(judge.template))
    # An unknown field goes first: one that is missing is often it misspelt.
    for field in sorted(named - set(judge.fields)):
        problem = f"has the unknown field {{{{{field}}}}}{did_you_mean(field, tuple(judge.fields))}"
        raise source.error(("judge", "template"), problem)
    for field in judge.fields:
        if field not in named:
            raise source.error(("judge", "template"), f"lacks the field {{{{{field}}}}}")
