"""A profile turns a rubric into a rubric: for one kind of text other constants, other formulas, or no value."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Self, TypeAlias

from pydantic import Field, model_validator

from evaluation.metrics.formulas import FORMULAS
from evaluation.metrics.profiles import OF_FORMS, PROFILES, UNKNOWN
from evaluation.records import Json
from evaluation.rubrics.rubric import Metric, Rubric
from evaluation.rubrics.values import Name, Said
from evaluation.text.forms import Form, SourceText

Phrases: TypeAlias = dict[str, Annotated[tuple[str, ...], Field(strict=False)]]
"""Language -> words, in lower case with straight apostrophes."""
NOT_APPLICABLE = "not_applicable"
"""The formula of a metric that means nothing for a kind of text."""


class Constant(Form):
    """A constant of a formula, and why it is what it is."""

    value: Any
    reason: Said


class MetricChange(Form):
    """What a profile makes of a metric: no value, or the constants of its formula or of another one."""

    not_applicable: str = ""
    """The reason; empty where the metric applies."""
    formula: str = ""
    """Empty for the rubric's own."""
    constants: dict[Name, Constant] = Field(default_factory=dict)
    """The rubric's own stay where none stands here; where another formula is named, its lists of words alone."""

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        if bool(self.not_applicable) == bool(self.formula or self.constants):
            raise ValueError("give either not_applicable or what applies")
        if self.formula and self.formula not in FORMULAS:
            raise ValueError(f"unknown formula {self.formula!r}")
        return self


class AskedBy(Form):
    """How a prompt asks for the kind."""

    order: int = 100
    """Kinds of a lower one are tried first: what is named goes before what is only a size."""
    kinds: Phrases = Field(default_factory=dict)
    """Names of the kind, as what somebody is asked to write."""
    verbs: Phrases = Field(default_factory=dict)
    """Verbs that ask for it beside those of every text."""
    beginnings: Phrases = Field(default_factory=dict)
    """Beginnings of a sentence that asks for it."""
    beginnings_not_before: Phrases = Field(default_factory=dict)
    """Words that may not stand behind such a beginning."""
    longest_words: int | None = None
    """Words of such a sentence at the most."""
    anywhere: Phrases = Field(default_factory=dict)
    """Phrases that ask for it wherever they stand in a request."""
    forms: Annotated[tuple[str, ...], Field(strict=False)] = ()
    """Forms of `Asked` that belong to it alone."""
    items: bool = False
    """True where a number of things asks for it."""
    list_verbs: bool = False
    """True where a verb such as list or name does."""
    at_most: dict[str, float] = Field(default_factory=dict)
    """Unit -> the most of it that still asks for the kind."""


class Profile(Form):
    """One file."""

    profile: Name
    title: Said
    means: Said
    asked_by: AskedBy = Field(default_factory=AskedBy)
    metrics: dict[Name, MetricChange]


@cache
def shipped_profile(name: str) -> Profile:
    """A shipped profile. Raises ParseError for a file that is wrong, KeyError for a name that is none."""
    if name not in (*PROFILES, *OF_FORMS, UNKNOWN):
        raise KeyError(name)
    file = f"{name}.yaml"
    text = (files("evaluation.metrics.profiles") / file).read_text(encoding="utf-8")
    return SourceText(text, f"evaluation/metrics/profiles/{file}").read(Profile, "'profile:', 'title:'")


def under_profile(rubric: Rubric, name: str, form: str = "") -> Rubric:
    """The rubric for one kind of text, and for the form of answer that a prompt asks for. The rubric stays as it is."""
    layers = [UNKNOWN, *([] if name == UNKNOWN else [name]), *([form] if form in OF_FORMS else [])]
    for layer in layers:
        rubric = changed(rubric, shipped_profile(layer))
    return rubric


def changed(rubric: Rubric, profile: Profile) -> Rubric:
    """The rubric with the changes of one profile, as far as it has these metrics and they are formulas."""
    metrics = {
        name: _changed_metric(metric, profile.metrics[name])
        if name in profile.metrics and metric.kind == "formula"
        else metric
        for name, metric in rubric.metrics.items()
    }
    return rubric.model_copy(update={"metrics": metrics})


def _changed_metric(metric: Metric, change: MetricChange) -> Metric:
    if change.not_applicable:
        return metric.model_copy(update={"formula": NOT_APPLICABLE, "constants": {"reason": change.not_applicable}})
    formula = change.formula or metric.formula
    if metric.formula == NOT_APPLICABLE and not change.formula:
        return metric
    fields = FORMULAS[formula].settings.model_fields
    own: Mapping[str, Json] = {
        name: value
        for name, value in (metric.constants or {}).items()
        if name in fields and (not change.formula or _is_word_list(value))
    }
    said = {name: constant.value for name, constant in change.constants.items()}
    return metric.model_copy(update={"formula": formula, "constants": {**own, **said}})


def _is_word_list(value: Json) -> bool:
    """True for lists of words and marks, which belong to a language and stay where a profile names another formula."""
    return isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
