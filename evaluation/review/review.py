"""A person's review of one response, the evaluation record that it becomes, and the example for a judge."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from evaluation.calibration.people import overall_of_people
from evaluation.chat_flow.judged import flow_texts
from evaluation.eval_records.held import HeldItem, read_answers
from evaluation.eval_records.record import SCHEMA_VERSION, Item, read_item
from evaluation.expectations.human import Said
from evaluation.identity import eval_id
from evaluation.judging.material import spoken
from evaluation.records import Json
from evaluation.rubrics.rubric import Rubric

Mark: TypeAlias = Literal["unclear", "exemplary"]
Judgement: TypeAlias = Literal["keep", "flag", "neither"]
"""A person's word on a whole response: it may go out as it is, it must not, or that was left open."""
NO_RECORD = frozenset(
    {"eval_id", "scores", "other_scores", "rationale", "notes", "source", "reviewer", "rubric", "scale"}
    | {"content_sha256", "item_answers", "to_review", "judgement"}
)
"""Fields of the reviewed record that its review replaces."""


@dataclass(frozen=True, slots=True)
class ItemReview:
    """A person's answer to one expectation."""

    item: HeldItem
    said: Said
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Review:
    """One reviewer on one response."""

    reviewer: str
    reviewed_at: str
    """ISO 8601, UTC."""
    scores: Mapping[str, float | None]
    """Metric -> value; None where it does not apply, or the criteria do not say."""
    notes: str
    """One or two sentences on what decided it."""
    rationale: Mapping[str, str] = field(default_factory=dict)
    """Metric -> a remark on it."""
    checklist: Mapping[str, bool | None] = field(default_factory=dict)
    unclear: Sequence[str] = ()
    """Metrics whose criteria could not be applied."""
    mark: Mark | None = None
    blind: bool = True
    items: Sequence[ItemReview] = ()
    judgement: Judgement | None = None
    """None where the response was not judged as a whole."""


def review_record(item: Item, review: Review, rubric: Rubric) -> dict[str, Json]:
    """The record of a review: what was reviewed stands in it, so that nothing else is needed to use it."""
    others = {source: dict(values) for source, values in item.scores.items() if values}
    scores: dict[str, float | None] = {
        **review.scores,
        rubric.overall: overall(review, rubric, in_context=bool(item.context)),
    }
    return {
        **{name: value for name, value in item.record.items() if name not in NO_RECORD},
        "schema_version": SCHEMA_VERSION,
        "eval_id": eval_id(item.id, review.reviewer),
        "exchange_id": item.id,
        "reviews": item.record["eval_id"],
        "suite": item.suite,
        "source": "human",
        "reviewer": review.reviewer,
        "reviewed_at": review.reviewed_at,
        "blind": review.blind,
        "rubric": {"name": rubric.name, "version": rubric.version, "sha256": rubric.sha256},
        "scale": {"low": rubric.low, "high": rubric.high},
        "scores": scores,
        "other_scores": others,
        "rationale": dict(review.rationale),
        "notes": review.notes,
        "checklist": dict(review.checklist),
        "unclear": list(review.unclear),
        "mark": review.mark,
        **_item_answers(item, review),
        **({"judgement": review.judgement} if review.judgement else {}),
    }


def _item_answers(item: Item, review: Review) -> dict[str, Json]:
    """The answers to expectations, each bound to what was shown and to the question that was asked."""
    if not review.items:
        return {}
    return {"content_sha256": item.content_sha256, "item_answers": [_item_answer(each) for each in review.items]}


def _item_answer(given: ItemReview) -> dict[str, Json]:
    item = given.item
    return {
        "id": item.id,
        "kind": item.kind,
        "question": item.question,
        "question_sha256": item.question_sha256,
        "reach": item.reach,
        "answer": given.said,
        **({"remark": given.remark} if given.remark else {}),
    }


def overall(review: Review, rubric: Rubric, *, in_context: bool) -> float | None:
    """The rubric's overall of a person's scores; where no dimension was scored, the one that was given for the whole.

    An unclear dimension leaves it open.
    """
    if review.unclear:
        return None
    if all(value is None for name, value in review.scores.items() if name != rubric.overall):
        return review.scores.get(rubric.overall)
    return overall_of_people(review.scores, rubric, in_context=in_context)


def in_parts(review: Review, rubric: Rubric) -> bool:
    """True where a person said something by dimension, item or checklist; a judgement of the whole does not."""
    scored = any(value is not None for name, value in review.scores.items() if name != rubric.overall)
    checked = any(value is not None for value in review.checklist.values())
    return bool(scored or checked or review.items or review.unclear or review.mark)


def with_judgement(review: Review, before: Review | None) -> Review:
    """The review by dimension with what the same person said of the whole response before."""
    return review if before is None else replace(review, judgement=before.judgement)


def read_review(record: Mapping[str, Any]) -> Review:
    """The review in a record of source human that fits the schema."""
    return Review(
        reviewer=record["reviewer"],
        reviewed_at=record.get("reviewed_at") or record["timestamp"],
        scores=dict(record["scores"]),
        notes=record["notes"],
        rationale=dict(record.get("rationale") or {}),
        checklist=dict(record.get("checklist") or {}),
        unclear=tuple(record.get("unclear") or ()),
        mark=record.get("mark"),
        blind=bool(record.get("blind", True)),
        items=tuple(ItemReview(*given) for given in read_answers(record)),
        judgement=record.get("judgement"),
    )


def judge_examples(records: Sequence[Mapping[str, Any]]) -> list[dict[str, Json]]:
    """The reviews that were marked exemplary: what was judged, the person's scores and words."""
    return [_example(record, read_item(record)) for record in records if record.get("mark") == "exemplary"]


def _example(record: Mapping[str, Any], item: Item) -> dict[str, Json]:
    rubric = record.get("rubric")
    return {
        "id": item.id,
        "scenario": item.scenario_id,
        "rubric": f"{rubric['name']} {rubric['version']}" if rubric else "",
        "reviewer": record["reviewer"],
        **_material(item),
        "scores": {metric: value for metric, value in record["scores"].items() if value is not None},
        "rationale": dict(record.get("rationale") or {}),
        "reasoning": record["notes"],
    }


def _material(item: Item) -> dict[str, Json]:
    if item.flow is not None:
        return dict(flow_texts(item.flow)._asdict())
    return {
        **({"audience": item.audience} if item.audience else {}),
        "context": [spoken(turn.role, turn.content) for turn in item.context],
        "user_message": item.asked.content,
        "assistant_response": item.shown_text,
    }
