"""The words of a report on one weak exchange: which metrics pulled it down, and why.

Scores keep their arithmetic as text alone, so losses and weights are read from the explanations. They decide nothing
but which lines are shown.
"""

import re
from collections.abc import Mapping

from evaluation.records import Result, Score
from evaluation.text import numbers

MOST_METRICS = 3
MOST_READ = 4000
"""Characters of an explanation that are read."""
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_LOSS = re.compile(r"(?:^|, )-(\d+(?:\.\d+)?) (?!clamped\b)")
_BARE = re.compile(r"-?\d+(?:\.\d+)? base")
_SHARE = re.compile(r"(?:^|\+ )(\d+(?:\.\d+)?) x -?\d+(?:\.\d+)? ([\w-]+)")


def telling_metrics(result: Result, overall: str) -> list[Score]:
    """The applicable rule scores other than the overall that say most about a low one; the judge's without rules.

    First those from which something was taken off, the largest weighted loss first; then by weight times what the
    value lacks to 1. A bare base stands only where nothing else does.
    """
    # A check that passed has nothing to say.
    rules = [
        score
        for score in result.scores
        if score.source == "heuristic" or (score.source == "check" and score.value == 0)
    ]
    scores: list[Score] = rules or [score for score in result.scores if score.source == "judge"]
    weights = _weights(next((score.explanation for score in scores if score.metric == overall), ""))
    found = [each for each in scores if each.value is not None and each.applicable and each.metric != overall]
    telling = [low for low in found if not _BARE.fullmatch(low.explanation)] or found
    return sorted(telling, key=lambda low: _rank(low, weights))[:MOST_METRICS]


def _rank(low: Score, weights: Mapping[str, float]) -> tuple[float, float]:
    """Lowest first: the weighted loss, then the weighted shortfall, both negated."""
    weight = weights.get(low.metric, 0.0) if weights else 1.0
    lost = sum(float(amount) for amount in _LOSS.findall(_without_quotations(low.explanation)))
    return -weight * lost, -weight * (1.0 - (low.value or 0.0))


def _weights(explanation: str) -> dict[str, float]:
    """Metric -> weight as a weighted overall explains itself; empty for an overall that is no weighted sum."""
    return {metric: float(weight) for weight, metric in _SHARE.findall(_without_quotations(explanation))}


def _without_quotations(explanation: str) -> str:
    """Without the evidence in quotation marks, which may look like arithmetic."""
    return _QUOTED.sub('""', explanation[:MOST_READ])


def judgement(result: Result, overall: str) -> str:
    """The judge's overall and its reasoning; why there is none, when it could not be read; empty without a judge."""
    verdict = result.verdict
    if verdict is None:
        return ""
    if not verdict.parsed:
        return f"verdict not read: {verdict.problem}"
    value = result.values("judge").get(overall, verdict.scores.get(overall))
    return f"{numbers.score(value)}: {verdict.reasoning}"
