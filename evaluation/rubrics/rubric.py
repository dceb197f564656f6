"""A rubric as values: what its YAML file says, checked and frozen."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from evaluation.records import Json, Turn


@dataclass(frozen=True, slots=True)
class Band:
    """One row of the scoring criteria: from `low` to `high`, both included, as printed."""

    low: float
    high: float
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Condition:
    """A further cue without which an adjustment does not count."""

    when: str
    """Name of a registered cue."""
    parameters: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Adjustment:
    """One line of a metric's arithmetic: when the cue is found, add the amount."""

    when: str
    """Name of a registered cue."""
    add: float
    parameters: Mapping[str, Json]
    """The cue's settings: a phrase list, a range, a bound."""
    label: str
    """What the explanation calls it, before the evidence."""
    requires: tuple[Condition, ...] = ()
    """All of these must be found too."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric: what it means, how people score it, and how code scores it."""

    name: str
    title: str
    kind: Literal["adjustments", "formula", "weighted", "judged"]
    """adjustments: base plus cues; formula: a function of `constants`; weighted: the overall; judged: no rule."""
    definition: str
    bands: tuple[Band, ...]
    positive: tuple[str, ...]
    negative: tuple[str, ...]
    weight: float | None
    """Share in the weighted overall; None for the overall itself."""
    base: float = 0.0
    adjustments: tuple[Adjustment, ...] = ()
    constants: Mapping[str, Json] | None = None
    formula: str = ""
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Phrase lists of this metric by name, as adjustments refer to them."""
    needs_context: bool = False
    """True where the metric means nothing without an earlier conversation: then flagged not applicable."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure on a scale of its own, beside the metrics: for information, in no overall and no decision."""

    name: str
    title: str
    definition: str
    formula: str
    constants: Mapping[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class QualityLevel:
    """A name for means from `at_least` up to the next level."""

    name: str
    at_least: float
    meaning: str


@dataclass(frozen=True, slots=True)
class DecisionRule:
    """When a version may be deployed: bounds on the mean overall, and a floor for every other metric's mean."""

    deploy: float
    ab_test: float
    floor: float


@dataclass(frozen=True, slots=True)
class DimensionGuide:
    """One dimension as the judge is told of it."""

    name: str
    title: str
    definition: str
    bands: tuple[Band, ...]
    weight: float
    """Share in the overall."""


@dataclass(frozen=True, slots=True)
class JudgeRubric:
    """The judge's part: its template, what it scores, and what stands for an unreadable verdict."""

    template: str
    """Holds each of the `fields` in double braces."""
    dimensions: tuple[str, ...]
    """Metric names that a structured verdict scores."""
    overall: str
    fallback: float
    low: float
    high: float
    guides: tuple[DimensionGuide, ...] = ()
    """The dimensions with their criteria, for the structured formats; the text format is the template's own."""
    role: str = ""
    """Who the judge is, in the structured formats."""
    considerations: tuple[str, ...] = ()
    """What the judge is to bear in mind beside the criteria, in the structured formats."""
    fields: tuple[str, ...] = ("user_message", "assistant_response", "context_summary")
    """What the template is filled with; one with `options` judges a flow, not a reply."""
    subject: str = "response"
    """What of the assistant's is scored, in the structured formats."""
    rationales: bool = False
    """Whether each score has a rationale of its own, in the structured formats."""
    prompt: tuple[Turn, ...] = ()
    """The team's own messages in the place of role, criteria, considerations and template; empty without one."""


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    version: str
    date: str
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rubric:
    """One suite's rubric. `sha256` is of the file's text; `metrics` keep the file's order, the overall last."""

    name: str
    version: str
    sha256: str
    title: str
    introduction: str
    low: float
    high: float
    metrics: Mapping[str, Metric]
    overall: str
    levels: tuple[QualityLevel, ...]
    """Best first."""
    decision: DecisionRule | None
    judge: JudgeRubric | None
    history: tuple[HistoryEntry, ...]
    categories: Mapping[str, "CategoryGuide"]
    cues: Mapping[str, "CueGuide"]
    """Cue name -> what it counts and what it spares, in words."""
    notes: Mapping[str, tuple[str, ...]]
    """Titled lists that only the human document shows (usage guidelines, research anchors)."""
    measures: Mapping[str, Measure] = field(default_factory=dict)
    words: Mapping[str, Json] = field(default_factory=dict)
    """Word lists of a suite's checks, in that suite's own form."""


@dataclass(frozen=True, slots=True)
class CategoryGuide:
    """What a scenario category looks at."""

    name: str
    title: str
    focus: str
    criteria: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CueGuide:
    """The definition of a cue for people: what it counts, and the look-alikes that it does not."""

    definition: str
    counts: tuple[str, ...]
    spares: tuple[str, ...]
