"""Evaluation records for tests: the source's minimum, and human ones built on it."""

from collections.abc import Mapping
from typing import Any

MESSAGES = [
    {"role": "assistant", "content": "What's in your fridge?"},
    {"role": "user", "content": "chicken, rice, garlic. 20 min. gluten-free."},
]
RECIPE = {
    "title": "Fried rice",
    "ingredients": ["chicken", "rice", "garlic"],
    "time_minutes": 20,
    "steps": ["Cook the rice.", "Fry everything."],
}
FLOW_METRICS = ("input_understanding", "option_quality", "selection_quality", "reliability", "clarity")


def minimum(**changes: Any) -> dict[str, Any]:
    """The least that a record of a flow holds."""
    return {
        "eval_id": "e-1",
        "timestamp": "2026-11-20T14:02:03Z",
        "trace_id": "t-1",
        "request": {"messages": MESSAGES, "fridge_input": None},
        "response": {"options": [RECIPE], "selected": RECIPE},
        "scores": {"input_understanding": 4, "overall": 4.0},
        "notes": "",
        **changes,
    }


def text_minimum(**changes: Any) -> dict[str, Any]:
    """The least that a record of a companion's response holds."""
    said = {"messages": [{"role": "user", "content": "I failed."}]}
    given = {"request": said, "response": {"text": "That sounds hard."}, "scores": {"helpfulness": 0.8}}
    return minimum(**(given | changes))


def human(item: str, reviewer: str, day: str, scores: Mapping[str, float | None], **changes: Any) -> dict[str, Any]:
    """One reviewer on one flow."""
    return minimum(
        eval_id=f"{item}-{reviewer}",
        exchange_id=item,
        scenario_id=item.partition("@")[0],
        run_id=item.partition("@")[2] or "run",
        timestamp=f"{day}T10:00:00Z",
        reviewed_at=f"{day}T12:00:00Z",
        suite="chat_flow",
        source="human",
        reviewer=reviewer,
        rubric={"name": "chat_flow", "version": "1.0"},
        scores=dict(scores),
        **changes,
    )
