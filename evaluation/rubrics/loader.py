"""From a rubric's YAML text to the frozen rubric, or one error with file, place and reason."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from evaluation.errors import ParseError
from evaluation.prompts import VARIABLE
from evaluation.rubrics.canary import canary_faults
from evaluation.rubrics.conversation_canary import conversation_faults
from evaluation.rubrics.judge_section import ConversationSection, JudgeSection
from evaluation.rubrics.rubric import Metric, Rubric
from evaluation.rubrics.values import Band
from evaluation.runspec import digest
from evaluation.text.forms import Fault, SourceText, did_you_mean
from evaluation.text.yaml_text import ValuePath

LONGEST = 1_500_000
"""Characters of a rubric file."""
WEIGHT_TOLERANCE = 1e-9

CheckRules: TypeAlias = Callable[[Rubric, SourceText], None]
"""Holds what a rubric says of code against the code there is. Raises ParseError."""


def parse_rubric(source: SourceText, check_rules: CheckRules) -> Rubric:
    """Reads a rubric. Its `sha256` is of the text.

    Raises ParseError for text that is not plain YAML, for unknown, missing, doubled or mistyped keys, weights that do
    not add up to 1, unknown cues, metrics or formulas, bad settings of a cue, a metric without definition, criteria or
    indicators, levels out of order or with a gap, thresholds out of order, a judge template
    that lacks a field or has an unknown one, and a version that is not the last of the history.
    """
    if len(source.text) > LONGEST:
        raise ParseError(source.place, f"holds {len(source.text):,} characters; a rubric has at most {LONGEST:,}")
    rubric = source.read(Rubric, "'name:', 'version:', 'title:'")
    if faults := tuple(_faults(rubric)):
        raise source.first_of(faults)
    check_rules(rubric, source)
    rubric._sha256 = digest(source.text)
    return rubric


def _faults(rubric: Rubric) -> Iterator[Fault]:
    """Parts that do not fit together, in the order of the file but for the version."""
    last = rubric.history[-1].version if rubric.history else rubric.version
    if rubric.version != last:
        stated = f"{rubric.version!r} is not {last!r}, the last of the history"
        yield ("version",), f"{stated}: write there what this version changes"
    if rubric.overall not in rubric.metrics:
        yield ("overall",), f"unknown metric {rubric.overall!r}{did_you_mean(rubric.overall, tuple(rubric.metrics))}"
        return  # what follows asks which metric it is
    for name, metric in rubric.metrics.items():
        path = ("metrics", name)
        yield from _faults_of_kind(rubric, metric, path)
        if metric.kind != "weighted":
            yield from _faults_of_prose(metric, path)
        yield from _faults_of_bands(rubric, metric.bands, path)
    yield from _faults_of_weights(rubric)
    yield from _faults_of_levels(rubric)
    rule = rubric.decision
    if rule and not rubric.low <= rule.floor <= rule.ab_test <= rule.deploy <= rubric.high:
        ordered = f"floor {rule.floor}, ab_test {rule.ab_test} and deploy {rule.deploy}"
        yield ("decision",), f"{ordered} must rise in this order in the scale"
    if rubric.judge is not None:
        yield from _faults_of_judge(rubric, rubric.judge)
    for name in rubric.measures:
        if name in rubric.metrics:
            yield ("measures", name), "is a metric too: give the measure another name"


def _faults_of_prose(metric: Metric, path: ValuePath) -> Iterator[Fault]:
    if not metric.bands:
        yield path, "has no criteria: say what people score it by"


def _faults_of_bands(rubric: Rubric, bands: Sequence[Band], path: ValuePath) -> Iterator[Fault]:
    scale = f"the scale {rubric.low} to {rubric.high}"
    for index, band in enumerate(bands):
        if not rubric.low <= band.low <= band.high <= rubric.high:
            yield (*path, "criteria", index), f"band {band.low} to {band.high} does not lie within {scale}"


def _faults_of_kind(rubric: Rubric, metric: Metric, path: ValuePath) -> Iterator[Fault]:
    if (metric.kind == "weighted") != (path[-1] == rubric.overall):
        yield (*path, "kind"), f"is {metric.kind!r}; the overall, and it alone, is 'weighted'"
    wanted = {"adjustments": ("base", "adjustments"), "formula": ("formula",)}.get(metric.kind, ())
    given = metric.model_fields_set & {"base", "adjustments", "lists", "formula", "constants"}
    allowed = {"adjustments": {"base", "adjustments", "lists"}, "formula": {"formula", "constants"}}
    for part in wanted:
        if part not in given:
            yield path, f"is of kind {metric.kind!r} and has no {part}"
    for part in sorted(given - allowed.get(metric.kind, set())):
        yield (*path, part), f"means nothing in a metric of kind {metric.kind!r}: take it out"
    if metric.without_context == "left_out" and not metric.needs_context:
        yield (*path, "without_context"), "means nothing in a metric that needs no context: take it out"
    if not rubric.low <= metric.base <= rubric.high and "base" in given:
        yield (*path, "base"), f"{metric.base} is outside the scale"


def _faults_of_weights(rubric: Rubric) -> Iterator[Fault]:
    if rubric.metrics[rubric.overall].weight is not None:
        yield ("metrics", rubric.overall, "weight"), "the overall has no weight: it is the weighted sum"
    for name, metric in rubric.metrics.items():
        if metric.weight is None and name != rubric.overall:
            yield ("metrics", name), f"has no weight; every metric but {rubric.overall!r} has a share in it"
    total = math.fsum(rubric.weights.values())
    if abs(total - 1) > WEIGHT_TOLERANCE:
        listed = " + ".join(f"{weight:g}" for weight in rubric.weights.values())
        yield ("metrics",), f"weights add up to {total:.12g}, not to 1: {listed}"


def _faults_of_levels(rubric: Rubric) -> Iterator[Fault]:
    bounds = [level.at_least for level in rubric.levels]
    for index, bound in enumerate(bounds):
        path = ("levels", index, "at_least")
        if not rubric.low <= bound <= rubric.high:
            yield path, f"{bound} is outside the scale"
        if index and bound >= bounds[index - 1]:
            yield path, f"{bound} is not below {bounds[index - 1]} of the level before: write the best level first"
    if bounds and bounds[-1] != rubric.low:
        problem = f"the last level begins at {bounds[-1]}, so {rubric.low} up to there has no name: let it begin there"
        yield ("levels", len(bounds) - 1, "at_least"), problem


def _faults_of_judge(rubric: Rubric, judge: JudgeSection) -> Iterator[Fault]:
    others = tuple(metric for metric in rubric.metrics if metric != rubric.overall)
    for index, name in enumerate(judge.dimensions):
        if name not in others:
            yield ("judge", "dimensions", index), f"unknown metric {name!r}{did_you_mean(name, others)}"
    yield from _faults_of_parts(judge)
    if not rubric.low <= judge.fallback <= rubric.high:
        yield ("judge", "fallback"), f"{judge.fallback} is outside the scale"
    named = set(VARIABLE.findall(judge.template))
    # An unknown field goes first: one that is missing is often it misspelt.
    for field in sorted(named - set(judge.fields)):
        hint = did_you_mean(field, tuple(judge.fields))
        yield ("judge", "template"), f"has the unknown field {{{{{field}}}}}{hint}"
    for field in judge.fields:
        if field not in named:
            yield ("judge", "template"), f"lacks the field {{{{{field}}}}}"
    if judge.conversation is not None:
        yield from _faults_of_conversation(rubric, judge.conversation)
    for place, problem in canary_faults(judge.canaries):
        yield ("judge", "canaries", *(() if place is None else (place,))), problem


def _faults_of_conversation(rubric: Rubric, asked: ConversationSection) -> Iterator[Fault]:
    for name, dimension in asked.dimensions.items():
        path = ("judge", "conversation", "dimensions", name)
        if name in rubric.metrics:
            yield path, "is a metric of responses too: give what is scored of a conversation another name"
        yield from _faults_of_bands(rubric, dimension.bands, path)
    may_be_absent = {name: bool(dimension.absent) for name, dimension in asked.dimensions.items()}
    for place, problem in conversation_faults(asked.canaries, may_be_absent):
        yield ("judge", "conversation", "canaries", *(() if place is None else (place,))), problem


def _faults_of_parts(judge: JudgeSection) -> Iterator[Fault]:
    for name in judge.parts:
        if name not in judge.dimensions:
            yield ("judge", "parts", name), f"is no dimension of the judge{did_you_mean(name, judge.dimensions)}"
    for name in judge.dimensions if judge.parts else ():
        if name not in judge.parts:
            yield ("judge", "parts"), f"has no items of {name!r}: write them for every dimension"
