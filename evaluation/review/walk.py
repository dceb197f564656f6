"""Through the items of one reviewer, question by question. It is handed how to ask, to show, and to save."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from evaluation.eval_records.item import Item
from evaluation.review.form import Answer, Form, Question, read_answer, write_answer
from evaluation.review.review import Review
from evaluation.review.screen import help_lines, item_lines, judged_lines, prompt_of, question_lines, saved_line
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
    forms: Callable[[Item], Form]
    talk: Talk
    save: Callable[[Item, Review], None]
    """Returns when the review is safe."""
    now: Callable[[], str]
    reviewer: str
    done_before: int = 0
    show_judge: bool = False
    saved: dict[str, Review] = field(default_factory=dict)
    """Item id -> its review, of this session."""

    def run(self) -> int:
        """Goes through the items until they end or the reviewer stops; returns how many are left."""
        order, skipped, at = list(self.items), set[str](), 0
        try:
            while at < len(order):
                item = order[at]
                try:
                    self._review(item)
                except _Leave as leave:
                    if leave.where == QUIT:
                        break
                    if leave.where == BACK:
                        at = max(0, at - 1)
                        continue
                    if item.id not in skipped and item.id not in self.saved:
                        skipped.add(item.id)
                        order.append(order.pop(at))
                        continue
                at += 1
        except EndOfAnswers:
            pass
        return sum(item.id not in self.saved for item in order)

    def _review(self, item: Item) -> None:
        form = self.forms(item)
        questions = form.questions(item)
        before = self.saved.get(item.id)
        given = {} if before is None else {q.key: write_answer(q, a) for q, a in form.answers(item, before)}
        self._show(item)
        answers: dict[int, Answer] = {}
        place = 0
        while place < len(questions):
            try:
                answers[place] = self._answer(item, questions[place], given)
            except _Leave as leave:
                if leave.where != BACK or place == 0:
                    raise
                place -= 1
                continue
            given[questions[place].key] = write_answer(questions[place], answers[place])
            place += 1
        pairs = [(questions[number], answers[number]) for number in range(len(questions))]
        review = form.review(pairs, reviewer=self.reviewer, at=self.now(), blind=not self.show_judge)
        self.save(item, review)
        self.saved[item.id] = review
        self.talk.show([Line(saved_line(review, form), "green"), Line("")])

    def _answer(self, item: Item, question: Question, given: Mapping[str, str]) -> Answer:
        self.talk.show(question_lines(question, self.talk.columns))
        while True:
            text = self.talk.ask(prompt_of(question), given.get(question.key, ""))
            word = text.strip()
            if word in (BACK, SKIP, QUIT):
                raise _Leave(word)
            if word in HELP:
                self.talk.show([*question_lines(question, self.talk.columns), *help_lines(self.talk.columns)])
            elif word == VIEW:
                self._show(item)
            else:
                try:
                    return read_answer(question, text)
                except ValueError as problem:
                    self.talk.show([Line(str(problem), "yellow")])

    def _show(self, item: Item) -> None:
        done = self.done_before + len(self.saved)
        place = f"{done + (item.id not in self.saved)} of {self.done_before + len(self.items)}"
        columns = self.talk.columns
        judged = judged_lines(item, columns) if self.show_judge else []
        self.talk.show([*item_lines(item, columns, place), *judged], paged=True)
