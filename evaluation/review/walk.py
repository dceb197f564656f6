"""Through the items of one reviewer, question by question. It is handed how to ask, to show, and to save."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from evaluation.eval_records.record import Item
from evaluation.review.form import Question, ReviewForm, read_answer
from evaluation.review.review import Review
from evaluation.review.screen import help_lines, item_lines, judged_lines, prompt_of, question_lines, saved_lines
from evaluation.text.page import Line

BACK, SKIP, QUIT, VIEW, HELP = "b", "s", "q", "v", ("?", "h")


class EndOfAnswers(Exception):
    """There is nobody to answer any more."""


class Talk(Protocol):
    """The reviewer's side."""

    @property
    def columns(self) -> int:
        """Width of what can be shown."""

    def show(self, lines: Sequence[Line], *, paged: bool = False) -> None:
        """Shows lines; with `paged`, a screen at a time."""

    def ask(self, prompt: str, given: str = "") -> str:
        """An answer; `given` is taken for an empty one. Raises EndOfAnswers."""


class _Leave(Exception):
    """A question was answered with going elsewhere: b, s or q."""

    def __init__(self, where: str) -> None:
        super().__init__(where)
        self.where = where


@dataclass
class Walk:
    """One session. `items` are what is left to do, `known` the reviews of earlier ones."""

    items: Sequence[Item]
    forms: Callable[[Item], ReviewForm]
    talk: Talk
    save: Callable[[Item, Review], None]
    """Returns when the review is safe."""
    now: Callable[[], str]
    reviewer: str
    done_before: int = 0
    show_judge: bool = False
    saved: dict[str, Review] = field(default_factory=dict)
    """Item id -> its review, of this session."""
    _typed: dict[str, Mapping[str, str]] = field(default_factory=dict)
    """Item id -> question -> what was typed, to be offered again on the way back."""

    def run(self) -> None:
        """Goes through the items until they end or the reviewer stops."""
        order, skipped, at = list(self.items), set[str](), 0
        while at < len(order):
            item = order[at]
            try:
                self._review(item)
                at += 1
            except EndOfAnswers:
                return
            except _Leave as leave:
                if leave.where == QUIT:
                    return
                if leave.where == BACK:
                    at = max(0, at - 1)
                elif item.id in skipped or item.id in self.saved:
                    at += 1
                else:
                    skipped.add(item.id)
                    order.append(order.pop(at))

    def _review(self, item: Item) -> None:
        form = self.forms(item)
        questions = form.questions(item)
        typed = dict(self._typed.get(item.id, {}))
        self._show(item)
        place = 0
        while place < len(questions):
            key = questions[place].key
            try:
                typed[key] = self._ask(item, questions[place], typed.get(key, ""))
                place += 1
            except _Leave as leave:
                if leave.where != BACK or place == 0:
                    raise
                place -= 1
        answers = [(question, read_answer(question, typed[question.key])) for question in questions]
        review = form.review(answers, reviewer=self.reviewer, at=self.now(), blind=not self.show_judge)
        self.save(item, review)
        self.saved[item.id], self._typed[item.id] = review, typed
        self.talk.show([*saved_lines(review, form, self.talk.columns), Line("")])

    def _ask(self, item: Item, question: Question, given: str) -> str:
        """Asks until an answer is typed, and returns its text; `given` is what was typed before."""
        self.talk.show(question_lines(question, self.talk.columns))
        of_item = question.kind == "item"  # there a question mark is an answer
        while True:
            text = self.talk.ask(prompt_of(question), given)
            word = text.strip()
            if word in (BACK, SKIP, QUIT):
                raise _Leave(word)
            if word in HELP and not (of_item and word == "?"):
                keys = help_lines(self.talk.columns, items=of_item)
                self.talk.show([*question_lines(question, self.talk.columns), *keys])
            elif word == VIEW:
                self._show(item)
            else:
                try:
                    read_answer(question, text)
                    return text
                except ValueError as problem:
                    self.talk.show([Line(str(problem), "yellow")])

    def _show(self, item: Item) -> None:
        done = self.done_before + len(self.saved)
        place = f"{done + (item.id not in self.saved)} of {self.done_before + len(self.items)}"
        columns = self.talk.columns
        judged = judged_lines(item, columns) if self.show_judge else []
        self.talk.show([*item_lines(item, columns, place), *judged], paged=True)
