"""What a report tells of one weak exchange: which metrics pulled it down, and why."""

from typing import NamedTuple

from evaluation.records import Result, Score
from evaluation.reports import numbers

MOST_METRICS = 2


class LowMetric(NamedTuple):
    """One of the lowest metrics by rule, with the arithmetic behind it."""

    metric: str
    value: float
    explanation: str


def lowest_metrics(result: Result, overall: str) -> list[LowMetric]:
    """The lowest applicable rule scores other than the overall, lowest first; the judge's where no rule scored."""
    rules = [score for score in result.scores if score.source in ("heuristic", "check")]
    scores: list[Score] = rules or [score for score in result.scores if score.source == "judge"]
    found = [
        LowMetric(score.metric, score.value, score.explanation)
        for score in scores
        if score.value is not None and score.applicable and score.metric != overall
    ]
    return sorted(found, key=lambda low: low.value)[:MOST_METRICS]


def place(result: Result) -> str:
    """Where the exchange stands: scenario, repeat, turn."""
    cell = result.exchange.cell
    return f"{cell.scenario_id}, repeat {cell.repeat}, turn {result.exchange.turn}"


def judgement(result: Result, overall: str) -> str:
    """The judge's overall and its reasoning; why there is none, when it could not be read; empty without a judge."""
    verdict = result.verdict
    if verdict is None:
        return ""
    if not verdict.parsed:
        return f"verdict not read: {verdict.problem}"
    value = result.values("judge").get(overall, verdict.scores.get(overall))
    return f"{numbers.score(value)}: {verdict.reasoning}"
