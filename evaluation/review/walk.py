"""Through what one reviewer is given: responses question by question, pairs by one key each.

It is handed how to ask, to show, and to save.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from evaluation.eval_records.record import Item
from evaluation.review.assignment import Identified
from evaluation.review.form import Question, ReviewForm, read_answer
from evaluation.review.pair_answers import Said
from evaluation.review.pair_items import PairItem, read_preference
from evaluation.review.pair_screen import PROMPT, SHORT, pair_help, pair_lines, saved_line
from evaluation.review.review import Review
from evaluation.review.screen import help_lines, item_lines, judged_lines, prompt_of, question_lines, saved_lines
from evaluation.text.page import Line

BACK, SKIP, QUIT, VIEW, HELP = "b", "s", "q", "v", ("?", "h")
NARROW = 60
Thing = TypeVar("Thing", bound=Identified)
Kept = TypeVar("Kept")
Answer = TypeVar("Answer")


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
class Session(ABC, Generic[Thing, Kept]):
    """One session of a reviewer; `items` are what is left to do."""

    items: Sequence[Thing]
    talk: Talk
    save: Callable[..., None]
    """Returns when the answer is safe."""
    done_before: int = field(default=0, kw_only=True)
    saved: dict[str, Kept] = field(default_factory=dict, kw_only=True)
    """Item id -> what was kept of it, in this session."""

    def run(self) -> None:
        """Goes through the items until they end or the reviewer stops."""
        order, skipped, at = list(self.items), set[str](), 0
        while at < len(order):
            item = order[at]
            try:
                self.review(item)
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

    @abstractmethod
    def review(self, item: Thing) -> None:
        """Asks about one item and saves what is answered. Raises what `ask` raises."""

    @abstractmethod
    def show(self, item: Thing) -> None:
        """Shows one item."""

    def ask(
        self,
        item: Thing,
        prompt: str,
        read: Callable[[str], Answer],
        keys: Callable[[], Sequence[Line]],
        *,
        given: str = "",
        helps: Sequence[str] = HELP,
    ) -> Answer:
        """Asks until an answer is typed, and reads it; `given` is what was typed before.

        `keys` are shown at each of `helps`. Raises _Leave where the reviewer goes elsewhere.
        """
        while True:
            text = self.talk.ask(prompt, given)
            word = text.strip()
            if word in (BACK, SKIP, QUIT):
                raise _Leave(word)
            if word in helps:
                self.talk.show(keys())
            elif word == VIEW:
                self.show(item)
            else:
                try:
                    return read(text)
                except ValueError as problem:
                    self.talk.show([Line(str(problem), "yellow")])

    def place_of(self, item: Thing) -> str:
        """Which of how many it is."""
        done = self.done_before + len(self.saved)
        return f"{done + (item.id not in self.saved)} of {self.done_before + len(self.items)}"


@dataclass
class Walk(Session[Item, Review]):
    """Through responses, question by question."""

    forms: Callable[[Item], ReviewForm]
    now: Callable[[], str]
    reviewer: str
    show_judge: bool = False
    _typed: dict[str, Mapping[str, str]] = field(default_factory=dict)
    """Item id -> question -> what was typed, to be offered again on the way back."""

    def review(self, item: Item) -> None:
        form = self.forms(item)
        questions = form.questions(item)
        typed = dict(self._typed.get(item.id, {}))
        self.show(item)
        place = 0
        while place < len(questions):
            key = questions[place].key
            try:
                typed[key] = self._typed_answer(item, questions[place], typed.get(key, ""))
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

    def _typed_answer(self, item: Item, question: Question, given: str) -> str:
        """The text of an answer that can be read."""
        of_item, asked = question.kind == "item", question_lines(question, self.talk.columns)
        self.talk.show(asked)

        def read(text: str) -> str:
            read_answer(question, text)
            return text

        return self.ask(
            *(item, prompt_of(question), read, lambda: [*asked, *help_lines(self.talk.columns, items=of_item)]),
            given=given,
            helps=[word for word in HELP if not (of_item and word == "?")],  # there a question mark is an answer
        )

    def show(self, item: Item) -> None:
        columns = self.talk.columns
        judged = judged_lines(item, columns) if self.show_judge else []
        self.talk.show([*item_lines(item, columns, self.place_of(item)), *judged], paged=True)


@dataclass
class PairWalk(Session[PairItem, Said]):
    """Through pairs of answers, one key each."""

    def review(self, item: PairItem) -> None:
        self.show(item)
        columns = self.talk.columns
        prompt = SHORT if columns < NARROW else PROMPT
        said, remark = self.ask(item, prompt, read_preference, lambda: pair_help(columns))
        self.save(item, said, remark)
        self.saved[item.id] = said
        self.talk.show(saved_line(said, remark, columns))

    def show(self, item: PairItem) -> None:
        self.talk.show(list(pair_lines(item, self.talk.columns, self.place_of(item))), paged=True)
