"""What the projection needs to know of a run: its journal record, its scenarios, and the scales of its suite."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from evaluation.identity import experiment_id
from evaluation.records import Cell, Scenario, Source
from evaluation.run import Run
from services.journal import StoredRun


@dataclass(frozen=True, slots=True)
class EvaluatedRun:
    """One run as it is shown in Langfuse."""

    record: Run
    scenarios: Mapping[str, Scenario]
    """Scenario id -> scenario, in plan order."""
    metrics: tuple[str, ...]
    overall: str
    low: float
    high: float
    judge_low: float
    judge_high: float
    levels: tuple[tuple[str, float], ...] = ()
    """(name, lowest overall) of each quality level, best first."""
    decides: bool = False
    """Whether the suite has a decision rule."""
    checks: tuple[str, ...] = ()
    """Names of the checks, where the suite has checks in the place of heuristics."""
    all_scores: bool = False
    """Send every source's scores, not only the ones that a reader looks at first."""
    setting: str = ""
    """What tells it from the other runs of its group besides the prompt: "temperature 0.3"."""

    @property
    def run_id(self) -> str:
        return self.record.run_id

    @property
    def suite(self) -> str:
        return self.record.spec.suite

    @property
    def rehearsal(self) -> bool:
        """Whether its replies are those of an embedded stand-in: the rehearsal model, or the sample application."""
        return self.record.spec.embedded

    def experiments(self) -> tuple[str, ...]:
        """The ids of its experiments, one per repeat."""
        return tuple(experiment_id(self.run_id, repeat) for repeat in range(1, self.record.spec.repeats + 1))

    def cells(self) -> Sequence[Cell]:
        """The whole plan."""
        return [Cell(name, repeat) for repeat in range(1, self.record.spec.repeats + 1) for name in self.scenarios]


PlanOf: TypeAlias = Callable[[StoredRun], EvaluatedRun]
"""Reads a run's plan out of what the journal keeps of it."""


@dataclass(frozen=True, slots=True)
class Figure:
    """The mean of one metric under one source, over the whole run."""

    source: Source
    metric: str
    mean: float
    comment: str


@dataclass(frozen=True, slots=True)
class NightFigure:
    """One figure of a night: how its run stood against the baseline."""

    name: str
    value: float
    comment: str


@dataclass(frozen=True, slots=True)
class RunFigures:
    """What is said of a run as a whole. Shares are from 0 to 1."""

    means: tuple[Figure, ...]
    coverage: float | None
    failures: int
    fallbacks: int
    decision: str | None
    reasons: str = ""
    night: tuple[NightFigure, ...] = ()
    """Empty for a run that is no night's, and until the night is answered."""
