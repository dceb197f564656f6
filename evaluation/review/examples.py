"""The reviews that were marked exemplary, as examples for a judge."""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.chat_flow.judged import flow_texts
from evaluation.eval_records.item import Item, read_item
from evaluation.judging.material import spoken
from evaluation.records import Json


def judge_examples(records: Sequence[Mapping[str, Any]]) -> list[dict[str, Json]]:
    """The reviews that were marked exemplary: what was judged, the person's scores and words."""
    found: list[dict[str, Json]] = []
    for record in records:
        if record.get("mark") != "exemplary":
            continue
        item = read_item(record)
        found.append(
            {
                "id": item.id,
                "scenario": item.scenario_id,
                "rubric": f"{record['rubric']['name']} {record['rubric']['version']}" if record.get("rubric") else "",
                "reviewer": record["reviewer"],
                **_material(item),
                "scores": {metric: value for metric, value in record["scores"].items() if value is not None},
                "rationale": dict(record.get("rationale") or {}),
                "reasoning": record["notes"],
            }
        )
    return found


def _material(item: Item) -> dict[str, Json]:
    if item.flow is not None:
        return dict(flow_texts(item.flow)._asdict())
    return {
        "context": [spoken(turn.role, turn.content) for turn in item.context],
        "user_message": item.asked.content,
        "assistant_response": item.text,
    }
