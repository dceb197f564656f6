"""Reviews in other forms: ratings that `make calibrate` reads, and examples for a judge."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evaluation.chat_flow.judged import flow_texts
from evaluation.eval_records.item import Item, read_item
from evaluation.judging.data_block import spoken
from evaluation.records import Json


def by_item(records: Iterable[Mapping[str, Any]]) -> dict[str, tuple[Item, list[Mapping[str, Any]]]]:
    """Item id -> the item and its reviews, in order of first appearance."""
    found: dict[str, tuple[Item, list[Mapping[str, Any]]]] = {}
    for record in records:
        item = read_item(record)
        found.setdefault(item.id, (item, []))[1].append(record)
    return found


def rating_lines(records: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Json]]:
    """One line per item with every reviewer's scores, in the form that calibration reads."""
    for item, reviews in by_item(records).values():
        *context, last = item.messages or (None,)
        raters: dict[str, list[float]] = {}
        for review in reviews:
            for metric, value in review["scores"].items():
                if value is not None:
                    raters.setdefault(metric, []).append(float(value))
        if raters:
            yield {
                "id": item.id,
                "user_input": "" if last is None else last.content,
                "response": item.text,
                "context": [{"role": turn.role, "content": turn.content} for turn in context if turn is not None],
                "group": item.cluster,
                "raters": raters,
            }


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
    *context, last = item.messages
    return {
        "context": [spoken(turn.role, turn.content) for turn in context],
        "user_message": last.content,
        "assistant_response": item.text,
    }
