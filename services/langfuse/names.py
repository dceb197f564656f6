"""What a score is called in Langfuse, where one name means one scale, and which scores are sent."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evaluation.records import Score, Source
from evaluation.suites import SUITES
from services.langfuse.run_plan import EvaluatedRun

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


def score_kinds(run: EvaluatedRun) -> Iterator[ScoreKind]:
    """Every name that the run may send, in a stable order."""
    suite = run.suite
    judged = run.record.spec.judge is not None
    rules: tuple[Source, ...] = () if run.checks else ("heuristic", "combined") if judged else ("heuristic",)
    sources: tuple[Source, ...] = (*rules[:1], *(("judge",) if judged else ()), *rules[1:])
    named = [(source, metric) for metric in run.metrics for source in sources]
    for source, metric in (*named, *(("check", check) for check in run.checks)):
        low, high = source_scale(run, source)
        yield ScoreKind(score_name(suite, source, metric), "NUMERIC", low, high)
    if judged:
        yield ScoreKind(own_name(suite, "judge_parsed"), "BOOLEAN")
    if run.levels:
        yield ScoreKind(own_name(suite, "quality_level"), "CATEGORICAL", categories=tuple(n for n, _ in run.levels))
    if run.decides:
        yield ScoreKind(own_name(suite, "decision"), "CATEGORICAL", categories=VERDICTS)
    yield ScoreKind(own_name(suite, "coverage"), "NUMERIC", 0.0, 1.0)
    yield ScoreKind(own_name(suite, "failures"), "NUMERIC", 0.0)
    yield ScoreKind(own_name(suite, "fallbacks"), "NUMERIC", 0.0)


def source_scale(run: EvaluatedRun, source: Source) -> tuple[float, float]:
    """Lowest and highest value of a source's scores."""
    if source == "check":
        return 0.0, 1.0
    return (run.judge_low, run.judge_high) if source == "judge" else (run.low, run.high)


def chosen(run: EvaluatedRun, scores: Iterable[Score]) -> list[Score]:
    """Which scores of one exchange are sent: all of them, or per metric the one that decides, and each overall.

    What is not applicable stays out: averages in the UI would count it.
    """
    usable = [score for score in scores if score.value is not None and score.applicable]
    if run.all_scores or run.checks:
        return usable
    combined = {score.metric for score in scores if score.source == "combined"}
    return [
        score
        for score in usable
        if score.source == "combined"
        or score.metric == run.overall
        or (score.source == "heuristic" and score.metric not in combined)
    ]


def quality_level(run: EvaluatedRun, overall: float) -> str | None:
    """The level that an overall reaches; sums of decimals do not land on decimals, hence the slack."""
    return next((name for name, at_least in run.levels if overall >= at_least - 1e-9), None)
