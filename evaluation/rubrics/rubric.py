"""A rubric as its YAML file says it: checked key by key, and frozen. `checks` looks at what its parts mean together."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, WrapValidator, model_validator

from evaluation.languages.pack import Code
from evaluation.languages.packs import ENGLISH
from evaluation.records import Json
from evaluation.rubrics.from_pack import FromPack, kept, with_lists
from evaluation.rubrics.judge_section import JudgeSection
from evaluation.rubrics.short import filled
from evaluation.rubrics.values import Band, Items, Name, Number, Said, Some, Summand
from evaluation.text.forms import Form

PhraseList: TypeAlias = Annotated[Items[str], WrapValidator(kept)]
"""Written out, or a list of a language pack."""


class CueUse(BaseModel):
    """A cue by its name; the further keys are its settings, checked against that cue."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    when: str
    """Name of a registered cue."""

    @property
    def parameters(self) -> dict[str, Json]:
        """The cue's settings as written: a phrase list or the name of one, a range, a bound."""
        return dict(self.model_extra or {})


class Contrary(CueUse):
    """A cue that takes an amount back."""

    from_strength: Annotated[Number, Field(ge=0, le=1)] = 0.0
    """Weaker findings take nothing back."""


class Adjustment(CueUse):
    """One line of a metric's arithmetic: when the cue is found, add the amount."""

    add: Summand
    label: str = ""
    """Its name in the explanation, before the evidence."""
    requires: Items[CueUse] = ()
    """All of these must be found too."""
    unless: Items[Contrary] = ()
    """None of these may be found."""

    @property
    def uses(self) -> tuple[CueUse, ...]:
        """The cue itself and those that stand as its conditions."""
        return (self, *self.requires, *self.unless)


class Metric(Form):
    """One metric: what it means, how people score it, and how code scores it."""

    title: Said
    kind: Literal["adjustments", "formula", "weighted", "judged"]
    """adjustments: base plus cues; formula: a function of `constants`; weighted: the overall; judged: no rule."""
    weight: Annotated[Summand, Field(gt=0, le=1)] | None = None
    """Share in the weighted overall; None for the overall itself."""
    definition: Said
    bands: Items[Band] = Field((), alias="criteria")
    positive: Items[Said] = ()
    negative: Items[Said] = ()
    base: Summand = 0.0
    lists: dict[Name, PhraseList] = Field(default_factory=dict)
    """Phrase lists of this metric by name, as adjustments refer to them."""
    adjustments: Items[Adjustment] = ()
    formula: str = ""
    constants: dict[str, Json] | None = None
    needs_context: bool = False
    """True where the metric means nothing without an earlier conversation: then flagged not applicable."""
    without_context: Literal["counted", "left_out"] = "counted"
    """What the overall does with such a metric where there is no earlier conversation."""

    @property
    def leaves_overall(self) -> bool:
        """True where the overall is that of the other metrics as long as there is no earlier conversation."""
        return self.needs_context and self.without_context == "left_out"

    def settings_of(self, use: CueUse) -> dict[str, Json]:
        """A cue's settings, the phrases of the list that they name among them."""
        settings = use.parameters
        if isinstance(settings.get("list"), str):
            phrases = self.lists[settings["list"]]
            settings["phrases"] = phrases if isinstance(phrases, FromPack) else list(phrases)
        return settings


class Measure(Form):
    """A figure on a scale of its own, beside the metrics: for information, in no overall and no decision."""

    title: Said
    definition: Said
    formula: str
    constants: dict[str, Json] | None = None


class Scale(Form):
    """Lowest and highest value of every metric."""

    low: Number
    high: Number

    @model_validator(mode="after")
    def _rises(self) -> Self:
        if self.low >= self.high:
            raise ValueError(f"low {self.low} is not below high {self.high}")
        return self


class QualityLevel(Form):
    """A name for means from `at_least` up to the next level."""

    name: Said
    at_least: Number
    meaning: Said


class CriticalRule(Form):
    """How many critical expectations may fail before a version is held back, whatever its means."""

    failures: int = Field(ge=0)


class DecisionRule(Form):
    """When a version may be deployed: bounds on the mean overall, and a floor for every other metric's mean."""

    deploy: Number
    ab_test: Number
    floor: Number
    decide: Literal["tool", "human"] = "tool"
    """human: by the lower ends of the means corrected by people's labels, and not at all while labels are missing."""
    critical: CriticalRule | None = None
    """None where failed critical expectations are said beside the verdict and only shut the gates."""


class ChecksRule(Form):
    """Which checks hold a version back, and what a gate on checks asks for."""

    critical: Items[Name]
    """Checks that may fail in no case."""
    passed: Number = Field(ge=0, le=1)
    """The least share of cases in which every check that applies passes."""


class CategoryGuide(Form):
    """The focus of a scenario category."""

    title: Said
    focus: Said
    criteria: Some[Said]
    expect: Items[Json] = ()
    """Expectations of every scenario of the category, in the form of `evaluation.expectations.form`."""


class AudienceGuide(Form):
    """A group of users: the scenarios that bear its name as a tag."""

    title: Said
    focus: Said
    expect: Items[Json] = ()
    """As of a category."""


class CueGuide(Form):
    """The definition of a cue for people: what it counts, and the look-alikes that it does not."""

    definition: Said
    counts: Items[Said] = ()
    spares: Items[Said] = ()
    settings: dict[str, Json] = Field(default_factory=dict)
    """For every use of the cue; a use that gives one of them itself has its own."""
    with_settings_of: Items[str] = ()
    """Other cues whose settings this one has too, each under that cue's name: what it needs to know what they find."""


class HistoryEntry(Form):
    """The changes of one version."""

    version: Said
    date: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    changes: Some[Said]


class Rubric(Form):
    """One suite's rubric. `metrics` keep the file's order, the overall last."""

    name: Name
    version: Said
    language: Code = ENGLISH
    """Of its phrases, and of an exchange that says nothing of its own."""
    title: Said
    introduction: Said
    scale: Scale
    metrics: dict[Name, Metric] = Field(min_length=1)
    overall: Name
    levels: Items[QualityLevel] = ()
    """Best first."""
    decision: DecisionRule | None = None
    checks: ChecksRule | None = None
    judge: JudgeSection | None = None
    categories: dict[Name, CategoryGuide] = Field(default_factory=dict)
    audiences: dict[Name, AudienceGuide] = Field(default_factory=dict)
    expect: Items[Json] = ()
    """Expectations of every scenario, as of a category."""
    cues: dict[Name, CueGuide] = Field(default_factory=dict)
    """Cue name -> what it counts and what it spares, in words."""
    notes: dict[Said, Items[Said]] = Field(default_factory=dict)
    """Titled lists that only the human document shows (usage guidelines, research anchors)."""
    measures: dict[Name, Measure] = Field(default_factory=dict)
    profile: Name | None = None
    """The kind of text that the formulas are for, or `auto` for that of each prompt; None for the formulas as they are
    (`evaluation.metrics.profiles`)."""
    words: dict[str, Json] = Field(default_factory=dict)
    """Word lists of a suite's checks, in that suite's own form."""
    history: Items[HistoryEntry] = ()
    """Oldest first; empty where no changes are kept."""
    _sha256: str = PrivateAttr("")

    @model_validator(mode="before")
    @classmethod
    def _overall_last(cls, value: Any) -> Any:
        value = with_lists(filled(value)) if isinstance(value, dict) else value
        metrics = value.get("metrics") if isinstance(value, dict) else None
        if not isinstance(metrics, dict) or value.get("overall") not in metrics:
            return value
        rest = {name: metric for name, metric in metrics.items() if name != value["overall"]}
        return {**value, "metrics": {**rest, value["overall"]: metrics[value["overall"]]}}

    def settings_of(self, use: CueUse, metric: Metric) -> dict[str, Json]:
        """A cue's settings where a metric uses it: those of other cues, those of the cue's guide, then its own."""
        return {**self.guide_settings_of(use.when), **metric.settings_of(use)}

    def guide_settings_of(self, cue: str) -> dict[str, Json]:
        """A cue's settings wherever it is used: those of other cues that it needs, then its guide's."""
        guide = self.cues.get(cue)
        if guide is None:
            return {}
        others: dict[str, Json] = {name: self.cues[name].settings for name in guide.with_settings_of}
        return {**others, **guide.settings}

    @property
    def sha256(self) -> str:
        """Of the file's text; empty for a rubric that was made without one."""
        return self._sha256

    @property
    def edition(self) -> str:
        """The version as a run pins it, with the profile under which it is used: "1.1.1", "1.1.1 profile auto"."""
        return self.version if self.profile is None else f"{self.version} profile {self.profile}"

    @property
    def low(self) -> float:
        """Lowest value of the scale."""
        return self.scale.low

    @property
    def high(self) -> float:
        """Highest value of the scale."""
        return self.scale.high

    @property
    def weights(self) -> Mapping[str, float]:
        """Metric -> share in the overall."""
        return {name: metric.weight for name, metric in self.metrics.items() if metric.weight is not None}
