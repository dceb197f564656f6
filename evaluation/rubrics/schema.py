"""The form of a rubric file: which keys it has and of what type. What they mean together is the loader's to check."""

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from evaluation.records import Json
from evaluation.text.yaml_text import ValuePath


def _said(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    return text.strip()


Said: TypeAlias = Annotated[str, AfterValidator(_said)]
Name: TypeAlias = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
JudgeField: TypeAlias = Literal[
    "user_message",
    "assistant_response",
    "context_summary",
    "messages",
    "fridge_input",
    "options",
    "selected",
    "errors",
    "note",
]
"""What a judge's template can be filled with: the first three of a reply, the others of a flow."""
Number: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]


class Form(BaseModel):
    """A mapping whose keys are all known and whose values are of the type they are written in."""

    model_config = ConfigDict(extra="forbid", strict=True)


class OpenForm(BaseModel):
    """A mapping whose further keys are a cue's settings, checked against that cue."""

    model_config = ConfigDict(extra="allow", strict=True)

    when: str

    @property
    def parameters(self) -> dict[str, Json]:
        return dict(self.model_extra or {})


class AdjustmentForm(OpenForm):
    add: Number
    label: str = ""
    requires: list[OpenForm] = []


class BandForm(Form):
    low: Number = Field(alias="from")
    high: Number = Field(alias="to")
    label: Said
    text: Said


class MetricForm(Form):
    title: Said
    kind: Literal["adjustments", "formula", "weighted", "judged"]
    weight: Annotated[Number, Field(gt=0, le=1)] | None = None
    definition: Said
    criteria: list[BandForm] = []
    positive: list[Said] = []
    negative: list[Said] = []
    base: Number | None = None
    lists: dict[Name, list[str]] = {}
    adjustments: list[AdjustmentForm] = []
    formula: str = ""
    constants: dict[str, Json] | None = None
    needs_context: bool = False


class MeasureForm(Form):
    title: Said
    definition: Said
    formula: str
    constants: dict[str, Json] | None = None


class ScaleForm(Form):
    low: Number
    high: Number

    @model_validator(mode="after")
    def _rises(self) -> Self:
        if self.low >= self.high:
            raise ValueError(f"low {self.low} is not below high {self.high}")
        return self


class LevelForm(Form):
    name: Said
    at_least: Number
    meaning: Said


class DecisionForm(Form):
    deploy: Number
    ab_test: Number
    floor: Number


class JudgeForm(Form):
    template: Said
    dimensions: list[Name] = Field(min_length=1)
    fallback: Number
    fields: list[JudgeField] = ["user_message", "assistant_response", "context_summary"]
    role: Said = "You judge what an assistant says to its users."
    subject: Said = "response"
    rationales: bool = False
    considerations: list[Said] = []


class CategoryForm(Form):
    title: Said
    focus: Said
    criteria: list[Said] = Field(min_length=1)


class CueForm(Form):
    definition: Said
    counts: list[Said] = []
    spares: list[Said] = []


class HistoryForm(Form):
    version: Said
    date: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    changes: list[Said] = Field(min_length=1)


class RubricForm(Form):
    name: Name
    version: Said
    title: Said
    introduction: Said
    scale: ScaleForm
    metrics: dict[Name, MetricForm] = Field(min_length=1)
    overall: Name
    levels: list[LevelForm] = []
    decision: DecisionForm | None = None
    judge: JudgeForm | None = None
    categories: dict[Name, CategoryForm] = {}
    cues: dict[Name, CueForm] = {}
    notes: dict[Said, list[Said]] = {}
    measures: dict[Name, MeasureForm] = {}
    words: dict[str, Json] = {}
    history: list[HistoryForm] = Field(min_length=1)


_FORMS: dict[str, type[BaseModel]] = {
    "": RubricForm,
    "scale": ScaleForm,
    "metrics": MetricForm,
    "metrics.criteria": BandForm,
    "levels": LevelForm,
    "decision": DecisionForm,
    "judge": JudgeForm,
    "categories": CategoryForm,
    "cues": CueForm,
    "measures": MeasureForm,
    "history": HistoryForm,
}
"""Path without list positions and chosen names -> what stands there."""
_NAMED = frozenset({"metrics", "categories", "cues", "measures"})
"""Mappings whose keys the team chooses."""


def keys_beside(path: ValuePath) -> tuple[str, ...]:
    """The keys that are right where the last part of a path stands; empty where a cue's settings do."""
    parents = [part for part in path[:-1] if isinstance(part, str)]
    if parents and parents[0] in _NAMED:
        del parents[1:2]
    form = _FORMS.get(".".join(parents))
    return tuple(field.alias or name for name, field in form.model_fields.items()) if form else ()
