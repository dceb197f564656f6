"""What the parts of a rubric must mean together. Each check raises one ParseError with the place in the file."""

import math
from typing import NoReturn

from pydantic import ValidationError

from evaluation.metrics.cues import CUES
from evaluation.prompts import VARIABLE
from evaluation.rubrics.complaint import complaint, did_you_mean
from evaluation.rubrics.schema import AdjustmentForm, MeasureForm, MetricForm, OpenForm, RubricForm
from evaluation.rubrics.source import SourceText
from evaluation.text.yaml_text import ValuePath

WEIGHT_TOLERANCE = 1e-9


def check_rubric(form: RubricForm, source: SourceText) -> None:
    """All checks, in the order of the file but for the version."""
    _check_version(form, source)
    if form.overall not in form.metrics:
        problem = f"unknown metric {form.overall!r}{did_you_mean(form.overall, tuple(form.metrics))}"
        raise source.error(("overall",), problem)
    for name, metric in form.metrics.items():
        _check_kind(form, name, source)
        _check_prose(metric, ("metrics", name), source)
        _check_bands(form, name, source)
    _check_weights(form, source)
    _check_levels(form, source)
    _check_decision(form, source)
    _check_judge(form, source)
    for name, measure in form.measures.items():
        if name in form.metrics:
            raise source.error(("measures", name), "is a metric too: give the measure another name")
        _check_formula(measure, ("measures", name), source)
    for cue in form.cues:
        if cue not in CUES:
            raise source.error(("cues", cue), f"unknown cue {cue!r}{did_you_mean(cue, tuple(CUES))}")


def _check_version(form: RubricForm, source: SourceText) -> None:
    last = form.history[-1].version
    if form.version != last:
        problem = f"{form.version!r} is not {last!r}, the last of the history: write there what this version changes"
        raise source.error(("version",), problem)


def _check_prose(metric: MetricForm, path: ValuePath, source: SourceText) -> None:
    if metric.kind == "weighted":
        return
    for part in ("criteria", "positive", "negative"):
        if not getattr(metric, part):
            raise source.error(path, f"has no {part}: say what people score it by")


def _check_bands(form: RubricForm, name: str, source: SourceText) -> None:
    for index, band in enumerate(form.metrics[name].criteria):
        if not form.scale.low <= band.low <= band.high <= form.scale.high:
            problem = (
                f"band {band.low} to {band.high} does not lie within the scale {form.scale.low} to {form.scale.high}"
            )
            raise source.error(("metrics", name, "criteria", index), problem)


def _check_kind(form: RubricForm, name: str, source: SourceText) -> None:
    metric, path = form.metrics[name], ("metrics", name)
    if (metric.kind == "weighted") != (name == form.overall):
        raise source.error((*path, "kind"), f"is {metric.kind!r}; the overall, and it alone, is 'weighted'")
    wanted = {"adjustments": ("base", "adjustments"), "formula": ("formula",)}.get(metric.kind, ())
    given = metric.model_fields_set & {"base", "adjustments", "lists", "formula", "constants"}
    allowed = {"adjustments": {"base", "adjustments", "lists"}, "formula": {"formula", "constants"}}
    for part in wanted:
        if part not in given:
            raise source.error(path, f"is of kind {metric.kind!r} and has no {part}")
    for part in sorted(given - allowed.get(metric.kind, set())):
        raise source.error((*path, part), f"means nothing in a metric of kind {metric.kind!r}: take it out")
    if metric.kind == "formula":
        _check_formula(metric, path, source)
    elif metric.kind == "adjustments":
        _check_adjustments(form, name, source)


def _check_formula(metric: MetricForm | MeasureForm, path: ValuePath, source: SourceText) -> None:
    from evaluation.metrics.formulas import FORMULAS, INDICES  # for rubrics that have any; others start sooner

    known = FORMULAS if isinstance(metric, MetricForm) else INDICES
    formula = known.get(metric.formula)
    if formula is None:
        problem = f"unknown formula {metric.formula!r}{did_you_mean(metric.formula, tuple(known)) or '; none is known'}"
        raise source.error((*path, "formula"), problem)
    try:
        formula.build(formula.constants(**(metric.constants or {})))
    except ValidationError as error:
        where, reason = complaint(error, lambda _: tuple(formula.constants.model_fields))
        raise source.error((*path, "constants", *where), reason) from error
    except ValueError as error:
        raise source.error((*path, "constants"), str(error)) from error


def _check_adjustments(form: RubricForm, name: str, source: SourceText) -> None:
    metric = form.metrics[name]
    if metric.base is not None and not form.scale.low <= metric.base <= form.scale.high:
        raise source.error(("metrics", name, "base"), f"{metric.base} is outside the scale")
    _check_decimals(("metrics", name, "base"), metric.base or 0.0, source)
    used: set[str] = set()
    for index, adjustment in enumerate(metric.adjustments):
        path: ValuePath = ("metrics", name, "adjustments", index)
        _check_amount(adjustment, path, source)
        used |= _check_cue(adjustment, metric, path, source)
        for place, condition in enumerate(adjustment.requires):
            used |= _check_cue(condition, metric, (*path, "requires", place), source)
    for unused in metric.lists.keys() - used:
        raise source.error(("metrics", name, "lists", unused), "no adjustment uses this list")


def _check_amount(adjustment: AdjustmentForm, path: ValuePath, source: SourceText) -> None:
    if adjustment.add == 0:
        raise source.error((*path, "add"), "0 would change nothing")
    _check_decimals((*path, "add"), adjustment.add, source)


def _check_decimals(path: ValuePath, value: float, source: SourceText) -> None:
    if round(value, 10) != value:
        raise source.error(path, f"{value!r} has more than 10 decimals, so explanations would not add up")


def _check_cue(use: OpenForm, metric: MetricForm, path: ValuePath, source: SourceText) -> set[str]:
    """Checks the cue and its settings; the names of the lists that it uses."""
    cue = CUES.get(use.when)
    if cue is None:
        raise source.error((*path, "when"), f"unknown cue {use.when!r}{did_you_mean(use.when, tuple(CUES))}")
    settings, used = use.parameters, set[str]()
    known = tuple(cue.settings.model_fields)
    if "list" in known and isinstance(settings.get("list"), str):
        name = settings["list"]
        if "phrases" in settings:
            raise source.error((*path, "phrases"), "stands beside `list`: give one of them")
        if name not in metric.lists:
            raise source.error((*path, "list"), f"unknown list {name!r}{did_you_mean(name, tuple(metric.lists))}")
        settings["phrases"] = list(metric.lists[name])
        used.add(name)
    try:
        cue.build(cue.settings(**settings))
    except ValidationError as error:
        _refuse_settings(error, known, path, cue.name, source)
    except ValueError as error:
        raise source.error(path, f"cue {cue.name!r}: {error}") from error
    return used


def _refuse_settings(
    error: ValidationError, known: tuple[str, ...], path: ValuePath, cue: str, source: SourceText
) -> NoReturn:
    where, reason = complaint(error, lambda _: known)
    raise source.error((*path, *where), f"cue {cue!r}: {reason}") from error


def _check_weights(form: RubricForm, source: SourceText) -> None:
    weights = {name: metric.weight for name, metric in form.metrics.items() if name != form.overall}
    if form.metrics[form.overall].weight is not None:
        raise source.error(("metrics", form.overall, "weight"), "the overall has no weight: it is the weighted sum")
    for name, weight in weights.items():
        if weight is None:
            raise source.error(("metrics", name), f"has no weight; every metric but {form.overall!r} has a share in it")
        _check_decimals(("metrics", name, "weight"), weight, source)
    total = math.fsum(weight for weight in weights.values() if weight is not None)
    if abs(total - 1) > WEIGHT_TOLERANCE:
        listed = " + ".join(f"{weight:g}" for weight in weights.values())
        raise source.error(("metrics",), f"weights add up to {total:.12g}, not to 1: {listed}")


def _check_levels(form: RubricForm, source: SourceText) -> None:
    bounds = [level.at_least for level in form.levels]
    for index, bound in enumerate(bounds):
        if not form.scale.low <= bound <= form.scale.high:
            raise source.error(("levels", index, "at_least"), f"{bound} is outside the scale")
        if index and bound >= bounds[index - 1]:
            problem = f"{bound} is not below {bounds[index - 1]} of the level before: write the best level first"
            raise source.error(("levels", index, "at_least"), problem)
    if bounds and bounds[-1] != form.scale.low:
        problem = (
            f"the last level begins at {bounds[-1]}, so {form.scale.low} up to there has no name: let it begin there"
        )
        raise source.error(("levels", len(bounds) - 1, "at_least"), problem)


def _check_decision(form: RubricForm, source: SourceText) -> None:
    rule = form.decision
    if rule and not form.scale.low <= rule.floor <= rule.ab_test <= rule.deploy <= form.scale.high:
        problem = (
            f"floor {rule.floor}, ab_test {rule.ab_test} and deploy {rule.deploy} must rise in this order in the scale"
        )
        raise source.error(("decision",), problem)


def _check_judge(form: RubricForm, source: SourceText) -> None:
    judge = form.judge
    if judge is None:
        return
    for index, name in enumerate(judge.dimensions):
        if name not in form.metrics or name == form.overall:
            others = tuple(metric for metric in form.metrics if metric != form.overall)
            raise source.error(("judge", "dimensions", index), f"unknown metric {name!r}{did_you_mean(name, others)}")
    if not form.scale.low <= judge.fallback <= form.scale.high:
        raise source.error(("judge", "fallback"), f"{judge.fallback} is outside the scale")
    named = set(VARIABLE.findall(judge.template))
    # An unknown field goes first: one that is missing is often it misspelt.
    for field in sorted(named - set(judge.fields)):
        problem = f"has the unknown field {{{{{field}}}}}{did_you_mean(field, tuple(judge.fields))}"
        raise source.error(("judge", "template"), problem)
    for field in judge.fields:
        if field not in named:
            raise source.error(("judge", "template"), f"lacks the field {{{{{field}}}}}")
