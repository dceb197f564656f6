"""Checks that there is code for what a rubric names: its cues, their settings, its formulas and their constants."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import ValidationError

from evaluation.metrics.cues import CUES
from evaluation.metrics.cues.cue import Cue
from evaluation.records import Json
from evaluation.rubrics.loader import check_decimals
from evaluation.rubrics.rubric import CueUse, Measure, Metric, Rubric
from evaluation.text.forms import SourceText, complaint, did_you_mean
from evaluation.text.yaml_text import ValuePath

if TYPE_CHECKING:
    from evaluation.metrics.formulas import Formula


def check_rules(rubric: Rubric, source: SourceText) -> None:
    """Raises ParseError with the place of the first cue, setting, formula or constant that is none."""
    for name, metric in rubric.metrics.items():
        if metric.kind == "formula":
            _check_formula(metric, ("metrics", name), source)
        elif metric.kind == "adjustments":
            _check_adjustments(metric, ("metrics", name), source)
    for name, measure in rubric.measures.items():
        _check_formula(measure, ("measures", name), source)
    for cue in rubric.cues:
        if cue not in CUES:
            raise source.error(("cues", cue), f"unknown cue {cue!r}{did_you_mean(cue, tuple(CUES))}")


def _check_formula(metric: Metric | Measure, path: ValuePath, source: SourceText) -> None:
    from evaluation.metrics.formulas import FORMULAS, INDICES  # for rubrics that have any; others start sooner

    known = FORMULAS if isinstance(metric, Metric) else INDICES
    formula = known.get(metric.formula)
    if formula is None:
        problem = f"unknown formula {metric.formula!r}{did_you_mean(metric.formula, tuple(known)) or '; none is known'}"
        raise source.error((*path, "formula"), problem)
    _check_build(formula, metric.constants or {}, "", (*path, "constants"), source)


def _check_build(
    entry: "Cue | Formula", settings: Mapping[str, Json], name: str, path: ValuePath, source: SourceText
) -> None:
    try:
        entry.build(entry.settings(**settings))
    except ValidationError as error:
        where, reason = complaint(error)
        raise source.error((*path, *where), f"{name}{reason}") from error
    except ValueError as error:
        raise source.error(path, f"{name}{error}") from error


def _check_adjustments(metric: Metric, path: ValuePath, source: SourceText) -> None:
    check_decimals((*path, "base"), metric.base, source)
    used: set[str] = set()
    for index, adjustment in enumerate(metric.adjustments):
        here: ValuePath = (*path, "adjustments", index)
        if adjustment.add == 0:
            raise source.error((*here, "add"), "0 would change nothing")
        check_decimals((*here, "add"), adjustment.add, source)
        used |= _check_cue(adjustment, metric, here, source)
        for place, condition in enumerate(adjustment.requires):
            used |= _check_cue(condition, metric, (*here, "requires", place), source)
    for unused in metric.lists.keys() - used:
        raise source.error((*path, "lists", unused), "no adjustment uses this list")


def _check_cue(use: CueUse, metric: Metric, path: ValuePath, source: SourceText) -> set[str]:
    """Checks the cue and its settings; the names of the lists that it uses."""
    cue = CUES.get(use.when)
    if cue is None:
        raise source.error((*path, "when"), f"unknown cue {use.when!r}{did_you_mean(use.when, tuple(CUES))}")
    settings, used = use.parameters, set[str]()
    if "list" in cue.settings.model_fields and isinstance(settings.get("list"), str):
        name = settings["list"]
        if "phrases" in settings:
            raise source.error((*path, "phrases"), "stands beside `list`: give one of them")
        if name not in metric.lists:
            raise source.error((*path, "list"), f"unknown list {name!r}{did_you_mean(name, tuple(metric.lists))}")
        settings = metric.settings_of(use)
        used.add(name)
    _check_build(cue, settings, f"cue {cue.name!r}: ", path, source)
    return used
