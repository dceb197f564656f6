"""The questions to a reviewer about one response, one by one, and the meaning of each answer.

A scale of few whole numbers, such as 1 to 5, is typed as it is. On a finer scale the bands of the rubric are the
grades, numbered from 1, the worst: people distinguish about five of them, and the criteria are written for the bands. A
grade is worth the middle of its band; who wants an exact value types it with a decimal point.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evaluation.eval_records.held import HeldItem
from evaluation.eval_records.record import Item
from evaluation.expectations.human import Said
from evaluation.review.review import ItemReview, Mark, Review
from evaluation.rubrics.rubric import Metric, Rubric
from evaluation.rubrics.values import Band

MOST_GRADES = 10
"""A scale of more whole numbers is no list of grades."""
CHECKLIST = {
    "ingredients_included": "Ingredients included?",
    "time_respected": "Time budget respected?",
    "steps_feasible": "Steps feasible with the listed ingredients and equipment?",
    "easy_to_follow": "Concise and easy to follow?",
}
"""Of a recipe flow: asked before the scores, so that they rest on something that was looked at."""
YES_OR_NO = {"": None, "-": None, "y": True, "yes": True, "n": False, "no": False}
MARKS: Mapping[str, Mark | None] = {
    "": None,
    "-": None,
    "u": "unclear",
    "unclear": "unclear",
    "e": "exemplary",
    "exemplary": "exemplary",
}
SAID: Mapping[str, Said] = {
    "y": "yes",
    "yes": "yes",
    "n": "no",
    "no": "no",
    "?": "not_shown",
}
"""To an item: a question mark where the response does not show it."""
LONGEST_NOTE = 2000
"""Characters."""

Kind: TypeAlias = Literal["item", "check", "score", "notes", "mark"]


@dataclass(frozen=True, slots=True)
class Grade:
    """One score that can be typed."""

    key: str
    value: float
    label: str = ""
    text: str = ""
    """The criterion; empty between two anchors."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """A metric to be scored by a person."""

    metric: str
    title: str
    definition: str
    grades: tuple[Grade, ...]
    """Best first; empty where any number of the scale may be typed."""
    low: float
    high: float
    whole: bool
    """True where only the grades' own values may be given."""
    needs_context: bool = False

    @property
    def range(self) -> str:
        """The answers that may be typed: "1-5"."""
        if not self.grades:
            return f"{self.low:g}-{self.high:g}"
        return f"{self.grades[-1].key}-{self.grades[0].key}"

    def value_of(self, text: str) -> float:
        """The worth of an answer. Raises ValueError with what may be typed."""
        for grade in self.grades:
            if grade.key == text:
                return grade.value
        allowed = self.range
        if not self.whole:
            if self.grades:
                allowed += f", or {self.low:.1f} to {self.high:.1f} with its decimal point"
            try:
                value = float(text) if text.isascii() and (not self.grades or "." in text) else None
            except ValueError:
                value = None
            if value is not None and self.low <= value <= self.high:
                return value
        raise ValueError(f"{text[:20]!r} is no score: type {allowed}")


@dataclass(frozen=True, slots=True)
class Question:
    """One question. `dimension` stands where a score is asked for, `item` where an expectation is."""

    kind: Kind
    key: str
    """Of the answer: a check's or a metric's name, notes, mark, the number of an item."""
    title: str
    dimension: Dimension | None = None
    item: HeldItem | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer as it was understood; a field that its question does not ask for is empty."""

    score: float | None = None
    checked: bool | None = None
    text: str = ""
    """The remark after a score or an item; the notes."""
    mark: Mark | None = None
    unclear: bool = False
    said: Said | None = None
    """To an item."""


@dataclass(frozen=True, slots=True)
class ReviewForm:
    """The questions of one rubric, for items of one kind."""

    rubric: Rubric
    dimensions: tuple[Dimension, ...]

    @property
    def whole(self) -> Dimension:
        """The overall, as it is asked for where a response is judged as a whole."""
        return _dimension(self.rubric.overall, self.rubric.metrics[self.rubric.overall], self.rubric)

    @classmethod
    def of(cls, rubric: Rubric) -> "ReviewForm":
        return cls(rubric, dimensions(rubric))

    def questions(self, item: Item) -> tuple[Question, ...]:
        """In the order in which they are asked; without what cannot apply to the item."""
        return tuple(self._questions(item))

    def _questions(self, item: Item) -> Iterator[Question]:
        yield from item_questions(item)
        if item.flow is not None:
            yield from (Question("check", key, title) for key, title in CHECKLIST.items())
        for dimension in self.dimensions:
            if item.context or not dimension.needs_context:
                yield Question("score", dimension.metric, dimension.title, dimension)
        yield Question("notes", "notes", "In a sentence or two: what decided it?")
        yield Question("mark", "mark", "Mark this one?")

    def review(self, answers: Sequence[tuple[Question, Answer]], *, reviewer: str, at: str, blind: bool) -> Review:
        """The review that the answers add up to."""
        scores = {question.key: answer for question, answer in answers if question.kind == "score"}
        unclear = tuple(name for name, answer in scores.items() if answer.unclear)
        return Review(
            reviewer=reviewer,
            reviewed_at=at,
            scores={each.metric: scores.get(each.metric, Answer()).score for each in self.dimensions},
            notes="".join(answer.text for question, answer in answers if question.kind == "notes"),
            rationale={name: answer.text for name, answer in scores.items() if answer.text},
            checklist={question.key: answer.checked for question, answer in answers if question.kind == "check"},
            unclear=unclear,
            mark=next((answer.mark for _, answer in answers if answer.mark), "unclear" if unclear else None),
            blind=blind,
            items=tuple(
                ItemReview(question.item, answer.said, answer.text)
                for question, answer in answers
                if question.item is not None and answer.said is not None
            ),
        )


def item_questions(item: Item) -> Iterator[Question]:
    """The expectations, the critical ones first: which of them are is not shown, nor whether a yes is good."""
    held = sorted(item.expectations, key=lambda each: not each.critical)
    for number, each in enumerate(held, start=1):
        yield Question("item", f"answer {number}", f"Item {number} of {len(held)}", item=each)


def dimensions(rubric: Rubric) -> tuple[Dimension, ...]:
    """The metrics that a person scores: all but the overall, which follows from the others, in the rubric's order."""
    return tuple(_dimension(name, metric, rubric) for name, metric in rubric.metrics.items() if name != rubric.overall)


def _dimension(name: str, metric: Metric, rubric: Rubric) -> Dimension:
    low, high = rubric.low, rubric.high
    found = grades(metric.bands, low, high)
    return Dimension(
        name, metric.title, metric.definition, found, low, high, _is_whole(low, high), metric.needs_context
    )


def grades(bands: Sequence[Band], low: float, high: float) -> tuple[Grade, ...]:
    """The grades of a scale, best first: its whole numbers where they are few, else its bands."""
    return _whole_grades(bands, int(low), int(high)) if _is_whole(low, high) else _band_grades(bands)


def _is_whole(low: float, high: float) -> bool:
    return low == int(low) and high == int(high) and 2 <= high - low <= MOST_GRADES


def _whole_grades(bands: Sequence[Band], low: int, high: int) -> tuple[Grade, ...]:
    grades = []
    for number in range(high, low - 1, -1):
        criteria = [(band.label, band.text) for band in bands if band.low <= number <= band.high]
        label, text = criteria[0] if criteria else ("", "")
        grades.append(Grade(str(number), float(number), label, text))
    return tuple(grades)


def _band_grades(bands: Sequence[Band]) -> tuple[Grade, ...]:
    rising = enumerate(sorted(bands, key=lambda band: band.low), start=1)
    return tuple(
        Grade(str(number), round((band.low + band.high) / 2, 6), f"{band.label} {_span(band)}", band.text)
        for number, band in reversed(list(rising))
    )


def _span(band: Band) -> str:
    return f"{band.low:.1f}" if band.low == band.high else f"{band.low:.1f}-{band.high:.1f}"


def read_answer(question: Question, text: str) -> Answer:
    """Reads what was typed. Raises ValueError with what may be typed."""
    text = text.strip()[:LONGEST_NOTE]
    if question.dimension is not None:
        return _read_score(question.dimension, text)
    if question.kind == "item":
        return _read_item(text)
    if question.kind == "notes":
        if not text:
            raise ValueError("a sentence, please: it is what the others learn from (- leaves it out)")
        return Answer(text="" if text == "-" else text)
    if question.kind == "check":
        if text.lower() not in YES_OR_NO:
            raise ValueError("type y or n, or Enter where the response does not show it")
        return Answer(checked=YES_OR_NO[text.lower()])
    if text.lower() not in MARKS:
        raise ValueError("type e (exemplary), u (unclear), or Enter for neither")
    return Answer(mark=MARKS[text.lower()])


def _read_item(text: str) -> Answer:
    first, _, remark = text.partition(" ")
    said = SAID.get(first.lower().rstrip(":,"))
    if said is None:
        raise ValueError("type y, n, or ? where the response does not show it; a remark may follow")
    return Answer(said=said, text=remark.strip(" :-,"))


def _read_score(dimension: Dimension, text: str) -> Answer:
    first, _, remark = text.partition(" ")
    remark = remark.strip(" :-,")
    if first in ("u", "n"):
        return Answer(text=remark, unclear=first == "u")
    if not first:
        raise ValueError(f"type {dimension.range}, u (unclear) or n (does not apply)")
    return Answer(dimension.value_of(first.rstrip(":,")), text=remark)
