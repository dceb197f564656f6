"""The questions about one response, one by one, and the meaning of each answer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evaluation.eval_records.item import Item
from evaluation.review.dimension import Dimension, dimensions
from evaluation.review.review import Mark, Review
from evaluation.rubrics.rubric import Rubric

CHECKLIST = {
    "ingredients_included": "Ingredients included?",
    "time_respected": "Time budget respected?",
    "steps_feasible": "Steps feasible with the listed ingredients and equipment?",
    "easy_to_follow": "Concise and easy to follow?",
}
"""Of a recipe flow: asked before the scores, so that they rest on something that was looked at."""
YES, NO = frozenset({"y", "yes"}), frozenset({"n", "no"})
LONGEST_NOTE = 2000
"""Characters."""

Kind: TypeAlias = Literal["check", "score", "notes", "mark"]


@dataclass(frozen=True, slots=True)
class Question:
    """One question. `dimension` stands where a score is asked for."""

    kind: Kind
    key: str
    """Of the answer: a check's or a metric's name, notes, mark."""
    title: str
    dimension: Dimension | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer as it was understood."""

    value: float | bool | None = None
    text: str = ""
    """The remark after a score; the notes; the mark."""
    unclear: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """The questions of one rubric, for items of one kind."""

    rubric: Rubric
    dimensions: tuple[Dimension, ...]

    @classmethod
    def of(cls, rubric: Rubric) -> "Form":
        return cls(rubric, dimensions(rubric))

    def questions(self, item: Item) -> tuple[Question, ...]:
        """In the order in which they are asked; without what cannot apply to the item."""
        return tuple(self._questions(item))

    def _questions(self, item: Item) -> Iterator[Question]:
        if item.flow is not None:
            yield from (Question("check", key, title) for key, title in CHECKLIST.items())
        for dimension in self.dimensions:
            if item.context or not dimension.needs_context:
                yield Question("score", dimension.metric, dimension.title, dimension)
        yield Question("notes", "notes", "In a sentence or two: what decided it?")
        yield Question("mark", "mark", "Mark this one?")

    def review(self, answers: Sequence[tuple[Question, Answer]], *, reviewer: str, at: str, blind: bool) -> Review:
        """The review that the answers add up to."""
        by_kind: dict[Kind, dict[str, Answer]] = {"check": {}, "score": {}, "notes": {}, "mark": {}}
        for question, answer in answers:
            by_kind[question.kind][question.key] = answer
        scores, mark = by_kind["score"], by_kind["mark"].get("mark", Answer()).text
        unclear = tuple(name for name, answer in scores.items() if answer.unclear)
        marked: Mark | None = "exemplary" if mark == "exemplary" else "unclear" if mark or unclear else None
        return Review(
            reviewer=reviewer,
            reviewed_at=at,
            scores={each.metric: _number(scores.get(each.metric)) for each in self.dimensions},
            notes=by_kind["notes"].get("notes", Answer()).text,
            rationale={name: answer.text for name, answer in scores.items() if answer.text},
            checklist={name: _truth(answer) for name, answer in by_kind["check"].items()},
            unclear=unclear,
            mark=marked,
            blind=blind,
        )

    def answers(self, item: Item, review: Review) -> list[tuple[Question, Answer]]:
        """The answers that a review was made of: the inverse of `review`."""
        return [(question, _answered(question, review)) for question in self.questions(item)]


def read_answer(question: Question, text: str) -> Answer:
    """Reads what was typed. Raises ValueError with what may be typed."""
    text = text.strip()[:LONGEST_NOTE]
    if question.kind == "check":
        return Answer(_yes_or_no(text))
    if question.kind == "notes":
        if not text:
            raise ValueError("a sentence, please: it is what the others learn from (- leaves it out)")
        return Answer(text="" if text == "-" else text)
    if question.kind == "mark":
        return Answer(text=_mark(text))
    assert question.dimension is not None
    first, _, remark = text.partition(" ")
    remark = remark.strip(" :-,")
    if first == "u":
        return Answer(None, remark, unclear=True)
    if first == "n":
        return Answer(None, remark)
    if not first:
        raise ValueError(f"type {question.dimension.range}, u (unclear) or n (does not apply)")
    return Answer(question.dimension.value_of(first.rstrip(":,")), remark)


def write_answer(question: Question, answer: Answer) -> str:
    """Writes an answer as it would be typed: the inverse of `read_answer`."""
    if question.kind == "check":
        found = _truth(answer)
        return "" if found is None else "y" if found else "n"
    if question.kind == "notes":
        return answer.text or "-"
    if question.kind == "mark":
        return answer.text[:1]
    assert question.dimension is not None
    number = _number(answer)
    first = "u" if answer.unclear else "n" if number is None else question.dimension.answer_for(number)
    return f"{first} {answer.text}".strip()


def _answered(question: Question, review: Review) -> Answer:
    if question.kind == "check":
        return Answer(review.checklist.get(question.key))
    if question.kind == "notes":
        return Answer(text=review.notes)
    if question.kind == "mark":
        return Answer(text=review.mark or "")
    key = question.key
    return Answer(review.scores.get(key), review.rationale.get(key, ""), unclear=key in review.unclear)


def _yes_or_no(text: str) -> bool | None:
    if not text or text == "-":
        return None
    if text.lower() in YES | NO:
        return text.lower() in YES
    raise ValueError("type y or n, or Enter where the response does not show it")


def _mark(text: str) -> str:
    found = {"": "", "-": "", "u": "unclear", "unclear": "unclear", "e": "exemplary", "exemplary": "exemplary"}.get(
        text.lower()
    )
    if found is None:
        raise ValueError("type e (exemplary), u (unclear), or Enter for neither")
    return found


def _number(answer: Answer | None) -> float | None:
    return None if answer is None or isinstance(answer.value, bool) else answer.value


def _truth(answer: Answer) -> bool | None:
    return answer.value if isinstance(answer.value, bool) else None
