"""From a rubric's YAML text to the frozen rubric, or one error with file, place and reason.

The text is read, its form checked (schema), then what the parts mean together (checks); then it is frozen.
"""

from pydantic import ValidationError

from evaluation.errors import ParseError
from evaluation.records import Json
from evaluation.rubrics.checks import check_rubric
from evaluation.rubrics.complaint import complaint
from evaluation.rubrics.rubric import (
    Adjustment,
    Band,
    CategoryGuide,
    Condition,
    CueGuide,
    DecisionRule,
    DimensionGuide,
    HistoryEntry,
    JudgeRubric,
    Measure,
    Metric,
    QualityLevel,
    Rubric,
)
from evaluation.rubrics.schema import AdjustmentForm, MetricForm, OpenForm, RubricForm, keys_beside
from evaluation.rubrics.source import SourceText
from evaluation.runspec import digest
from evaluation.text.yaml_text import load_yaml

LONGEST = 1_000_000
"""Characters of a rubric file."""


def parse_rubric(text: str, place: str) -> Rubric:
    """Reads a rubric; `place` names the file in errors. Its `sha256` is of the text.

    Raises ParseError for text that is not plain YAML, for unknown, missing, doubled or mistyped keys, weights that do
    not add up to 1, unknown cues, metrics or formulas, bad settings of a cue, a metric without definition, criteria or
    indicators, levels out of order or with a gap, thresholds out of order, a judge template
    that lacks a field or has an unknown one, and a version that is not the last of the history.
    """
    if len(text) > LONGEST:
        raise ParseError(place, f"holds {len(text):,} characters; a rubric has at most {LONGEST:,}")
    value, source = load_yaml(text, place), SourceText(text, place)
    if not isinstance(value, dict):
        raise ParseError(place, f"holds {_kind(value)}, not a mapping: begin with 'name:', 'version:', 'title:'")
    try:
        form = RubricForm.model_validate(value)
    except ValidationError as error:
        raise source.error(*complaint(error, keys_beside)) from error
    check_rubric(form, source)
    return _frozen(form, digest(text))


def _kind(value: Json) -> str:
    return "nothing" if value is None else "a list" if isinstance(value, list) else "a single value"


def _frozen(form: RubricForm, sha256: str) -> Rubric:
    return Rubric(
        name=form.name,
        version=form.version,
        sha256=sha256,
        title=form.title,
        introduction=form.introduction,
        low=form.scale.low,
        high=form.scale.high,
        metrics=_metrics(form),
        overall=form.overall,
        levels=tuple(QualityLevel(level.name, level.at_least, level.meaning) for level in form.levels),
        decision=DecisionRule(**form.decision.model_dump()) if form.decision else None,
        judge=_judge(form),
        history=tuple(HistoryEntry(entry.version, entry.date, tuple(entry.changes)) for entry in form.history),
        categories={
            name: CategoryGuide(name, category.title, category.focus, tuple(category.criteria))
            for name, category in form.categories.items()
        },
        cues={name: CueGuide(cue.definition, tuple(cue.counts), tuple(cue.spares)) for name, cue in form.cues.items()},
        notes={title: tuple(items) for title, items in form.notes.items()},
        measures={
            name: Measure(name, measure.title, measure.definition, measure.formula, measure.constants)
            for name, measure in form.measures.items()
        },
        words=form.words,
    )


def _metrics(form: RubricForm) -> dict[str, Metric]:
    """In the file's order, the overall last."""
    names = [*(name for name in form.metrics if name != form.overall), form.overall]
    return {name: _metric(name, form.metrics[name]) for name in names}


def _metric(name: str, form: MetricForm) -> Metric:
    return Metric(
        name=name,
        title=form.title,
        kind=form.kind,
        definition=form.definition,
        bands=_bands(form),
        positive=tuple(form.positive),
        negative=tuple(form.negative),
        weight=form.weight,
        base=form.base or 0.0,
        adjustments=tuple(_adjustment(adjustment, form) for adjustment in form.adjustments),
        constants=form.constants,
        formula=form.formula,
        lists={key: tuple(phrases) for key, phrases in form.lists.items()},
        needs_context=form.needs_context,
    )


def _adjustment(form: AdjustmentForm, metric: MetricForm) -> Adjustment:
    return Adjustment(
        when=form.when,
        add=form.add,
        parameters=with_list(form, metric),
        label=form.label,
        requires=tuple(Condition(condition.when, with_list(condition, metric)) for condition in form.requires),
    )


def with_list(form: OpenForm, metric: MetricForm) -> dict[str, object]:
    """A cue's settings, the phrases of the list that they name among them."""
    parameters = form.parameters
    if isinstance(parameters.get("list"), str):
        parameters["phrases"] = list(metric.lists[parameters["list"]])
    return parameters


def _judge(form: RubricForm) -> JudgeRubric | None:
    if form.judge is None:
        return None
    return JudgeRubric(
        template=form.judge.template,
        dimensions=tuple(form.judge.dimensions),
        overall=form.overall,
        fallback=form.judge.fallback,
        low=form.scale.low,
        high=form.scale.high,
        guides=tuple(_guide(name, form.metrics[name]) for name in form.judge.dimensions),
        role=form.judge.role,
        considerations=tuple(form.judge.considerations),
        fields=tuple(form.judge.fields),
        subject=form.judge.subject,
        rationales=form.judge.rationales,
    )


def _guide(name: str, form: MetricForm) -> DimensionGuide:
    return DimensionGuide(name, form.title, form.definition, _bands(form), form.weight or 0.0)


def _bands(form: MetricForm) -> tuple[Band, ...]:
    return tuple(Band(band.low, band.high, band.label, band.text) for band in form.criteria)
