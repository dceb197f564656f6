"""What a short rubric leaves out, filled in: everything but its name and, of each metric, definition and criteria."""

from collections.abc import Mapping
from typing import Any

from evaluation.records import Json
from evaluation.text.names import in_words

OVERALL = "overall"
LOW, HIGH = 0.0, 1.0
DECIMALS = 10
FIELDS = {
    "context_summary": "What was said before:",
    "user_message": "The user says:",
    "assistant_response": "The assistant answers:",
}
"""Field of the judge's template -> the line above it."""


def filled(rubric: Mapping[str, Any]) -> dict[str, Any]:
    """The rubric as its file says it, with what it leaves out; what it says stays as it is, right or wrong.

    Version 1, a scale from 0 to 1, titles from the names, equal weights, an overall that is their weighted mean, and a
    judge of all metrics where one of them has no rule.
    """
    name = rubric.get("name")
    scale = {"low": LOW, "high": HIGH}
    title = _title(name) if isinstance(name, str) else ""
    found = {"version": "1", "title": title, "introduction": title, "scale": scale, "history": [], **rubric}
    metrics = found.get("metrics")
    if not isinstance(metrics, dict) or not metrics or not all(isinstance(each, dict) for each in metrics.values()):
        return found
    found.setdefault("overall", OVERALL)
    found["metrics"] = _metrics(metrics, found["overall"], adds_overall="overall" not in rubric)
    judged = any(each["kind"] == "judged" for each in found["metrics"].values())
    judge = found.get("judge", {} if judged else None)
    if isinstance(judge, dict):
        found["judge"] = _judge(judge, found)
    return found


def _metrics(given: Mapping[str, Any], overall: Json, *, adds_overall: bool) -> dict[str, Any]:
    others = [name for name in given if name != overall]
    weighed = any("weight" in given[name] for name in others)
    metrics = {}
    for name, metric in given.items():
        usual: dict[str, Any] = {"title": _title(name), "kind": _kind(name, metric, overall)}
        if name != overall and not weighed:
            usual["weight"] = round(1 / len(others), DECIMALS)
        metrics[name] = {**usual, **metric}
    if adds_overall and overall not in metrics:
        mean = "The weighted mean of the other metrics."
        metrics[OVERALL] = {"title": _title(OVERALL), "kind": "weighted", "definition": mean}
    return metrics


def _kind(name: str, metric: Mapping[str, Any], overall: Json) -> str:
    if name == overall:
        return "weighted"
    if "adjustments" in metric:
        return "adjustments"
    return "formula" if "formula" in metric else "judged"


def _judge(given: Mapping[str, Any], rubric: Mapping[str, Any]) -> dict[str, Any]:
    others = {name: each for name, each in rubric["metrics"].items() if name != rubric["overall"]}
    scale = rubric["scale"] if isinstance(rubric["scale"], dict) else {}
    low, high = scale.get("low", LOW), scale.get("high", HIGH)
    usual: dict[str, Any] = {"dimensions": list(others)}
    if isinstance(low, int | float) and isinstance(high, int | float):
        usual["fallback"] = (low + high) / 2
        usual["template"] = _template(others, f"{low:g}", f"{high:g}")
    return {**usual, **given}


def _template(metrics: Mapping[str, Any], low: str, high: str) -> str:
    """The question in the text format: what each metric means, and the material."""
    points = [f"- {each['title']}: {each.get('definition', '')}".rstrip() for each in metrics.values()]
    blocks = [f"{line}\n{{{{{field}}}}}" for field, line in FIELDS.items()]
    return "\n\n".join([f"Score the assistant's response from {low} to {high}:\n" + "\n".join(points), *blocks])


def _title(name: str) -> str:
    return in_words(name).capitalize()
