"""When a judge is given up: nothing more is paid for verdicts that nobody can read, or for questions without one."""

from dataclasses import asdict, dataclass

from evaluation.judging.asking import FORMATS
from evaluation.records import CallFailure, Json, Reply, Result, Verdict

IN_A_ROW = 10
"""Questions without a verdict, one after another: of a judge that is unread one time in five, a row in ten million."""
FIRST, OF_FIRST = 20, 15
"""A judge that brings a verdict now and then is given up after so many of its first questions brought none."""
QUOTED = 2000
"""Characters of an answer that are kept."""
SHOWN = 120
"""Those that a sentence shows."""
OF_THE_TEXT = frozenset({"scoring", "content_filter"})
"""Kinds of failure that are no judge's: a fault of the scorer, and a shield that refuses what one exchange says."""


@dataclass(frozen=True, slots=True)
class GivenUp:
    """The judge that was given up. Every text but the reason may be hostile."""

    model: str
    form: str
    """schema, json or text."""
    reason: str
    problem: str
    """Why its last answer could not be read, or what came in the place of an answer."""
    answer: str
    """The beginning of that answer; empty where there was none."""

    @property
    def another_form(self) -> str:
        """The argument that may help: the plainest form, or another judge where it is that already."""
        plainest = FORMATS[-1]
        return "--judge-model NAME" if self.form == plainest else f"--judge-format {plainest}"

    def sentence(self) -> str:
        """All of it in one line that may be printed."""
        said = f"it answered {self.answer[:SHOWN]!r}" if self.answer else "there was no answer"
        return f"{self.reason}; asked in format {self.form}, {said} ({self.problem[:SHOWN]!r})"

    def to_json(self) -> Json:
        """An object of texts."""
        return asdict(self)


class JudgeWatch:
    """Follows one judge by its canaries and the results of a run, in the order in which they come.

    Verdicts that were taken from earlier runs say nothing of it, and neither do exchanges that never came to it.
    """

    def __init__(self, model: str, form: str) -> None:
        self._model = model
        self._form = form
        self._seen = 0
        self._without = 0
        self._in_a_row = 0
        self._failed = False
        """True once a question got no answer at all."""

    def see(self, result: Result) -> GivenUp | None:
        """The judge, given up, where this result is one too many."""
        if result.verdict is not None:
            return self.hear(result.verdict)
        return self.hear(result.error) if result.error is not None and _asked_judge(result.error, result) else None

    def hear(self, said: Verdict | CallFailure) -> GivenUp | None:
        """The same for what it said, or for what came in the place of an answer."""
        if isinstance(said, Verdict):
            return None if said.cached else self._count(said.parsed, said.problem, said.raw[:QUOTED])
        if said.kind in OF_THE_TEXT:
            return None
        self._failed = True
        return self._count(False, f"{said.kind}: {said.message}", "")

    def _count(self, parsed: bool, problem: str, answer: str) -> GivenUp | None:
        self._seen += 1
        self._in_a_row = 0 if parsed else self._in_a_row + 1
        self._without += not parsed and self._seen <= FIRST
        if parsed or (self._in_a_row < IN_A_ROW and self._without < OF_FIRST):
            return None
        many = f"{IN_A_ROW} in a row" if self._in_a_row >= IN_A_ROW else f"{OF_FIRST} of the first {self._seen}"
        what = (
            "questions to the judge brought no verdict" if self._failed else "verdicts of the judge could not be read"
        )
        return GivenUp(self._model, self._form, f"{what}, {many}: no further call was made", problem, answer)


def _asked_judge(error: CallFailure, result: Result) -> bool:
    """True for a question to the judge that got no answer: the other calls name their purpose."""
    return isinstance(result.exchange.outcome, Reply) and error.purpose is None
