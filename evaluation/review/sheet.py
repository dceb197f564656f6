"""Responses as the rows of a sheet that is filled in offline, and filled-in rows as reviews."""

import json
from collections.abc import Iterator, Mapping, Sequence

from evaluation.chat_flow.judged import flow_texts
from evaluation.eval_records.held import HeldItem
from evaluation.eval_records.record import Item
from evaluation.judging.material import spoken
from evaluation.records import Json
from evaluation.review.form import Answer, Question, ReviewForm, item_questions, read_answer
from evaluation.review.review import Review

IDENTITY = "exchange_id"
MATERIAL = (
    "scenario_id", "audience", "conversation", "fridge_input", "response", "options", "selected", "errors", "expected",
)  # fmt: skip


def sheet_columns(items: Sequence[Item], form: ReviewForm) -> list[str]:
    """The columns: what is reviewed, then one for each answer; without those that nothing would stand in."""
    rows = [_material(item) for item in items]
    most = max((len(item.expectations) for item in items), default=0)
    held = [name for number in range(1, most + 1) for name in (f"item {number}", f"answer {number}")]
    answers = dict.fromkeys(
        question.key for item in items for question in form.questions(item) if question.kind != "item"
    )
    return [IDENTITY, *(name for name in MATERIAL if any(row[name] for row in rows)), *held, *answers]


def sheet_rows(items: Sequence[Item], columns: Sequence[str]) -> Iterator[dict[str, str]]:
    """One row per item, its answers empty."""
    for item in items:
        shown = _material(item) | _asked(item)
        yield {IDENTITY: item.id, **{name: shown.get(name, "") for name in columns[1:]}}


def sheet_review(row: Mapping[str, Json], item: Item, form: ReviewForm, *, reviewer: str, at: str) -> Review | None:
    """The review in a filled-in row; None where nothing was filled in.

    A cell holds what would be typed in the terminal. Raises ValueError naming the column.
    """
    questions = form.questions(item)
    given = {question.key: _cell(row.get(question.key)) for question in questions}
    if not any(given.values()):
        return None
    for place, words in _asked(item).items():
        if given[place.replace("item", "answer")] and not _same_words(_cell(row.get(place)), words):
            raise ValueError(f"{place}: the row asks another question than {item.id[:40]!r} holds: write a new sheet")
    pairs = [(question, _understood(question, given[question.key])) for question in questions]
    return form.review(pairs, reviewer=reviewer, at=at, blind=True)


def _understood(question: Question, text: str) -> Answer:
    if question.kind in ("notes", "item") and not text:
        return Answer()
    try:
        return read_answer(question, text)
    except ValueError as problem:
        raise ValueError(f"{question.key}: {problem}") from None


def _asked(item: Item) -> dict[str, str]:
    """Column -> the question of an item, in the order in which they are asked."""
    held = [question.item for question in item_questions(item)]
    return {f"item {number}": _question(each) for number, each in enumerate(held, start=1) if each is not None}


def _question(held: HeldItem) -> str:
    return held.question if held.reach == "response" else f"{held.question} (in any of its responses)"


def _same_words(first: str, second: str) -> bool:
    """True where two cells hold the same but for how a file has white space."""
    return first.split() == second.split()


def _cell(value: Json) -> str:
    """The text that was typed: spreadsheets turn 4 into 4.0, and guard a text against being taken for a formula."""
    if value is None or isinstance(value, bool):
        return {True: "y", False: "n"}.get(value, "") if isinstance(value, bool) else ""
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.strip()


def _material(item: Item) -> dict[str, str]:
    row = {"scenario_id": item.scenario_id, "audience": item.audience, "expected": item.expected}
    if item.flow is None:
        said = "\n".join(spoken(turn.role, turn.content) for turn in item.messages)
        return dict.fromkeys(MATERIAL, "") | row | {"conversation": said, "response": item.shown_text}
    texts = flow_texts(item.flow)
    shown = {"conversation": texts.messages, "options": texts.options, "selected": texts.selected}
    shown["fridge_input"] = texts.fridge_input if item.flow.fridge_input is not None else ""
    shown["errors"] = texts.errors if item.flow.fault is not None else ""
    return dict.fromkeys(MATERIAL, "") | row | shown
