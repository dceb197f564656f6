"""The names of scores in Langfuse, where one name means one scale, and which scores are sent."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evaluation.records import Score, Source
from evaluation.run import Run
from evaluation.suites import SUITES
from evaluation.suites.suite import Suite

DataType: TypeAlias = Literal["NUMERIC", "BOOLEAN", "CATEGORICAL"]
VERDICTS = ("deploy", "ab_test", "needs_revision")
MAX_NAME = 35


@dataclass(frozen=True, slots=True)
class ScoreKind:
    """One name with its type and range, as a score config says it."""

    name: str
    data_type: DataType
    low: float | None = None
    high: float | None = None
    categories: tuple[str, ...] = ()

    def problem(self, value: float | str) -> str:
        """Why the server would refuse or silently drop this value; empty when it is good."""
        if self.data_type == "CATEGORICAL":
            return "" if value in self.categories else f"{value!r} is none of {', '.join(self.categories)}"
        if isinstance(value, str) or not abs(value) < float("inf"):
            return f"{value!r} is no finite number"
        if self.data_type == "BOOLEAN":
            return "" if value in (0, 1) else f"{value!r} is neither 0 nor 1"
        if (self.low is not None and value < self.low) or (self.high is not None and value > self.high):
            return f"{value!r} is outside {self.low!r} to {self.high!r}"
        return ""


def score_name(suite: str, source: Source, metric: str) -> str:
    """The name under which a suite's score of one source is sent, at most 35 characters."""
    prefix = SUITES[suite].prefix_of(source) if suite in SUITES else f"{suite}.{source}."
    return f"{prefix}{metric}"[:MAX_NAME]


def own_name(suite: str, name: str) -> str:
    """The name of what belongs to no source: judge_parsed, quality_level, decision, coverage, failures, fallbacks."""
    prefix = SUITES[suite].own_prefix if suite in SUITES else None
    return f"{f'{suite}.' if prefix is None else prefix}{name}"[:MAX_NAME]


def score_kinds(suite: Suite, *, judged: bool) -> Iterator[ScoreKind]:
    """Every name that a run of the suite may send, with a judge or without, in a stable order."""
    rules: tuple[Source, ...] = () if suite.checks else ("heuristic", "combined") if judged else ("heuristic",)
    sources: tuple[Source, ...] = (*rules[:1], *(("judge",) if judged else ()), *rules[1:])
    named = [(source, metric) for metric in suite.metrics for source in sources]
    for source, metric in (*named, *(("check", check) for check in suite.checks)):
        yield ScoreKind(score_name(suite.name, source, metric), "NUMERIC", *suite.scale(source))
    if judged:
        yield ScoreKind(own_name(suite.name, "judge_parsed"), "BOOLEAN")
    if suite.levels:
        levels = tuple(level.name for level in suite.levels)
        yield ScoreKind(own_name(suite.name, "quality_level"), "CATEGORICAL", categories=levels)
    if suite.decision is not None:
        yield ScoreKind(own_name(suite.name, "decision"), "CATEGORICAL", categories=VERDICTS)
    yield ScoreKind(own_name(suite.name, "coverage"), "NUMERIC", 0.0, 1.0)
    yield ScoreKind(own_name(suite.name, "failures"), "NUMERIC", 0.0)
    yield ScoreKind(own_name(suite.name, "fallbacks"), "NUMERIC", 0.0)


def chosen_scores(run: Run, scores: Iterable[Score]) -> list[Score]:
    """The scores of one exchange that are sent: all of them, or per metric the one that decides, and each overall.

    What is not applicable stays out: averages in the UI would count it.
    """
    usable = [score for score in scores if score.value is not None and score.applicable]
    if run.suite.checks or run.request.langfuse_scores == "all":
        return usable
    combined = {score.metric for score in scores if score.source == "combined"}
    return [
        score
        for score in usable
        if score.source == "combined"
        or score.metric == run.suite.overall
        or (score.source == "heuristic" and score.metric not in combined)
    ]


def quality_level(suite: Suite, overall: float) -> str | None:
    """The level that an overall reaches; sums of decimals do not land on decimals, hence the slack."""
    return next((level.name for level in suite.levels if overall >= level.at_least - 1e-9), None)
