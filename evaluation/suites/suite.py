"""What a suite is: all that the runner, the journal, the summary and the reports know of what they evaluate."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from evaluation.ports import Complete, Exchanges, ScoreExchange
from evaluation.prompts import PromptVersion
from evaluation.records import Cell, Json, Scenario
from evaluation.rubrics.rubric import DecisionRule, JudgeRubric, QualityLevel, Rubric


@dataclass(frozen=True, slots=True)
class Part:
    """One cell ready to be played: the scenario and all that its requests are made of."""

    cell: Cell
    scenario: Scenario
    prompt: PromptVersion | None
    variables: Mapping[str, str]
    model: str
    parameters: Mapping[str, Json]
    seed: int
    """Of the run; each call derives its own."""


Play: TypeAlias = Callable[[Part, Complete], Exchanges]


@dataclass(frozen=True, slots=True)
class Suite:
    """A way to play a scenario, to score what comes back, and to decide on it."""

    name: str
    metrics: tuple[str, ...]
    """In the order of every table; the overall is among them."""
    overall: str
    low: float
    high: float
    play: Play
    score: ScoreExchange
    judge: JudgeRubric | None = None
    decision: DecisionRule | None = None
    levels: tuple[QualityLevel, ...] = ()
    context_metrics: frozenset[str] = frozenset()
    """Metrics that mean nothing on an exchange without earlier conversation."""
    weights: Mapping[str, float] | None = None
    """Metric -> share in the overall, where the overall is a weighted sum."""


BuildSuite: TypeAlias = Callable[[Rubric], Suite]
