"""Through the pairs of one reviewer, one key each. It is handed how to ask, to show, and to save."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from evaluation.review.pair_answers import Said
from evaluation.review.pair_items import PairItem, read_preference
from evaluation.review.pair_screen import PROMPT, SHORT, pair_help, pair_lines, saved_line
from evaluation.review.walk import BACK, HELP, QUIT, SKIP, VIEW, EndOfAnswers, Talk
from evaluation.text.page import Line

NARROW = 60


@dataclass
class PairWalk:
    """One session; `items` are what is left to do."""

    items: Sequence[PairItem]
    talk: Talk
    save: Callable[[PairItem, Said, str], None]
    """Returns when the answer and its remark are safe."""
    done_before: int = 0
    saved: dict[str, Said] = field(default_factory=dict)
    """Pair -> its answer, of this session."""

    def run(self) -> None:
        """Goes through the pairs until they end or the reviewer stops."""
        order, skipped, at = list(self.items), set[str](), 0
        while at < len(order):
            item = order[at]
            try:
                word = self._review(item)
            except EndOfAnswers:
                return
            if word == QUIT:
                return
            if word == BACK:
                at = max(0, at - 1)
            elif word == SKIP and item.id not in skipped and item.id not in self.saved:
                skipped.add(item.id)
                order.append(order.pop(at))
            else:
                at += 1

    def _review(self, item: PairItem) -> str:
        """Asks until a preference is typed and saved, or a word that leads elsewhere, which is returned."""
        self._show(item)
        columns = self.talk.columns
        while True:
            typed = self.talk.ask(SHORT if columns < NARROW else PROMPT).strip()
            if typed in (BACK, SKIP, QUIT):
                return typed
            if typed in HELP:
                self.talk.show(pair_help(columns))
            elif typed == VIEW:
                self._show(item)
            else:
                try:
                    said, remark = read_preference(typed)
                except ValueError as problem:
                    self.talk.show([Line(str(problem), "yellow")])
                    continue
                self.save(item, said, remark)
                self.saved[item.id] = said
                self.talk.show(saved_line(said, remark, columns))
                return ""

    def _show(self, item: PairItem) -> None:
        done = self.done_before + len(self.saved)
        place = f"{done + (item.id not in self.saved)} of {self.done_before + len(self.items)}"
        self.talk.show(list(pair_lines(item, self.talk.columns, place)), paged=True)
