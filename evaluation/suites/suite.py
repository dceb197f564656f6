"""What a suite is: all that the runner, the journal, the summary and the reports know of what they evaluate."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evaluation.ports import Complete, Exchanges, ScoreExchange
from evaluation.prompts import PromptVersion
from evaluation.records import Cell, Exchange, Json, Scenario, Source
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


JUDGED_BY = (
    "evaluation.judging.combine",
    "evaluation.judging.echo",
    "evaluation.judging.reading",
    "evaluation.judging.samples",
    "evaluation.judging.structured",
    "evaluation.judging.thoughts",
    "evaluation.judging.verdict",
)
"""The code between a judge's answer and its scores, for `Suite.scored_by`."""

Target: TypeAlias = Literal["model", "application"]
Play: TypeAlias = Callable[[Part, Complete], Exchanges]
ShowResponse: TypeAlias = Callable[[Exchange], Sequence[tuple[str, str]]]
"""The parts of a response that is no plain text, for readers: a name and a text each."""


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
    show: ShowResponse | None = None
    """How a report shows a response; None shows its text."""
    target: Target = "model"
    """What is evaluated: a model under a prompt, or an application that is reached over HTTP."""
    rules: Source = "heuristic"
    """What scores without a model: heuristics, which are combined with a judge's scores, or checks, which are not."""
    checks: tuple[str, ...] = ()
    """Names of the checks in the order of every table, the overall last: 1 where a check passed, 0 where it failed."""

    measures: tuple[str, ...] = ()
    """Figures on scales of their own, for information: scores of source `measure`, in no overall and no comparison."""
    needs_prompt: bool = True
    """False where a model can be evaluated on its own: without a prompt named, none is sent."""
    needs_user_input: bool = True
    """False where the response alone can be scored, so that the user's message may be missing."""
    scored_by: tuple[str, ...] = ()
    """Modules and packages whose code turns responses and verdicts into scores: a run pins their sources."""

    def sources(self, *, judged: bool) -> tuple[Source, ...]:
        """The sources that a run plans for, with a judge or without."""
        if not judged:
            return (self.rules,)
        return (self.rules, "judge", "combined") if self.rules == "heuristic" else (self.rules, "judge")

    def metrics_of(self, source: Source) -> tuple[str, ...]:
        """The metrics that a source may score, in the order of every table."""
        return self.checks if source == "check" else self.metrics

    def scale(self, source: Source) -> tuple[float, float]:
        """Lowest and highest value of a source's scores."""
        if source == "check":
            return (0.0, 1.0)
        if source == "judge" and self.judge is not None:
            return (self.judge.low, self.judge.high)
        return (self.low, self.high)


BuildSuite: TypeAlias = Callable[[Rubric], Suite]
